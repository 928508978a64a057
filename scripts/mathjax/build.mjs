// Writes bundle/ from the packages of package.json; see README.md. Needed only when MathJax or entry.mjs changes.
import { createHash } from 'crypto';
import fs from 'fs';
import path from 'path';
import esbuild from 'esbuild';

const PACKAGES = path.resolve('node_modules');
const FONT = path.join(PACKAGES, '@mathjax/mathjax-newcm-font/mjs');
const OUT = path.resolve('bundle');

const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGES, '@mathjax/src/package.json'), 'utf8'));
const banner = `/*! MathJax ${version}, Copyright The MathJax Consortium, Apache License 2.0; see LICENSE and LICENSE-FONT.md. */`;

// Font files of scripts that no formula of this course is written in.
const LEFT_OUT = new Set(['PUA', 'arabic', 'braille', 'braille-d', 'cherokee', 'devanagari', 'hebrew', 'phonetics', 'phonetics-ss']);
// Of the other files these characters stay: Latin with its accents, Greek, Cyrillic, punctuation, symbols, math letters.
const KEPT = [[0x20, 0x17f], [0x2b0, 0x45f], [0x2000, 0x2bff], [0x1d400, 0x1d7ff]];

// MathJax's sources import each other by names like #js/…, which its own package.json maps.
const imports = [['#js/', '@mathjax/src/mjs/'], ['#default-font/', '@mathjax/mathjax-newcm-font/mjs/'], ['#mhchem/', 'mhchemparser/esm/']];
const mathjaxImports = {
  name: 'mathjax-imports',
  setup(build) {
    build.onResolve({ filter: /^#/ }, ({ path: name }) => {
      const found = imports.find(([prefix]) => name.startsWith(prefix));
      return found && { path: path.join(PACKAGES, found[1], name.slice(found[0].length)) };
    });
  },
};

async function buildCore() {
  const { outputFiles } = await esbuild.build({
    entryPoints: ['entry.mjs'], bundle: true, minify: true, format: 'iife', target: 'es2020', legalComments: 'eof', write: false,
    define: { __dirname: '""' }, plugins: [mathjaxImports],
    banner: { js: `${banner}\nObject.hasOwn??=(o,k)=>Object.prototype.hasOwnProperty.call(o,k);` },
  });
  return outputFiles[0].text;
}

// What a font file registers: [extension, name, variants, delimiters].
async function readFontFile(file) {
  const register = {
    name: 'register',
    setup(build) {
      build.onResolve({ filter: /\/svg\.js$/ }, () => ({ path: 'font', namespace: 'register' }));
      build.onLoad({ filter: /.*/, namespace: 'register' }, () => ({ contents: 'export const MathJaxNewcmFont = { dynamicSetup: (...all) => registered.push(all) };' }));
    },
  };
  const { outputFiles } = await esbuild.build({ entryPoints: [file], bundle: true, format: 'iife', write: false, plugins: [register, mathjaxImports] });
  const registered = [];
  new Function('registered', outputFiles[0].text)(registered);
  return registered[0];
}

async function buildFont(name) {
  const [extension, file, variants, delimiters = {}] = await readFontFile(path.join(FONT, 'svg/dynamic', `${name}.js`));
  const kept = {};
  for (const [variant, characters] of Object.entries(variants)) {
    const some = Object.entries(characters).filter(([code]) => KEPT.some(([first, last]) => first <= +code && +code <= last));
    if (some.length) kept[variant] = Object.fromEntries(some);
  }
  if (!Object.keys(kept).length && !Object.keys(delimiters).length) return null;
  const call = `MathJaxFont.dynamicSetup(${[extension, file, kept, delimiters].map((part) => JSON.stringify(part)).join(',')});`;
  return `${banner}\n${(await esbuild.transform(call, { minify: true })).code}`;
}

const files = { 'core.js': await buildCore() };
const fonts = fs.readdirSync(path.join(FONT, 'svg/dynamic')).filter((name) => name.endsWith('.js')).map((name) => name.slice(0, -3));
for (const name of fonts.filter((name) => !LEFT_OUT.has(name)).sort()) {
  const text = await buildFont(name);
  if (text) files[`font/${name}.js`] = text;
}

fs.rmSync(OUT, { recursive: true, force: true });
fs.mkdirSync(path.join(OUT, 'font'), { recursive: true });
const sha256 = {};
for (const [name, text] of Object.entries(files)) {
  fs.writeFileSync(path.join(OUT, name), text);
  sha256[name] = createHash('sha256').update(text).digest('hex');
}
fs.writeFileSync(path.join(OUT, 'manifest.json'), `${JSON.stringify({ mathjax: version, sha256 }, null, 1)}\n`);
