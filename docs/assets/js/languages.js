/* Links to a page in another language keep the section that is being read: its id is the same in all languages.
   The listeners are the document's, so they work after instant navigation, wherever such a link stands. */
(() => {
  "use strict";

  const SWITCH = ".course-languages a[hreflang]";

  /** What the address names, if it can be seen; else the last heading above the middle of the screen. */
  function sectionBeingRead() {
    const named = document.getElementById(location.hash.slice(1));
    if (named) {
      const box = named.getBoundingClientRect();
      if (box.bottom > 0 && box.top < innerHeight) return named.id;
    }
    const headings = document.querySelectorAll("article :is(h2, h3, h4)[id]");
    return [...headings].filter((heading) => heading.getBoundingClientRect().top < innerHeight / 2).pop()?.id ?? "";
  }

  function keepSection(event) {
    const link = event.target.closest?.(SWITCH);
    if (!link) return;
    link.hash = scrollY > 0 || location.hash ? sectionBeingRead() : "";
    if (event.type !== "click") return;
    try { localStorage.courseLanguage = link.hreflang; } catch { /* the reader wants nothing remembered */ }
  }

  for (const type of ["pointerdown", "click"]) document.addEventListener(type, keepSection, true);
})();
