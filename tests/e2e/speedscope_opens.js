// speedscope_opens.js FOLDER FILE: opens a profile in the speedscope application, the npm package in FOLDER, and prints as
// JSON what it then shows. There is no screen: what draws is told that it has drawn.
const fs = require('fs'), os = require('os'), path = require('path');

const [folder, file] = process.argv.slice(2);
const { JSDOM, VirtualConsole } = require(path.join(folder, 'node_modules', 'jsdom'));
const app = path.join(folder, 'node_modules', 'speedscope', 'dist', 'release');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'speedscope-'));
const loader = path.join(scratch, 'load.js');
const name = JSON.stringify(path.basename(file));
fs.writeFileSync(loader, `speedscope.loadFileFromBase64(${name}, "${fs.readFileSync(file).toString('base64')}")`);

const problems = [];
const told = new VirtualConsole();
told.on('error', (...words) => problems.push(words.map(String).join(' ')));
process.on('unhandledRejection', error => problems.push(String(error).slice(0, 200)));

const nothing = () => undefined;
const noContext = new Proxy({}, {
  get: (_, key) => {
    if (key === 'getShaderParameter' || key === 'getProgramParameter') return () => 1;
    if (key === 'getActiveUniform' || key === 'getActiveAttrib') return () => null;
    if (key === 'measureText') return text => ({ width: 6 * text.length });
    if (key === 'canvas') return { width: 1, height: 1 };
    if (/^[A-Z_0-9]+$/.test(String(key))) return 36053;  // every constant; also what a complete frame buffer is
    return () => (String(key) === 'checkFramebufferStatus' ? 36053 : {});
  },
  set: () => true,
});

function prepare(window) {
  window.Element.prototype.scrollIntoView = nothing;
  Object.assign(window, { TextDecoder, TextEncoder, alert: text => problems.push(text) });
  window.matchMedia = () => ({ matches: false, addListener: nothing, removeListener: nothing, addEventListener: nothing, removeEventListener: nothing });
  window.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} };
  Object.defineProperty(window, 'localStorage', { value: { getItem: () => null, setItem: nothing, removeItem: nothing } });
  window.HTMLCanvasElement.prototype.getContext = () => noContext;
}

function look(window, began) {
  const { title, body } = window.document;
  if (title === 'speedscope' && problems.length === 0 && Date.now() - began < 20000) return setTimeout(look, 100, window, began);
  setTimeout(() => {
    console.log(JSON.stringify({ title: window.document.title, text: body.textContent.replace(/\s+/g, ' '), problems }));
    fs.rmSync(scratch, { recursive: true });
    process.exit(0);
  }, 300);
}

JSDOM.fromFile(path.join(app, 'index.html'), {
  url: `file://${app}/index.html#localProfilePath=${loader}`,
  runScripts: 'dangerously', resources: 'usable', pretendToBeVisual: true, virtualConsole: told, beforeParse: prepare,
}).then(dom => look(dom.window, Date.now()));
