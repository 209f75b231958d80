// The bench: asks for a file and a decision, writes the command, and lets Python in the page run it.
const root = document.getElementById("bench-page"),
  held = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
const find = (selector) => root.querySelector(selector),
  form = find("form"),
  fields = form.elements;
const ASKED = {
  binary: ["How many false alarms does a miss cost, nine times out of ten?", "false alarms", "3", "30", "ratio"],
  selective: [
    "How large an error costs as much as passing, nine times out of ten?",
    "in the outcome's unit",
    "",
    "",
    "error"
  ],
  "top-k": ["Which share of the cases do you pick, nine times out of ten?", "of the cases", "1%", "10%", "share"],
  orders: ["How many units left over does a unit short cost, nine times out of ten?", "units", "2", "9", "ratio"],
  acts: [
    "What is the price in your table of costs, nine times out of ten? Leave both empty if none has one.",
    "",
    "",
    "",
    "range"
  ],
  answers: ["How many right answers does a wrong one cost, nine times out of ten?", "right answers", "1", "9", "ratio"]
};
let file = null, // {name, bytes, names}
  costs = null,
  given = null; // the words of the command that was answered

function refuse(words) {
  const plain = (words.trim().split("\n").pop() ?? "").replace(/^(pwu(?: compare)?): (error: )?/, "");
  find(".problem").textContent = plain && plain[0].toUpperCase() + plain.slice(1) + (/[.?!]$/.test(plain) ? "" : ".");
  if (plain) find(".result").hidden = true;
}

// The first lines, as they stand: which sign separates them is seen in the head.
function preview(bytes) {
  const start = new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 65536)),
    kind =
      start[0] === 255 && start[1] === 254 ? "utf-16le" : start[0] === 254 && start[1] === 255 ? "utf-16be" : "utf-8";
  const lines = new TextDecoder(kind)
    .decode(start)
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim())
    .slice(0, 4);
  const head = lines[0] ?? "",
    sign = [",", ";", "\t", "|"].reduce((a, b) => (head.split(b).length > head.split(a).length ? b : a));
  // Each field with the sign before it: an empty first one counts, as in the files that pandas writes.
  return lines.map((line) =>
    [...(sign + line).matchAll(new RegExp(`\\${sign}("(?:[^"]|"")*"|[^\\${sign}]*)`, "g"))].map(([, part]) =>
      part.replace(/^"|"$/g, "").replaceAll('""', '"').trim()
    )
  );
}

function options(select, names, none) {
  select.replaceChildren(new Option(none, ""), ...names.map((name) => new Option(name, name)));
}

function load(bytes, name, choice = {}) {
  const packed = /\.(gz|parquet)$/i.test(name),
    rows = packed ? [] : preview(bytes),
    names = rows[0] ?? [];
  file = {name: name.replace(/[\p{C}/\\]/gu, "_"), bytes};
  form.reset();
  refuse("");
  find(".result").hidden = true;
  find(".taken").textContent =
    `${name}: ${(bytes.byteLength / 1e3).toLocaleString("en", {maximumFractionDigits: 0})} kB` +
    (names.length ? `, ${names.length} columns.` : ".") +
    (choice.source ? ` ${choice.source}` : "");
  const table = document.createElement("table");
  for (const row of rows) {
    const line = table.insertRow();
    for (const text of row.slice(0, 12)) line.insertCell().textContent = text;
  }
  find(".first").replaceChildren(table);
  find(".first").hidden = !rows.length;
  options(fields.truth, names, "choose");
  for (const name of ["groups", "weights"]) options(fields[name], names, "by its name");
  fields.truth.value = held.outcomes.map((word) => names.find((one) => one.toLowerCase() === word)).find(Boolean) ?? "";
  if (packed) fields.more.value = "--truth ";
  for (const [key, value] of Object.entries(choice)) if (fields[key]) fields[key].value = value;
  find(".decision").hidden = false;
  ask(choice);
  tell();
}

// The question of the decision, with an answer as an example in grey.
function ask(choice = {}) {
  const [question, unit, low, high] = ASKED[fields.decision.value];
  find(".question").textContent = question;
  find(".unit").textContent = unit;
  [fields.low.placeholder, fields.high.placeholder] = [low && `such as ${low}`, high && `such as ${high}`];
  [fields.low.value, fields.high.value] = [choice.low ?? "", choice.high ?? ""];
  find(".for-labels").hidden = !["binary", "top-k"].includes(fields.decision.value);
  find(".for-acts").hidden = fields.decision.value !== "acts";
}

// Words as a shell splits them: quotes keep blanks together.
const split = (text) => [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);

function words() {
  const kind = fields.decision.value,
    [low, high] = [fields.low, fields.high].map(({value}) => value.trim()),
    found = ["compare", file.name];
  const add = (name, value) => value && found.push(`--${name}`, value);
  add("truth", fields.truth.value);
  add("event", ["binary", "top-k"].includes(kind) && fields.event.value.trim());
  if (kind !== "binary") add("decision", kind);
  if (low || high) add(ASKED[kind][4], low === high || !high ? low : `${low}:${high}`);
  add("costs", kind === "acts" && costs?.name);
  add("models", fields.models.value.trim());
  add("groups", fields.groups.value);
  add("weights", fields.weights.value);
  return [...found, ...split(fields.more.value)];
}

// What the form still needs, before anything is fetched; the command itself checks what is there.
function lacking() {
  const [low, more] = [fields.low.value.trim() || fields.high.value.trim(), fields.more.value];
  if (!fields.truth.value && fields.decision.value !== "answers" && !/--truth/.test(more))
    return {field: fields.truth, words: "Which column has the outcomes? Choose it under Outcome"};
  if (
    !low &&
    fields.decision.value !== "acts" &&
    !/--(prior|ratio|threshold|error|range|share|cost-share|case-costs)/.test(more)
  )
    return {field: fields.low, words: `${find(".question").textContent} Write the two ends, such as 3 and 30`};
  return null;
}

const quoted = (word) => (/^[\w.,:%/+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function tell() {
  if (file) find(".command pre").textContent = `pwu ${words().map(quoted).join(" ")}`;
}

async function run(more = []) {
  const python = window.livePython,
    told = find(".doing");
  if (!python) {
    told.textContent = "Python is not beside this copy of the page: the command below says the same in a terminal.";
    return null;
  }
  find("[type=submit]").disabled = true;
  root.setAttribute("aria-busy", "true");
  const files = [file, costs].filter(Boolean).map(({name, bytes}) => ({name, bytes}));
  const code = `from pwu_book import bench\nprint(bench.answer(${JSON.stringify([...words(), ...more])}))`;
  const {found, failed} = await python.ask(
    {code, name: "<bench>", files},
    (said) => (told.textContent = said || "Computing")
  );
  find("[type=submit]").disabled = false;
  root.removeAttribute("aria-busy");
  told.textContent = "";
  const wrong = failed ?? found?.error?.words;
  if (wrong) {
    refuse(`Python did not get through (${wrong}): the command below says the same in a terminal`);
    return null;
  }
  const answer = JSON.parse(found.shown[0].text);
  if (answer.code) {
    refuse(answer.wrong);
    return null;
  }
  return answer;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  refuse("");
  const missing = lacking();
  if (missing) {
    refuse(missing.words);
    missing.field.focus();
    return;
  }
  const answer = await run();
  if (!answer) return;
  given = answer;
  const frame = find("iframe");
  find(".result").hidden = false;
  frame.hidden = !answer.report;
  find(".save-html").hidden = !answer.report;
  frame.srcdoc = answer.report;
  frame.onload = () => {
    const grow = () => (frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 8}px`);
    grow();
    new ResizeObserver(grow).observe(frame.contentDocument.body);
  };
  find(".printed").textContent = answer.said;
  find(".printed").parentNode.open = !answer.report;
  find(".result").scrollIntoView({block: "start"});
});

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

form.addEventListener("input", tell);
fields.decision.addEventListener("change", () => {
  ask();
  tell();
});
const read = (chosen, then) =>
  chosen?.arrayBuffer().then(
    (bytes) => then(bytes, chosen.name),
    () => refuse(`${chosen.name} cannot be read: is it open elsewhere, or a folder?`)
  );
const chooser = find(".load input[type=file]");
chooser.addEventListener("change", () => {
  read(chooser.files[0], load);
  chooser.value = "";
});
fields.costs.addEventListener("change", () =>
  read(fields.costs.files[0], (bytes, name) => {
    costs = {bytes, name};
    tell();
  })
);
const drop = find(".drop");
for (const name of ["dragenter", "dragover", "dragleave", "drop"])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", name.startsWith("drage") || name === "dragover");
  });
drop.addEventListener("drop", (event) => read(event.dataTransfer.files[0], load));
const asBytes = (text) => new TextEncoder().encode(text).buffer;
find(".paste").addEventListener("click", () => load(asBytes(find("textarea").value), "pasted.csv"));
for (const button of root.querySelectorAll("button[data-example]"))
  button.addEventListener("click", () => {
    const example = held.examples[button.dataset.example];
    load(asBytes(example.table), example.file, example.choice);
  });
find(".save-html").addEventListener("click", () => save("report.html", "text/html", given.report));
find(".save-json").addEventListener("click", async () => {
  const answer = await run(["--json"]);
  if (answer) save("result.json", "application/json", answer.said);
});
find(".off").remove();
form.hidden = false;
root.dataset.ready = "";
