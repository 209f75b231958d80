// What the search of a built site finds: for each query the first three pages, as JSON.
//
// Usage: node tools/checks/search.mjs SITE QUERY...
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [site, ...queries] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(site, name), "utf8");
const context = vm.createContext({Search: {setIndex: (index) => (context.index = index)}});
vm.runInContext(`${read("_static/language_data.js")}\n${read("searchindex.js")}\nthis.rank = rank;`, context);
const first = (query) => context.rank(query, context.index).slice(0, 3);
console.log(JSON.stringify(queries.map((query) => first(query).map((found) => found[0].split("#")[0]))));
