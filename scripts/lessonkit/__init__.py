"""The engine of the course: pages and programs in, checked HTML out. It imports nothing of MkDocs.

Data flows one way, each step in its own module::

    pages ── a page's directives, bound numbers, formulas, sections, each with its line
    snippets ── a program's cells
    programs ── runner (isolated, parallel) and cache: what a program prints, draws and holds
    formulas ── TeX as SVG and MathML          figures ── SVG for both themes
    course ── pages held against results: what makes a page wrong
    rendering, markup ── a page and its results as HTML
    golden, numbers, parity, links, checking ── problems, each with its place and its cure
"""
