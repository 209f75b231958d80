// Python, off the page's thread: loads what a cell needs from this site, runs the cell, tells how far it is.
const CACHE = "decision-aligned-python @LOCK@", // the build puts the lock file's digest here
  SIZES = "@SIZES@", // and the bytes of each file here, by name
  from = self.base;
importScripts(`${from}py/pyodide.js`);
let tell = () => {},
  ready = null,
  fetched = 0,
  expected = 0,
  began = 0;

// What Python itself fetches is counted, and kept for the next page where the browser lets it; a device that stores
// nothing, or has no room, fetches again the next time. The names carry the version.
const plain = self.fetch.bind(self),
  store = self.caches ? caches.open(CACHE).catch(() => null) : Promise.resolve(null);
self.fetch = async (address, options) => {
  const url = address.url ?? String(address),
    shelf = url.startsWith(`${from}py/`) ? await store : null,
    kept = await shelf?.match(url).catch(() => null);
  if (kept) return kept;
  const answer = await plain(address, options);
  if (!answer.ok) return answer;
  shelf?.put(url, answer.clone()).catch(() => {});
  expected += SIZES[url.split("/").pop()] ?? 0;
  began ||= performance.now();
  const counted = new TransformStream({
    transform(piece, to) {
      fetched += piece.length;
      tell({note: `Fetching Python, once: ${far()}`});
      to.enqueue(piece);
    }
  });
  return new Response(answer.body.pipeThrough(counted), answer);
};

function far() {
  const [got, all] = [fetched, Math.max(fetched, expected)].map((bytes) => (bytes / 1e6).toFixed(0)),
    left = ((performance.now() - began) / 1e3) * (expected / fetched - 1);
  return `${got} of ${all} MB${left > 2 ? `, about ${left.toFixed(0)} s more` : ""}`;
}

async function boot() {
  for (const name of await (self.caches?.keys() ?? Promise.resolve([])).catch(() => []))
    if (name.startsWith("decision-aligned-python") && name !== CACHE) caches.delete(name).catch(() => {});
  tell({note: "Fetching Python, once"});
  const part = new Map(); // on their way while Python starts
  for (const name of ["site.json", "pwu_lite.zip", "drawing.py", "mathml.py", "cell.py"])
    part.set(name, plain(from + name));
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
    const lost = [];
    if (others.length)
      await py.loadPackage(
        Object.keys(site.packages).filter((one) => site.packages[one].imports.some((name) => others.includes(name))),
        {messageCallback: () => {}, errorCallback: (words) => lost.push(words)}
      );
    if (lost.length) throw new Error(lost[0]); // the next job starts a Python that has all of them
    for (const name of [...own, ...others]) here.add(name);
    return own.length + others.length > 0;
  };
  const write = (name, bytes) => {
    const path = `${py.FS.cwd()}/${name}`;
    py.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    py.FS.writeFile(path, bytes);
  };
  return {cell, load, write};
}

// Each message is answered before the next one is looked at; one that only warms has no answer but its words.
let last = Promise.resolve();
self.onmessage = ({data}) => (last = last.then(() => serve(data)));

async function serve({id, code, name, forget, files = [], alone = false, warm = false}) {
  tell = (words) => postMessage({id, ...words});
  try {
    const {cell, load, write} = await (ready ??= boot());
    for (const part of warm ? code : [code]) while (await load(JSON.parse(cell.needs(part))));
    if (warm) return;
    for (const file of files) write(file.name, new Uint8Array(file.bytes));
    if (forget) cell.forget();
    tell({note: ""});
    let found = JSON.parse(await cell.run(code, name, alone));
    while (found.error?.module && (await load([found.error.module.split(".")[0]])))
      // imported inside a function
      found = JSON.parse(await cell.run(code, name, alone));
    tell({found});
  } catch (error) {
    ready = null;
    if (!warm) tell({failed: String(error.message ?? error).slice(-400)});
  }
}
