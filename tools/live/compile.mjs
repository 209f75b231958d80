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
py.runPython(`
import importlib.util, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

def compile_archive(old, new):
    """Write the archive anew: tests are left out, a module's source becomes its bytecode, which is never stale."""
    with zipfile.ZipFile(old) as given, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as made:
        for name in given.namelist():
            body = given.read(name)
            if "/tests/" in name or name.endswith("/"):
                continue
            if name.endswith(".py"):
                code = compile(body, name, "exec", dont_inherit=True)
                body, name = _code_to_hash_pyc(code, importlib.util.source_hash(body), False), f"{name}c"
            made.writestr(zipfile.ZipInfo(name), body, zipfile.ZIP_DEFLATED)
`);
for (const name of names) {
  py.FS.writeFile("/tmp/old", new Uint8Array(fs.readFileSync(path.join(from, name))));
  py.runPython('compile_archive("/tmp/old", "/tmp/new")');
  fs.writeFileSync(path.join(target, name), py.FS.readFile("/tmp/new"));
}
process.exit(0);
