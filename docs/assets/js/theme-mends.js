/* What Material makes when a page is there, mended for those who do not see it or use the keyboard only. document$ announces
   every page, the first and those reached without loading; Material's own listeners come first. */
(() => {
  "use strict";

  document$.subscribe(() => {
    // The copy button of each block of code stands in a landmark without a name: dozens of them on a page.
    for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "presentation");
    // The way to the contents on a narrow screen is a label of a check box that is not shown. Enter works on labels already.
    const menu = document.querySelector(".md-header label[for=__drawer]");
    menu.tabIndex = 0;
    menu.setAttribute("role", "button");
    menu.setAttribute("aria-label", document.querySelector(".md-nav--primary").getAttribute("aria-label"));
  });
})();
