/* What Material makes when a page is there, mended for those who do not see it or use the keyboard only. document$ announces
   every page, the first and those reached without loading; Material's own listeners come first. */
(() => {
  "use strict";

  document$.subscribe(() => {
    // The copy button of each block of code stands in a landmark without a name: dozens of them on a page.
    for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "presentation");
    // On a narrow screen the way to the course's pages is a label, whose check box is not shown.
    const menu = document.querySelector(".md-header label[for=__drawer]");
    menu.tabIndex = 0;
    menu.setAttribute("role", "button");
    menu.setAttribute("aria-label", document.querySelector(".md-nav--primary").getAttribute("aria-label"));
  });

  // The link to the text only moves the focus. Material would fetch the page once more and move it when that has come.
  document.addEventListener("click", (event) => {
    const title = event.target.matches?.(".md-skip") && document.getElementById(event.target.hash.slice(1));
    if (!title) return;
    event.preventDefault();
    event.stopPropagation();
    title.tabIndex = -1;
    title.focus();
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || !event.target.matches?.("label[role=button]")) return;  // Enter works on labels already
    event.preventDefault();
    event.target.click();
  });
})();
