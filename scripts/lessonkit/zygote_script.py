"""What `python` is given to start the zygote, or the process of one program where forking is unsafe.

Nothing of the engine may be imported before this has set the path (the script's own folder would come
first, and modules of the engine bear names of Python's own) and has turned bytecode off for the engine.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader

ENGINE = os.path.dirname(os.path.abspath(__file__))


def compile_engine_from_source() -> None:
    """A bytecode file of the engine could be older than an edit (equal size, same second)."""
    get_code = SourceFileLoader.get_code

    def get_fresh_code(loader, fullname):
        if not loader.path.startswith(ENGINE + os.sep):
            return get_code(loader, fullname)
        return loader.source_to_code(loader.get_data(loader.path), loader.path)

    SourceFileLoader.get_code = get_fresh_code


def main() -> None:
    sys.path[0] = os.path.dirname(ENGINE)
    compile_engine_from_source()
    from lessonkit import zygote

    zygote.main(*sys.argv[1:])


if __name__ == "__main__":
    main()
