// Runs the cells of built notebooks in node, by the page's own worker: one line of JSON a cell, added to RESULTS.
//
// Usage: node tools/live/pages.mjs SITE RESULTS NOTEBOOK... (one that ends in .py is run as it is)
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import {createRequire} from "node:module";
import {fileURLToPath, pathToFileURL} from "node:url";

const [site, results, ...files] = process.argv.slice(2),
  live = path.resolve(site, "_static/live") + path.sep,
  read = (address) => fs.readFileSync(fileURLToPath(address));
globalThis.require = createRequire(import.meta.url);
const {loadPyodide} = await import(pathToFileURL(`${live}py/pyodide.mjs`));

// What a browser gives to the worker.
let answered = null;
Object.assign(globalThis, {
  self: globalThis,
  base: pathToFileURL(live).href,
  importScripts: () => {},
  fetch: async (address) => new Response(read(address)),
  postMessage: (said) => said.note === undefined && answered(said),
  loadPyodide: async (options) => {
    const py = await loadPyodide({...options, indexURL: `${live}py${path.sep}`});
    py.FS.createLazyFile = (folder, name, address) => py.FS.writeFile(`${folder}/${name}`, read(address));
    return py;
  }
});
vm.runInThisContext(fs.readFileSync(`${live}worker.js`, "utf8"));

for (const notebook of files) {
  const text = fs.readFileSync(notebook, "utf8"),
    whole = {cell_type: "code", source: text, metadata: {}},
    cells = notebook.endsWith(".py") ? [whole] : JSON.parse(text).cells.filter(({cell_type}) => cell_type === "code");
  for (const [place, {source, metadata}] of cells.entries()) {
    if (metadata.tags?.includes("static")) continue;
    const job = {id: 1, code: [].concat(source).join(""), name: `<cell ${place + 1}>`, forget: place === 0},
      started = performance.now();
    const {found, failed} = await new Promise((done) => {
      answered = done;
      onmessage({data: job});
    });
    if (failed) throw new Error(`${notebook}, cell ${place + 1}: ${failed}`);
    const row = {notebook, place, ...found, seconds: (performance.now() - started) / 1e3};
    fs.appendFileSync(results, `${JSON.stringify(row)}\n`);
  }
}
process.exit(0);
