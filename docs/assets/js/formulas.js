/* Formulas are drawings: copying text with formulas gives their TeX, also after instant navigation, since the listener is
   the document's. */
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
    for (const extra of content.querySelectorAll(".headerlink, .mjx-glyphs, .shared-outlines, button")) extra.remove();
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
})();
