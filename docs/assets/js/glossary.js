/* Definitions of terms: what stands hidden at a page's end (glossary_markup.py) is shown at the term that is pointed at,
   focused or tapped. Without this script a term is a link to the glossary, and screen readers read its description. All
   listeners are the document's, so they outlive instant navigation. */
(() => {
  "use strict";

  const OPEN_AFTER = 180; // ms: not for a pointer on its way to something else
  const CLOSE_AFTER = 220; // ms: time to go from the term to its definition, for instance to select it
  const EDGE = 8; // px left free at the edges of the screen

  let box; // made when the first term is met
  let term = null; // whose definition is shown
  let timer;
  let back; // what closes the definition when a phone's Back is pressed, where the browser can tell
  let pointer = "mouse"; // kind of the pointer pressed last

  const termOf = (target) => target?.closest?.("a.term[aria-describedby]") ?? null;

  function makeBox() {
    box = document.createElement("div");
    box.className = "term-definition md-typeset";
    if (box.showPopover) box.popover = "manual"; // above everything, whatever clips it
    box.addEventListener("pointerenter", () => clearTimeout(timer));
    box.addEventListener("pointerleave", () => later(close, CLOSE_AFTER));
  }

  const element = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text }, properties);

  function fill(link, source) {
    const head = element("p", "", { className: "term-definition__head" });
    head.append(element("strong", source.dataset.name));
    if (source.dataset.english !== source.dataset.name) head.append(element("span", source.dataset.english, { lang: "en" }));
    const text = element("p", source.textContent);
    // For those who tap: by keyboard and mouse the term itself leads there.
    const more = element("a", source.parentElement.dataset.glossary, { href: link.href, tabIndex: -1 });
    box.replaceChildren(head, text, more);
  }

  /** Below the term, above it if there is no room, never beyond an edge. A term may be broken over two lines: `at` says which. */
  function place(link, at) {
    const lines = [...link.getClientRects()];
    const line = (at && lines.find((r) => at.y >= r.top - 2 && at.y <= r.bottom + 2 && at.x >= r.left - 2 && at.x <= r.right + 2)) || lines[0];
    const { offsetWidth: width, offsetHeight: height } = box;
    const right = document.documentElement.clientWidth - EDGE;
    const below = line.bottom + EDGE + height <= window.innerHeight || line.top < height + 2 * EDGE;
    const top = below ? line.bottom + EDGE : line.top - EDGE - height;
    box.style.left = `${Math.max(EDGE, Math.min(line.left, right - width)) + window.scrollX}px`;
    box.style.top = `${top + window.scrollY}px`;
  }

  function open(link, at) {
    clearTimeout(timer);
    const source = document.getElementById(link.getAttribute("aria-describedby"));
    if (!source || link === term) return;
    close();
    if (!box) makeBox();
    if (!box.isConnected) document.body.append(box);
    term = link;
    fill(link, source);
    if (box.showPopover) box.showPopover();
    else box.toggleAttribute("data-shown", true);
    link.toggleAttribute("data-open", true);
    place(link, at);
    if (at && pointer !== "mouse" && window.CloseWatcher) {
      back = new CloseWatcher();
      back.onclose = close;
    }
  }

  function close() {
    clearTimeout(timer);
    back?.destroy();
    back = undefined;
    if (!term) return;
    term.removeAttribute("data-open");
    term = null;
    if (box.hidePopover && box.isConnected && box.matches(":popover-open")) box.hidePopover();
    box.removeAttribute("data-shown");
  }

  function later(action, delay) {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  }

  document.addEventListener("pointerover", (event) => {
    const link = termOf(event.target);
    if (!link || event.pointerType === "touch") return;
    if (link === term) clearTimeout(timer);
    else later(() => open(link, { x: event.clientX, y: event.clientY }), OPEN_AFTER);
  });

  document.addEventListener("pointerout", (event) => {
    const link = termOf(event.target);
    if (!link || event.pointerType === "touch" || link.contains(event.relatedTarget)) return;
    if (link === term && link !== document.activeElement) later(close, CLOSE_AFTER);
    else if (link !== term) clearTimeout(timer);
  });

  document.addEventListener("focusin", (event) => {
    const link = termOf(event.target);
    if (link?.matches(":focus-visible")) open(link);
  });

  document.addEventListener("focusout", (event) => {
    if (termOf(event.target) === term && !box?.contains(event.relatedTarget)) close();
  });

  document.addEventListener("pointerdown", (event) => {
    pointer = event.pointerType;
    if (term && !box.contains(event.target) && termOf(event.target) !== term) close();
  }, true);

  // A tap shows the definition, a second one hides it; the way to the glossary is in the definition. Before the theme's
  // own listener, which would follow the link.
  document.addEventListener("click", (event) => {
    const link = termOf(event.target);
    if (!link) {
      if (box?.contains(event.target) && event.target.closest("a")) close();
      return;
    }
    if (pointer === "mouse" || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return close();
    event.preventDefault();
    event.stopPropagation();
    if (link === term) close();
    else open(link, { x: event.clientX, y: event.clientY });
  }, true);

  document.addEventListener("keydown", (event) => {
    pointer = "mouse"; // Enter follows the link
    if (event.key === "Escape" && term) {
      event.stopPropagation();
      close();
    }
  }, true);

  window.addEventListener("resize", close);
  window.document$?.subscribe(close);
})();
