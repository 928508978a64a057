/* Boxes that are wider than the text: the keyboard reaches them, and they show on which side they go on. Works after
   instant navigation: Material announces a new page through document$. */
(() => {
  "use strict";

  const BOXES = [
    "mjx-container[display]",
    ".lesson-figure__box",
    ".md-typeset pre > code",
    ".lesson-output pre",
    ".md-typeset table:not([class])",
  ].join();

  // Some browsers let the keyboard reach whatever scrolls, others need a tabindex, which must not stand where nothing does.
  function showState(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    if (hidden > 1 || box.scrollHeight - box.clientHeight > 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    box.toggleAttribute("data-more-before", hidden > 1 && box.scrollLeft > 1);
    box.toggleAttribute("data-more-after", hidden - box.scrollLeft > 1);
  }

  const widths = new ResizeObserver((entries) => entries.forEach(({ target }) => showState(target)));
  const scrolled = ({ target }) => showState(target);

  function watch() {
    widths.disconnect();
    for (const box of document.querySelectorAll(BOXES)) {
      widths.observe(box);
      box.addEventListener("scroll", scrolled, { passive: true });
    }
  }

  if (window.document$) window.document$.subscribe(watch);
  else watch();
})();
