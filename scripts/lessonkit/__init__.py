"""The engine of the course: pages and programs in, checked HTML out. It imports nothing of MkDocs.

Data flows one way, each step in its own module::

    pages ── a page's directives, bound numbers, formulas, sections, each with its line
    snippets ── a program's cells
    runner, cache ── what a program prints, draws and holds, from an isolated run or from the store
    rendering ── a page and its results as HTML          golden, numbers, parity ── problems
"""
