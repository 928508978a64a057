/* What works in the search dialog: results of search-engine.js as a list that the field controls (ARIA's combobox). */
import { SearchEngine } from "./search-engine.js";

const AFTER = 90; // ms without a key before a search begins

/** Bring the dialog to life. `fail` tells the reader of an error. */
export async function start(dialog, root, fail) {
  const part = (name) => dialog.querySelector(`.course-search__${name}`);
  const [input, status, results, advice] = ["input", "status", "results", "advice"].map(part);
  const options = () => [...results.querySelectorAll("[role=option]")];
  const engine = await SearchEngine.open(root);
  let running = Promise.resolve(); // the last search
  let asked = ""; // its query
  let timer;

  // --- What is shown ---

  const say = (message, values = {}) =>
    (status.textContent = message.replace(/\{(\w+)\}/g, (_, name) => values[name]));

  const element = (tag, text, properties) => Object.assign(document.createElement(tag), { textContent: text }, properties);

  /** The hits as <mark>, without the punctuation around them. */
  function pieces(list) {
    return list.flatMap(({ text, hit }, i) => {
      const [, before, word, after] = hit ? /^([^\p{L}\p{N}√]*)(.*?)([^\p{L}\p{N}]*)$/u.exec(text) : ["", text, "", ""];
      return [(i ? " " : "") + before, ...(word ? [element("mark", word)] : []), after];
    });
  }

  function option(url, title, excerpt, kind) {
    const link = element("a", "", { href: url, tabIndex: -1, className: `course-search__${kind}` });
    link.setAttribute("role", "option");
    link.setAttribute("aria-selected", "false");
    const name = element("span", "", { className: "course-search__title" });
    name.append(...pieces(title));
    link.append(name);
    if (excerpt.length) {
      const text = element("span", "", { className: "course-search__excerpt" });
      text.append(...pieces(excerpt));
      link.append(" ", text);
    }
    return link;
  }

  function group(page) {
    const box = element("div", "", { className: "course-search__page" });
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", page.title.map(({ text }) => text).join(" "));
    box.append(option(page.url, page.title, page.excerpt, "top"));
    for (const section of page.sections) box.append(option(section.url, section.title, section.excerpt, "section"));
    return box;
  }

  function show({ pages, absent }) {
    const words = absent.map((word) => `«${word}»`).join(", ");
    results.replaceChildren(...pages.map(group));
    options().forEach((one, i) => { one.id = `course-search-${i}`; });
    results.hidden = !pages.length;
    advice.hidden = Boolean(pages.length);
    input.setAttribute("aria-expanded", String(Boolean(pages.length)));
    if (!pages.length) say(dialog.dataset.none, { query: asked });
    else say(absent.length ? `${dialog.dataset.found}. ${dialog.dataset.absent}` : dialog.dataset.found, { count: pages.length, words });
    choose(options()[0]);
    results.scrollTop = 0;
  }

  function clear() {
    results.replaceChildren();
    results.hidden = advice.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    say("");
  }

  // --- Searching ---

  function search() {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query === asked) return running;
    asked = query;
    if (!query) {
      clear();
      return (running = Promise.resolve());
    }
    if (results.hidden && advice.hidden) say(dialog.dataset.searching);
    return (running = engine.find(query).then(
      (found) => { if (query === asked) show(found); },
      (error) => { if (query === asked) { asked = ""; clear(); fail(error); } },
    ));
  }

  // --- Keyboard ---

  const chosen = () => results.querySelector("[aria-selected=true]");

  function choose(one) {
    chosen()?.setAttribute("aria-selected", "false");
    if (!one) return input.removeAttribute("aria-activedescendant");
    one.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", one.id);
    one.scrollIntoView({ block: "nearest" });
  }

  function move(step) {
    const all = options();
    if (all.length) choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
  }

  async function follow(elsewhere) {
    await search();
    const link = chosen();
    if (!link) return;
    if (elsewhere) window.open(link.href);
    else link.click();
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, AFTER);
  });

  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") move(key === "ArrowDown" ? 1 : -1);
    else if (key === "Enter") follow(event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  });

  results.addEventListener("pointermove", (event) => {
    const one = event.target.closest("[role=option]");
    if (one && event.pointerType === "mouse" && one !== chosen()) choose(one);
  });

  clear();
  return { run: search, follow };
}
