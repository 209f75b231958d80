import js from "@eslint/js";
import globals from "globals";

const rules = {
  "no-control-regex": "off" // a file's unseen characters are looked for on purpose
};

export default [
  js.configs.recommended,
  {languageOptions: {sourceType: "script", globals: {...globals.browser, ...globals.worker, find: "off", loadPyodide: "readonly",
    Search: "readonly", Stemmer: "readonly", stopwords: "readonly", _displayNextItem: "readonly"}}, rules}
];
