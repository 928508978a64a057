/* Finds pages and their sections. Pagefind's script and its index come from the folder that lessonkit/search.py writes.

   Pagefind is asked for each word by itself, for three reasons. A word that occurs nowhere is told to the reader; Pagefind
   would cut it until something matches, its first letter if need be. A question is answered by the page that has its rare
   words, though it lacks a common one. And of a page only the sections with the rare words are shown. */

const MOST_WORDS = 12;
const MOST_PAGES = 10;
const MOST_SECTIONS = 3; // of a page
const COMMON = 0.1; // weight of a word that is on every page
const RARE = 1.3; // weight that no word exceeds: one that stands on a single page may stand there by chance
const COVERED = 0.5; // of what the best page has of the query
const GOOD = 0.45; // of the best section of a page
const IN_HEADING = 3; // times as good as in the text, if a heading says nothing else
const WHOLE_PAGE = 1; // what the rest of a page adds to its best section, at most
const EXCERPT = 26; // words
const BEFORE = 6; // words of an excerpt before its first hit

/** Without case and accents, as Pagefind compares: е is ё, o is ó. */
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const letters = (text) => fold(text).replace(/[^\p{L}\p{N}√]/gu, "");
const words = (text) => text.split(/\s+/);

/** A word of a page as it may be looked for: as a whole, and each part of it. */
const forms = (() => {
  const known = new Map();
  return (word) => {
    if (!known.has(word)) known.set(word, [...new Set([letters(word), ...fold(word).split(/[^\p{L}\p{N}√]+/u)])].filter(Boolean));
    return known.get(word);
  };
})();

/** Whether a word of a page is a form of the word that was looked for, or begins with it. Stemming changes ends. */
function isForm(word, { form, unfinished }) {
  const enough = Math.min(form.length, Math.max(3, Math.ceil(0.6 * form.length)));
  const longest = unfinished ? Infinity : form.length + Math.min(4, Math.floor(form.length / 2));
  return forms(word).some((part) => {
    let same = 0;
    while (same < form.length && part[same] === form[same]) same += 1;
    return same >= enough && part.length <= longest;
  });
}

function queryWords(query) {
  const found = new Map();
  for (const written of query.normalize("NFC").split(/\s+/)) {
    const word = written.replace(/^[^\p{L}\p{N}√]+|[^\p{L}\p{N}]+$/gu, "");
    if (letters(word) && !found.has(letters(word))) found.set(letters(word), word);
  }
  const asked = [...found].slice(0, MOST_WORDS).map(([form, word]) => ({ form, word, unfinished: false }));
  if (asked.length && /[\p{L}\p{N}]$/u.test(query)) asked.at(-1).unfinished = true; // perhaps still being written
  return asked;
}

export class SearchEngine {
  /** `root`: the site's address. The language is that of the document. */
  static async open(root) {
    const pagefind = await import(new URL("pagefind/pagefind.js", root).href);
    const engine = new SearchEngine();
    engine.root = root;
    engine.index = pagefind.createInstance({ ranking: { termSimilarity: 2 } });
    await engine.index.init();
    engine.pages = (await engine.index.search(null)).results.length;
    if (!engine.pages) throw new Error("The index is empty");
    return engine;
  }

  /** Pages with their sections, best first, and the words that no page has. */
  async find(query) {
    const asked = queryWords(query);
    await Promise.all(asked.map((word) => this.#lookUp(word)));
    const known = asked.filter((word) => word.hits.length);
    const candidates = this.#candidates(known).slice(0, 2 * MOST_PAGES);
    const found = (await Promise.all(candidates.map((page) => this.#describe(page, known)))).filter(Boolean);
    found.sort((a, b) => b.score - a.score);
    return { pages: found.slice(0, MOST_PAGES), absent: asked.filter((word) => !word.hits.length).map(({ word }) => word) };
  }

  async #lookUp(word) {
    word.hits = (await this.index.search(word.word)).results;
    if (!word.hits.length) return;
    const content = words((await word.hits[0].data()).content);
    if (!word.hits[0].words.some((place) => isForm(content[place] ?? "", word))) word.hits = [];
    word.weight = Math.min(RARE, COMMON + Math.log(this.pages / word.hits.length));
  }

  /** Pages that have most of what was asked for, by Pagefind's own score. */
  #candidates(known) {
    const pages = new Map();
    for (const word of known) {
      for (const hit of word.hits) {
        const page = pages.get(hit.id) ?? { hit, score: 0, covered: 0, places: new Map() };
        page.score += hit.score;
        page.covered += word.weight;
        page.places.set(word, hit.words);
        pages.set(hit.id, page);
      }
    }
    const most = Math.max(...[...pages.values()].map((page) => page.covered));
    const ranked = [...pages.values()].filter((page) => page.covered >= COVERED * most).sort((a, b) => b.score - a.score);
    for (const page of ranked) page.score /= ranked[0].score;
    return ranked;
  }

  async #describe(page, known) {
    const data = await page.hit.data();
    const content = words(data.content);
    const marked = new Map(); // place → the word that is there
    for (const [word, places] of page.places) {
      for (const place of places) if (isForm(content[place] ?? "", word)) marked.set(place, word);
    }
    if (!marked.size) return null;
    const sections = this.#sections(data, content, marked, new URL(data.raw_url.slice(1), this.root).href);
    const best = Math.max(...sections.map((section) => section.score));
    const shown = sections.filter((section) => section.score >= GOOD * best).sort((a, b) => b.score - a.score).slice(0, MOST_SECTIONS);
    const [top] = sections;
    return {
      score: best * (1 + WHOLE_PAGE * page.score), // a question has its answer in one place
      url: top.url,
      title: markWords(words(data.meta.title), known),
      excerpt: shown.includes(top) ? top.excerpt : [],
      sections: shown.filter((section) => section !== top).map(({ url, title, excerpt }) => ({ url, title: markWords(title, known), excerpt })),
    };
  }

  /** All sections of a page, the part below its title first. */
  #sections(data, content, marked, url) {
    const anchors = data.anchors.filter((anchor) => /^h[2-6]$/.test(anchor.element) && anchor.text.trim());
    const begins = [0, ...anchors.map((anchor) => anchor.location)];
    const titles = [words(data.meta.title), ...anchors.map((anchor) => words(anchor.text.trim()))];
    return begins.map((begin, i) => {
      const text = begin + titles[i].length;
      const end = begins[i + 1] ?? content.length;
      const inside = [...marked].filter(([place]) => place >= begin && place < end);
      const heading = inside.filter(([place]) => place < text).length / titles[i].length;
      const best = new Map(); // of each word
      for (const [place, word] of inside) {
        best.set(word, Math.max(best.get(word) ?? 0, word.weight * (place < text ? 1 + (IN_HEADING - 1) * heading : 1)));
      }
      const score = [...best.values()].reduce((sum, one) => sum + one, 0) * (1 + 0.1 * Math.log(1 + inside.length));
      return {
        url: i ? Object.assign(new URL(url), { hash: anchors[i - 1].id }).href : url,
        title: titles[i],
        score,
        excerpt: excerptOf(content, marked, text, end),
      };
    });
  }
}

/** Words as pieces, `{ text, hit }`, in which each form of a known word is a hit. */
function markWords(title, known) {
  return joined(title.map((word) => ({ text: word, hit: known.some((one) => isForm(word, one)) })));
}

/** The stretch of a section with the most different words that were looked for. */
function excerptOf(content, marked, begin, end) {
  const places = [...marked.keys()].filter((place) => place >= begin && place < end).sort((a, b) => a - b);
  const value = (first) => {
    const there = new Set(places.filter((place) => place >= first && place < first + EXCERPT - BEFORE).map((place) => marked.get(place)));
    return [...there].reduce((sum, word) => sum + word.weight, 0);
  };
  const first = places.reduce((best, place) => (value(place) > value(best) ? place : best), places[0] ?? begin);
  const start = Math.max(begin, Math.min(first - BEFORE, end - EXCERPT));
  const stop = Math.min(start + EXCERPT, end);
  const pieces = content.slice(start, stop).map((text, i) => ({ text, hit: marked.has(start + i) }));
  if (start > begin) pieces.unshift({ text: "…", hit: false });
  if (stop < end) pieces.push({ text: "…", hit: false });
  return joined(pieces);
}

/** Neighbours of one kind as one piece. */
function joined(pieces) {
  const result = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last && !last.hit && !piece.hit) last.text += ` ${piece.text}`;
    else result.push({ ...piece });
  }
  return result;
}
