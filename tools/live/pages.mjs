// Runs the cells of built notebooks as a page does, in node: one line of JSON a cell, added to the file RESULTS.
//
// Usage: node tools/live/pages.mjs SITE RESULTS NOTEBOOK...
import fs from "node:fs";
import path from "node:path";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const [site, results, ...notebooks] = process.argv.slice(2),
  live = path.resolve(site, "_static/live");
const {loadPyodide} = await import(pathToFileURL(path.join(live, "py/pyodide.mjs")));
globalThis.require = createRequire(import.meta.url);
const {packages, tables} = JSON.parse(fs.readFileSync(path.join(live, "site.json"), "utf8"));

const say = (words) => fs.appendFileSync(results, `${JSON.stringify(words)}\n`);
const bytes = (name) => new Uint8Array(fs.readFileSync(path.join(live, name)));

async function start() {
  const py = await loadPyodide({
    indexURL: path.join(live, "py") + path.sep,
    env: {MPLBACKEND: "agg", HOME: "/home/pyodide"}
  });
  const folder = py.runPython("next(f for f in __import__('sys').path if f.endswith('site-packages'))");
  for (const name of ["pwu_lite", "pwu_desk", "pwu_book"])
    py.unpackArchive(bytes(`${name}.zip`), "zip", {extractDir: folder});
  for (const name of tables) py.FS.writeFile(`${folder}/pwu_book/tables/${name}`, bytes(`tables/${name}.bin`));
  for (const name of ["drawing.py", "mathml.py", "cell.py"]) py.FS.writeFile(`${folder}/${name}`, bytes(name));
  const cell = py.pyimport("cell"),
    here = new Set();
  const load = async (modules) => {
    const wanted = Object.keys(packages).filter((one) =>
      packages[one].imports.some((name) => modules.includes(name) && !here.has(name))
    );
    for (const name of wanted.flatMap((one) => packages[one].imports)) here.add(name);
    if (wanted.length) await py.loadPackage(wanted, {messageCallback: () => {}});
    return wanted.length > 0;
  };
  return {py, cell, load};
}

const {py, cell, load} = await start();
for (const notebook of notebooks) {
  cell.forget();
  const cells = JSON.parse(fs.readFileSync(notebook, "utf8")).cells.filter(({cell_type}) => cell_type === "code");
  for (const [place, {source, metadata}] of cells.entries()) {
    if (metadata.tags?.includes("static")) continue;
    const code = [].concat(source).join(""),
      started = performance.now();
    await load(JSON.parse(cell.needs(code)));
    let found = JSON.parse(await cell.run(code, `<cell ${place + 1}>`));
    while (found.error?.module && (await load([found.error.module.split(".")[0]])))
      found = JSON.parse(await cell.run(code, `<cell ${place + 1}>`));
    say({notebook, place, ...found, seconds: (performance.now() - started) / 1e3});
  }
}
if (process.env.PWU_DOCTESTS) {
  await load(["numpy", "scipy", "pandas", "matplotlib", "sympy", "sklearn"]);
  say({
    doctests: JSON.parse(
      py.runPython(`
import contextlib, doctest, importlib, io, json, pkgutil, pwu_desk, pwu_lite
count, failed = 0, []
for found in [*pkgutil.walk_packages(pwu_lite.__path__, "pwu_lite."), *pkgutil.walk_packages(pwu_desk.__path__, "pwu_desk.")]:
    if not found.name.endswith("__main__"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = doctest.testmod(importlib.import_module(found.name))
        count += result.attempted
        failed += [f"{found.name}: {said.getvalue()[-1500:]}"] if result.failed else []
json.dumps({"count": count, "failed": failed})`)
    )
  });
}
process.exit(0);
