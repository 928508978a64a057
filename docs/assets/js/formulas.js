/* Formulas are drawings: copying text with formulas gives their TeX. And what is wider than the text can be reached by
   keyboard and shows that it goes on. Both work after instant navigation: the listener is the document's, and Material
   announces a new page through document$. */
(() => {
  "use strict";

  const formulaAround = (node) => (node.closest ? node : node.parentElement)?.closest("mjx-container");

  /** A copy of what is selected. A formula that is selected in part is taken as a whole. */
  function selectedContent(selection) {
    const content = document.createElement("div");
    for (let i = 0; i < selection.rangeCount; i++) {
      const range = selection.getRangeAt(i).cloneRange();
      const formula = formulaAround(range.commonAncestorContainer);
      if (formula) range.selectNode(formula);
      content.append(range.cloneContents());
    }
    return content;
  }

  function writeTex(content) {
    for (const formula of content.querySelectorAll("mjx-container")) {
      const mark = formula.hasAttribute("display") ? "$$" : "$";
      const tex = document.createElement(formula.hasAttribute("display") ? "p" : "span");
      tex.textContent = mark + formula.dataset.tex + mark;
      formula.replaceWith(tex);
    }
    for (const extra of content.querySelectorAll(".headerlink, .mjx-glyphs, button")) extra.remove();
    for (const link of content.querySelectorAll("a[href]")) link.setAttribute("href", link.href);
  }

  /** The text as the browser would copy it; only what is on the page has line breaks. */
  function visibleText(content) {
    content.style.cssText = "position: fixed; left: -200vw; width: 100vw;";
    document.body.append(content);
    const text = content.innerText;
    content.remove();
    content.removeAttribute("style");
    return text.trim();
  }

  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || event.target.closest?.("input, textarea")) return;
    const content = selectedContent(selection);
    if (!content.querySelector("mjx-container")) return;
    writeTex(content);
    event.clipboardData.setData("text/plain", visibleText(content));
    event.clipboardData.setData("text/html", content.innerHTML);
    event.preventDefault();
  });

  // Formulas and figures wider than the text. Some browsers let the keyboard reach whatever scrolls, others need a
  // tabindex, which must not stand where nothing scrolls.
  function showState(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    if (hidden > 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    box.toggleAttribute("data-more", hidden - box.scrollLeft > 1);
  }

  const widths = new ResizeObserver((entries) => entries.forEach(({ target }) => showState(target)));
  const scrolled = ({ target }) => showState(target);

  function watch() {
    widths.disconnect();
    for (const box of document.querySelectorAll("mjx-container[display], .lesson-figure__box")) {
      widths.observe(box);
      box.addEventListener("scroll", scrolled, { passive: true });
    }
  }

  if (window.document$) window.document$.subscribe(watch);
  else watch();
})();
