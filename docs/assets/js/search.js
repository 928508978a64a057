/* Opens the search dialog, partials/search.html: by its button, / or Ctrl+K. What works in it is search-dialog.js, loaded when
   it is first opened; until that is there the field takes what is written. The header outlives instant navigation, and so
   does this. */
(() => {
  "use strict";

  const script = document.currentScript.src;
  const root = new URL("../../", script).href;
  const dialog = document.querySelector("dialog.course-search");
  if (!dialog?.showModal) return;

  const part = (name) => dialog.querySelector(`.course-search__${name}`);
  const input = part("input");
  let started; // a promise of search-dialog.js at work

  function fail(error) {
    console.warn(error);
    part("advice").hidden = false;
    part("status").textContent = dialog.dataset.failed;
  }

  const start = () => (started ??= import(new URL("search-dialog.js", script)).then((module) => module.start(dialog, root, fail)));

  const then = (action) => start().then(action).catch((error) => {
    started = null;
    fail(error);
  });

  function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.focus();
    input.select();
    then((search) => search.run());
  }

  // Before the theme's own keys, of which the Russian layout's "." on the key / is one.
  document.addEventListener("keydown", (event) => {
    const { key, code, target } = event;
    const slash = (key === "/" || (code === "Slash" && key === ".")) && !event.ctrlKey && !event.metaKey && !event.altKey;
    const chord = (key.toLowerCase() === "k" || code === "KeyK") && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const writing = target.isContentEditable || target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select");
    if (!chord && (!slash || writing)) return;
    event.preventDefault();
    event.stopPropagation();
    open();
  }, true);

  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return; // of itself, Escape would first empty the field
    event.preventDefault();
    dialog.close();
  });

  part("form").addEventListener("submit", (event) => { // Enter
    event.preventDefault();
    then((search) => search.follow());
  });

  document.querySelector(".course-search-button").addEventListener("click", open);
  part("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
    else if (event.target.closest("a") && !event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  });
})();
