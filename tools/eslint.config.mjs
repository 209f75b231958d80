import js from "@eslint/js";
import globals from "globals";

const page = {...globals.browser, ...globals.worker, find: "off", loadPyodide: "readonly", INDEX: "readonly",
  Stemmer: "readonly", stopwords: "readonly", useMode: "readonly", machineIsDark: "readonly"};
export default [js.configs.recommended, {files: ["**/*.js"], languageOptions: {sourceType: "script", globals: page}},
  {files: ["**/*.mjs"], languageOptions: {globals: {...globals.node, onmessage: "readonly"}}}];
