// MathJax for an embedded JavaScript engine: TeX in, HTML (SVG and MathML) out. No DOM, no timers, no files.
// The engine calls drawFormulas(); font files come in as separate scripts, evaluated when a formula needs them.
import { mathjax } from '#js/mathjax.js';
import { TeX } from '#js/input/tex.js';
import { SVG } from '#js/output/svg.js';
import { liteAdaptor } from '#js/adaptors/liteAdaptor.js';
import { RegisterHTMLHandler } from '#js/handlers/html.js';
import { SerializedMmlVisitor } from '#js/core/MmlTree/SerializedMmlVisitor.js';
import { STATE } from '#js/core/MathItem.js';
import '#js/input/tex/base/BaseConfiguration.js';
import '#js/input/tex/ams/AmsConfiguration.js';
import '#js/input/tex/boldsymbol/BoldsymbolConfiguration.js';
import '#js/input/tex/color/ColorConfiguration.js';
import '#js/input/tex/mathtools/MathtoolsConfiguration.js';
import '#js/input/tex/cancel/CancelConfiguration.js';
import '#js/input/tex/html/HtmlConfiguration.js';
import '#js/input/tex/configmacros/ConfigMacrosConfiguration.js';
import '#js/input/tex/textmacros/TextMacrosConfiguration.js';
import { MathJaxNewcmFont as Font } from '@mathjax/mathjax-newcm-font/mjs/svg.js';

const PACKAGES = ['base', 'ams', 'boldsymbol', 'color', 'mathtools', 'cancel', 'html', 'configmacros', 'textmacros'];
const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);

// ---- Fonts -----------------------------------------------------------------------------------------------------------
// MathJax loads a font file on the first use of one of its characters. Here it asks the caller for the file and starts the
// formula again. A file that the bundle lacks must not be asked for twice: MathJax would recurse until the stack is gone.
class FontNeeded extends Error { constructor(file) { super(file); this.file = file; } }
mathjax.asyncIsSynchronous = true;
mathjax.asyncLoad = () => {};
Font.prototype.loadDynamicFileSync = function (dynamic) {
  if (!dynamic.promise) throw new FontNeeded(dynamic.file);
};
globalThis.MathJaxFont = Font;                              // the font files register themselves here
globalThis.fontLoaded = (file) => {                         // or there is no such file: then its characters have no glyph
  const dynamic = Font.dynamicFiles[file];
  dynamic.promise = Promise.resolve();
  dynamic.setup(svg.font);
};

// ---- What a formula becomes ------------------------------------------------------------------------------------------
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => entities[c]);

// MathML on one line, with plain characters, without MathJax's private attributes and the namespace (HTML knows it).
class Mathml extends SerializedMmlVisitor {
  visitInferredMrowNode(node) { return this.childNodeMml(node, '', ''); }
  visitDefault(node) {
    const kind = this.getKind(node);
    return `<${kind}${this.getAttributes(node)}>${this.childNodeMml(node, '', '')}</${kind}>`;
  }
  getDataAttributes() { return {}; }
  getAttributes(node) {
    let text = '';
    const list = this.getAttributeList(node);
    for (const name of Object.keys(list)) if (name !== 'xmlns' && !name.startsWith('data-')) text += ` ${name}="${escape(list[name])}"`;
    return text;
  }
  quoteHTML(value) { return escape(value); }
}
const visitor = new Mathml();

// The SVG without what only MathJax itself uses, and without the groups that then do nothing.
const PRIVATE = new Set(['jax', 'overflow', 'data-mml-node', 'data-latex', 'data-c', 'data-mjx-texclass', 'focusable', 'role', 'xmlns', 'xmlns:xlink']);
function serialize(node) {
  if (node.kind === '#text') return escape(node.value);
  if (node.kind === '#comment') return '';
  let attributes = node.kind === 'svg' ? ' aria-hidden="true"' : '';
  for (const name of Object.keys(node.attributes)) if (!PRIVATE.has(name)) attributes += ` ${name}="${escape(node.attributes[name])}"`;
  let inner = '';
  for (const child of node.children) inner += serialize(child);
  if (node.kind === 'g' && (!inner || !attributes)) return inner;
  return inner || node.kind.startsWith('mjx-') ? `<${node.kind}${attributes}>${inner}</${node.kind}>` : `<${node.kind}${attributes}/>`;
}

// ---- The one document ------------------------------------------------------------------------------------------------
let tex, svg, doc;
globalThis.openDocument = (json) => {
  const { macros } = JSON.parse(json);
  tex = new TeX({
    packages: PACKAGES, macros, maxBuffer: 20000, formatError: (_jax, error) => { throw error; },
    numberPattern: /^(?:[0-9]+(?:(?:\{,\}|\.)[0-9]+)?|\.[0-9]+)/,             // 0{,}25 is one number: <mn>0,25</mn>
  });
  svg = new SVG({ fontCache: 'none', fontData: Font, mtextInheritFont: false, linebreaks: { inline: true }, displayOverflow: 'overflow' });
  doc = mathjax.document('', { InputJax: tex, OutputJax: svg });
  return mathjax.version;
};

const SHORT = 24;                                           // ex, half of a phone's line: such a formula is not broken
const lengthInEx = (node) => node.children.reduce((sum, { kind, attributes }) => sum + (kind === 'svg' ? parseFloat(attributes.width) : 0), 0);

function draw(source, display, copied) {
  tex.reset();                                              // equation numbers and labels stay inside their formula
  const item = new doc.options.MathItem(source, tex, display);
  item.start.node = adaptor.body(doc.document);
  item.setMetrics(16, 8, 640, 1);
  item.convert(doc, STATE.CONVERT);                         // parse once: the tree serves MathML and SVG
  const mathml = visitor.visitTree(item.root);
  const node = svg.typeset(item, doc);
  // Text for which the font has no glyph would be drawn in the reader's font, with a guessed width.
  const missing = adaptor.tags(node, 'text').map((text) => adaptor.textContent(text)).join('');
  if (missing) return { error: 'NoGlyph', words: [missing] };
  delete node.attributes.class;
  if (!display && lengthInEx(node) < SHORT) node.attributes.class = 'mjx-whole';
  node.attributes['data-tex'] = copied.replace(/\s+/g, ' ');
  node.children.push(adaptor.node('mjx-assistive-mml'));
  const html = serialize(node);
  const end = '</mjx-assistive-mml></mjx-container>';
  return { html: html.slice(0, -end.length) + mathml + end };
}

// The commands that formulas may use, for "did you mean".
globalThis.commandNames = () => {
  const commands = tex.parseOptions.handlers.get('macro');
  return JSON.stringify(commands.toString().split(', ').flatMap((name) => [...(commands.retrieve(name).map?.keys() ?? [])]));
};

// Draws until a font file is missing or something crashes. The caller evaluates the file and says fontLoaded(), or opens
// a new document, and calls again with what is left.
globalThis.drawFormulas = (json) => {
  const drawn = [];
  for (const [source, display, copied] of JSON.parse(json)) {
    try {
      drawn.push(draw(source, display, copied));
    } catch (error) {
      if (error instanceof FontNeeded) return JSON.stringify({ drawn, font: error.file });
      const parser = tex.parseOptions.parser;
      drawn.push({ error: error.id ?? 'Crash', message: error.message ?? String(error), near: parser ? parser.string.slice(0, parser.i) : '' });
      if (!error.id) return JSON.stringify({ drawn, crashed: true });
    }
  }
  return JSON.stringify({ drawn });
};
