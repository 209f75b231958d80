// What the search of a built site finds: for each query the first three pages, as JSON.
//
// Usage: node tools/checks/search.mjs SITE QUERY...
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [site, ...queries] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(site, name), "utf8");
const context = vm.createContext({URLSearchParams});
vm.runInContext(`${read("_static/language_data.js")}\n${read("searchindex.js")}`, context);
const first = (query) => vm.runInContext(`rank(${JSON.stringify(query)}, INDEX).slice(0, 3)`, context);
console.log(JSON.stringify(queries.map((query) => first(query).map((found) => found[0].split("#")[0]))));
