// Python, off the page's thread: loads what a cell needs from this site, runs the cell, tells how far it is.
const CACHE = "decision-aligned-python @LOCK@", // the build puts the lock file's digest here
  from = self.base;
importScripts(`${from}py/pyodide.js`);
let tell = () => {},
  ready = null,
  fetched = 0;

// What Python itself fetches is counted, and kept for the next page; the names carry the version.
const plain = self.fetch.bind(self);
self.fetch = async (address, options) => {
  const url = address.url ?? String(address),
    keep = url.startsWith(`${from}py/`) && self.caches,
    kept = keep && (await (await caches.open(CACHE)).match(url));
  if (kept) return kept;
  const answer = await plain(address, options);
  if (keep && answer.ok) (await caches.open(CACHE)).put(url, answer.clone()).catch(() => {}); // a full disk
  const counted = new TransformStream({
    transform(piece, to) {
      fetched += piece.length;
      tell({note: `Fetching Python, once: ${(fetched / 1e6).toFixed(0)} MB`});
      to.enqueue(piece);
    }
  });
  return new Response(answer.body.pipeThrough(counted), answer);
};

async function boot() {
  for (const name of self.caches ? await caches.keys() : [])
    if (name.startsWith("decision-aligned-python") && name !== CACHE) await caches.delete(name);
  tell({note: "Fetching Python, once"});
  const parts = ["site.json", "pwu_lite.zip", "drawing.py", "mathml.py", "cell.py"].map((name) => [
      name,
      plain(from + name)
    ]),
    part = new Map(parts); // on their way while Python starts
  const py = await loadPyodide({indexURL: `${from}py/`, env: {MPLBACKEND: "agg", HOME: "/home/pyodide"}});
  const site = await (await part.get("site.json")).json();
  const names = new Set(Object.values(site.packages).flatMap((one) => one.imports));
  const folder = py.runPython("next(f for f in __import__('sys').path if f.endswith('site-packages'))");
  const unpack = async (name) => {
    const archive = await (part.get(`${name}.zip`) ?? plain(`${from}${name}.zip`));
    py.unpackArchive(await archive.arrayBuffer(), "zip", {extractDir: folder});
    if (name !== "pwu_book") return;
    for (const table of site.tables)
      py.FS.createLazyFile(`${folder}/pwu_book/tables`, table, `${from}tables/${table}.bin`, true, false);
  };
  for (const name of ["drawing.py", "mathml.py", "cell.py"])
    py.FS.writeFile(`${folder}/${name}`, await (await part.get(name)).text());
  await unpack("pwu_lite");
  const cell = py.pyimport("cell"),
    here = new Set(["pwu_lite"]);
  // Modules that are not there yet: of ours, then of others, until nothing is asked for.
  const load = async (modules) => {
    const own = ["pwu_desk", "pwu_book"].filter((name) => modules.includes(name) && !here.has(name)),
      others = modules.filter((name) => names.has(name) && !here.has(name));
    for (const name of own) await unpack(name);
    if (others.length)
      await py.loadPackage(
        Object.keys(site.packages).filter((one) => site.packages[one].imports.some((name) => others.includes(name))),
        {messageCallback: () => {}}
      );
    for (const name of [...own, ...others]) here.add(name);
    return own.length + others.length > 0;
  };
  return {cell, load, write: (name, bytes) => py.FS.writeFile(name, bytes)};
}

self.onmessage = async ({data: {id, code, name, forget, files = [], alone = false}}) => {
  tell = (words) => postMessage({id, ...words});
  try {
    const {cell, load, write} = await (ready ??= boot());
    for (const file of files) write(file.name, new Uint8Array(file.bytes));
    if (forget) cell.forget();
    while (await load(JSON.parse(cell.needs(code))));
    tell({note: ""});
    let found = JSON.parse(await cell.run(code, name, alone));
    while (found.error?.module && (await load([found.error.module.split(".")[0]])))
      // imported inside a function
      found = JSON.parse(await cell.run(code, name, alone));
    tell({found});
  } catch (error) {
    ready = null;
    tell({failed: String(error.message ?? error).slice(-400)});
  }
};
