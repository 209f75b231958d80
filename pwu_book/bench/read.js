// A table from the bytes of a CSV file, as people have them; what cannot be read is named with its line. The rules
// are those of pwu_lite.app.files.
const MOST_ROWS = RULES.most_rows_page;
// Control characters, marks of direction and other characters that are not seen.
const HIDDEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]"
);
const DELIMITERS = [",", ";", "\t", "|"],
  SAID = {"\t": "tab"};
const NOTHING = new Set([
  "",
  "#N/A",
  "#N/A N/A",
  "#NA",
  "-1.#IND",
  "-1.#QNAN",
  "-NaN",
  "-nan",
  "1.#IND",
  "1.#QNAN",
  "<NA>",
  "N/A",
  "NA",
  "NULL",
  "NaN",
  "None",
  "n/a",
  "nan",
  "null"
]);
const PLAIN = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/,
  ENDLESS = /^[-+]?inf(inity)?$/i;
const TOO_MANY =
  `more than ${MOST_ROWS.toLocaleString("en")} rows are too many for this page: use python -m pwu_lite compare ` +
  "(it takes the same file), or a random sample of the rows";

function decode(bytes) {
  const mark = bytes.length > 1 ? (bytes[0] << 8) | bytes[1] : 0;
  if (mark === 0xfffe || mark === 0xfeff)
    return new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

// Fields of the text, row by row: calls `row(fields, line)`; quotes may hold delimiters and line ends.
function splitRows(text, delimiter, row) {
  const size = text.length,
    mark = delimiter.charCodeAt(0);
  let at = 0,
    line = 1;
  while (at < size) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = size;
    const stop = end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    const whole = text.slice(at, stop);
    if (!whole.includes('"')) {
      if (whole.trim() && row(whole.split(delimiter), line) === false) return;
      at = end + 1;
      line += 1;
      continue;
    }
    const fields = [],
      first = line;
    let done = false;
    while (!done) {
      while (text[at] === " ") at += 1;
      let field = "";
      if (text[at] === '"') {
        for (at += 1; ; at += 2) {
          const close = text.indexOf('"', at);
          if (close < 0) throw Error(`line ${first}: a quote is opened and never closed`);
          field += text.slice(at, close);
          at = close;
          if (text[close + 1] !== '"') break;
          field += '"';
        }
        line += field.split("\n").length - 1;
        at += 1;
      }
      let next = at;
      while (next < size && text.charCodeAt(next) !== mark && text.charCodeAt(next) !== 10) next += 1;
      fields.push(field + text.slice(at, next).replace(/\r$/, ""));
      done = next >= size || text.charCodeAt(next) === 10;
      at = next + 1;
    }
    line += 1;
    if (row(fields, first) === false) return;
  }
}

// {names, columns: one array of texts a column, lines: the line of each row}.
function readTable(bytes) {
  const head4 = String.fromCharCode(...bytes.subarray(0, 4));
  if (head4.startsWith("PK")) throw Error("this is an Excel or zip file: save the sheet as CSV");
  if (head4.startsWith("\x1f\x8b"))
    throw Error("this is a packed file (gzip): unpack it; python -m pwu_lite compare reads it as it is");
  if (head4 === "PAR1")
    throw Error("this is a Parquet file: python -m pwu_lite compare reads it, or save the table as CSV");
  const text = decode(bytes).replace(/^\uFEFF/, "");
  if (!text.trim()) throw Error("the file is empty");
  if (text.includes("\0")) throw Error("this is not a text file: save the table as CSV");
  const body = text.includes("\n") ? text : text.replace(/\r/g, "\n");
  const start = body.length - body.trimStart().length,
    stop = body.indexOf("\n", start);
  if ((stop < 0 ? body.length : stop) > RULES.most_first_line) {
    throw Error(
      `the first line is longer than ${RULES.most_first_line.toLocaleString("en")} characters: is this a table with ` +
        `one row per line?`
    );
  }
  const head = body
    .split("\n", 50)
    .find((one) => one.trim())
    .replace(/"[^"]*"/g, "");
  const count = (mark) => head.split(mark).length - 1;
  const delimiter = DELIMITERS.reduce((best, mark) => (count(mark) > count(best) ? mark : best));
  let names = null;
  const columns = [],
    lines = [];
  splitRows(body, delimiter, (fields, line) => {
    if (!names) {
      names = checkNames(fields.map((field) => field.trim()));
      while (columns.length < names.length) columns.push([]);
      return true;
    }
    if (fields.length > names.length) {
      const trailing = fields.length === names.length + 1 && !fields[names.length].trim();
      throw Error(
        trailing
          ? `line ${line} ends with a ${SAID[delimiter] || `“${delimiter}”`} too many: remove it, or name the column`
          : `line ${line} has ${fields.length} fields, the header has ${names.length}: a comma inside a number or a ` +
              `name needs quotes`
      );
    }
    if (lines.length === MOST_ROWS) throw Error(`line ${line}: ${TOO_MANY}`);
    for (let k = 0; k < names.length; k++) columns[k].push(k < fields.length ? fields[k].trimStart() : "");
    lines.push(line);
    return true;
  });
  if (!lines.length) throw Error("the file has a header and no rows");
  return {names, columns, lines, delimiter};
}

function checkNames(names) {
  if (names.length > RULES.most_columns) {
    throw Error(
      `the table has ${names.length.toLocaleString("en")} columns, more than ` +
        `${RULES.most_columns.toLocaleString("en")}: keep the outcome, the forecasts, weights and groups`
    );
  }
  const seen = new Set();
  names.forEach((name, k) => {
    if (name.length > RULES.most_name)
      throw Error(
        `the name of column ${k + 1} has ${name.length.toLocaleString("en")} characters: give it a short one`
      );
    if (HIDDEN.test(name))
      throw Error(`the name of column ${k + 1} holds a line end or another character that is not seen: rename it`);
    if (seen.has(name))
      throw Error(
        name
          ? `two columns are called “${name}”: give each its own name`
          : "two columns have no name: give each its own"
      );
    seen.add(name);
  });
  if (names.every((name) => /^[-+]?[0-9.,]+%?$/.test(name)) || names.some((name) => /^[-+]?\d*[.,]\d+%?$/.test(name))) {
    throw Error("line 1 looks like data: is the header missing?");
  }
  return names.map((name, k) => name || `Unnamed: ${k}`);
}

const isNothing = (text) => NOTHING.has(text) || !text.trim();

// A column as numbers. {values} or, where one field is not a number, {values, bad: its row, plain: were the others
// numbers?}
function toNumbers(texts) {
  const values = new Float64Array(texts.length);
  let plain = true,
    bad = -1,
    missing = -1;
  for (let k = 0; k < texts.length; k++) {
    const text = texts[k].trim();
    values[k] = PLAIN.test(text) ? +text : ENDLESS.test(text) ? NaN : isNothing(text) ? NaN : ((plain = false), NaN);
    if (Number.isNaN(values[k]) && missing < 0) missing = k;
  }
  if (plain) return {values, bad: missing, plain};
  if (texts.every((text) => /^(true|false)$/i.test(text.trim()))) {
    return {values: values.map((_, k) => +/^true$/i.test(texts[k].trim())), bad: -1, plain: true};
  }
  let thousands = 0,
    filled = 0;
  for (let k = 0; k < texts.length; k++) {
    const text = texts[k].trim();
    if (isNothing(text)) {
      values[k] = NaN;
      if (bad < 0) bad = k;
      continue;
    }
    filled += 1;
    thousands += /^[-+]?[1-9]\d{0,2}([.,]\d{3})+$/.test(text);
    const percent = text.endsWith("%"),
      number = text.replace(/[% ]+$/, "").replaceAll(",", ".");
    values[k] = PLAIN.test(number) ? +number / (percent ? 100 : 1) : NaN;
    if (Number.isNaN(values[k]) && bad < 0) bad = k;
  }
  return {
    values,
    bad,
    plain,
    thousands: filled > 0 && thousands === filled && texts.find((text) => !isNothing(text)).trim()
  };
}

function numbers(table, name) {
  const {texts, found} = column(table, name);
  if (found.thousands)
    throw Error(
      `column “${name}”: “${found.thousands}” may be thousands or decimals; write it without separators between ` +
        `thousands`
    );
  if (found.bad >= 0)
    refuse(
      table,
      name,
      found.bad,
      "expected a number",
      isNothing(texts[found.bad]) ? "nothing, or a word for it (NaN, n/a)" : `“${texts[found.bad].trim()}”`
    );
  return found.values;
}

function column(table, name) {
  const place = table.names.indexOf(name);
  if (place < 0) throw Error(`there is no column “${name}”; there are: ${table.names.join(", ")}`);
  table.read ||= [];
  return {texts: table.columns[place], found: (table.read[place] ||= toNumbers(table.columns[place]))};
}

function refuse(table, name, row, rule, got) {
  throw Error(`line ${table.lines[row]}, column “${name}”: ${rule}, got ${got}`);
}

function probabilities(table, name) {
  const values = numbers(table, name),
    row = values.findIndex((v) => v < 0 || v > 1);
  const hint =
    Math.max(...sample(values)) > 2 && Math.min(...sample(values)) >= 0
      ? " (are these percentages? divide them by 100, or add a % sign)"
      : "";
  if (row >= 0) refuse(table, name, row, "expected a probability between 0 and 1", general(values[row], 8) + hint);
  return values;
}
const sample = (values) => (values.length > 50000 ? values.slice(0, 50000) : values);

// The kinds of outcome in a column, as they are written: numbers without needless digits.
function labelsOf(table, name) {
  const {texts, found} = column(table, name),
    seen = new Map();
  for (let k = 0; k < texts.length && seen.size < 60; k++) {
    if (isNothing(texts[k])) return {missing: k, words: [...seen.values()]};
    const word =
      found.plain && found.bad < 0 && !/^(true|false)$/i.test(texts[k].trim()) ? general(found.values[k], 6) : texts[k];
    if (!seen.has(word)) seen.set(word, word);
  }
  return {missing: -1, words: [...seen.keys()]};
}

const YES = new Set(RULES.yes);
function likelyEvent(words) {
  const chosen = words.filter((word) => YES.has(word.trim().toLowerCase()));
  return chosen.length === 1 && !(words.includes("1") && words.includes("2")) ? chosen[0] : null;
}

function events(table, name, event) {
  const {missing, words} = labelsOf(table, name),
    {texts, found} = column(table, name);
  if (missing >= 0) refuse(table, name, missing, "expected an outcome", "nothing, or a word for it (NaN, n/a)");
  if (words.length === 1) throw Error(`column “${name}” contains only one outcome (${words[0]}); two are needed`);
  if (words.length > 2)
    throw Error(
      `column “${name}” must have two labels, it has ${words.length > 50 ? "more than 50" : words.length}: ` +
        `${words.slice(0, 4).join(", ")}${words.length > 4 ? ", ..." : ""}`
    );
  if (words.some((word) => HIDDEN.test(word)))
    throw Error(`column “${name}” has a label with a line end or another character that is not seen: rename it`);
  const chosen = event ?? likelyEvent(words);
  if (chosen === null) throw Error(`which label of column “${name}” is the event: ${[...words].sort().join(" or ")}?`);
  if (!words.includes(chosen)) throw Error(`column “${name}” has no label “${chosen}”; it has ${words.join(", ")}`);
  const number = found.plain && found.bad < 0;
  return Uint8Array.from(
    texts,
    (text, k) => +((number && !/^(true|false)$/i.test(text.trim()) ? general(found.values[k], 6) : text) === chosen)
  );
}

// Groups as numbers from 0, in the order of numbers if all are numbers, else of their characters.
function groupNumbers(table, name) {
  const {texts, found} = column(table, name),
    row = texts.findIndex(isNothing);
  if (row >= 0) refuse(table, name, row, "expected a group", "nothing, or a word for it (NaN, n/a)");
  const keys = found.plain && found.bad < 0 ? Array.from(found.values) : texts;
  const kinds = [...new Set(keys)].sort(typeof keys[0] === "number" ? (a, b) => a - b : byCharacter);
  if (kinds.length < 2) throw Error(`column “${name}” has one group only: nothing can be resampled from one`);
  const place = new Map(kinds.map((kind, k) => [kind, k]));
  return {count: kinds.length, number: Int32Array.from(keys, (key) => place.get(key))};
}
const byCharacter = (a, b) => {
  const [one, two] = [Array.from(a), Array.from(b)],
    k = one.findIndex((c, i) => c !== two[i]);
  return k < 0 ? one.length - two.length : k >= two.length ? 1 : one[k].codePointAt(0) - two[k].codePointAt(0);
};

// So many significant digits, and a tie goes to the even digit, as in Python (a script's own rounding takes the larger).
function rounded(value, digits) {
  if (!Number.isFinite(value)) return value;
  const [exact, power] = value.toExponential(60).split("e"),
    kept = exact.replace(".", "").replace("-", ""),
    tie = /^50*$/.test(kept.slice(digits)) && kept[digits - 1] % 2 === 0;
  if (!tie) return +value.toExponential(digits - 1);
  return Math.sign(value) * `${kept[0]}.${kept.slice(1, digits)}e${power}`;
}

// ``format(value, ".<digits>g")`` of Python.
function general(value, digits) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  value = rounded(value, digits);
  const [head, tail] = value.toExponential(digits - 1).split("e"),
    power = +tail;
  if (power >= -4 && power < digits)
    return value
      .toFixed(Math.max(0, digits - 1 - power))
      .replace(/(\.\d*?)0+$/, "$1")
      .replace(/\.$/, "");
  const short = head.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return `${short}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

// Means and standard deviations, by model: a_mean (or a) and a_std (sd, sigma).
function pairs(names) {
  const stems = new Map(),
    found = new Map(),
    add = (stem, name) => stems.set(stem, [...(stems.get(stem) || []), name]);
  for (const name of names) {
    const middle = /^(.*?)[ _.:-]*(mean|mu|pred)$/i.exec(name);
    for (const stem of new Set([name, ...(middle ? [middle[1]] : [])])) add(stem, name);
  }
  for (const spread of names) {
    const said = /^(.*?)[ _.:-]*(std|sd|sigma)$/i.exec(spread);
    for (const name of (said && stems.get(said[1])) || []) if (name !== spread) found.set(said[1], [name, spread]);
  }
  return found;
}
