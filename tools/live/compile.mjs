// Python's own compiler, in node: each wheel and the standard library with bytecode in place of source.
//
// Usage: node tools/live/compile.mjs FOLDER LOCK TARGET NAME...     (called by fetch.py)
import fs from "node:fs";
import path from "node:path";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const [folder, lock, target, ...names] = process.argv.slice(2),
  from = path.resolve(folder);
globalThis.require = createRequire(import.meta.url);
const {loadPyodide} = await import(pathToFileURL(path.join(from, "pyodide.mjs")));
const py = await loadPyodide({
  indexURL: from + path.sep,
  lockFileURL: path.resolve(lock),
  env: {PYTHONHASHSEED: "0"} // the same bytes each time
});
py.runPython(fs.readFileSync(new URL("archive.py", import.meta.url), "utf8"));
for (const name of names) {
  py.FS.writeFile("/tmp/old", new Uint8Array(fs.readFileSync(path.join(from, name))));
  py.runPython('compile_archive("/tmp/old", "/tmp/new")');
  fs.writeFileSync(path.join(target, name), py.FS.readFile("/tmp/new"));
}
process.exit(0);
