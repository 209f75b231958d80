// The bench: asks for a file and a decision, writes the command, and lets Python in the page read and answer.
const root = document.getElementById("bench-page"),
  {asked: ASKED, examples: EXAMPLES} = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
const find = (selector) => root.querySelector(selector),
  form = find("form"),
  fields = form.elements,
  button = find("[type=submit]"),
  python = () => window.livePython;
let file = null, // {name, bytes}
  costs = null,
  seen = null, // what the package reads of the file: columns, labels, the likely outcome
  task = null, // the question that Python is at
  given = null; // the answer that is shown; what is saved belongs to it

function refuse(words, answers = []) {
  find(".problem").textContent = words;
  find(".offers").replaceChildren(
    ...answers.map(([name, value]) =>
      Object.assign(document.createElement("button"), {
        type: "button",
        textContent: `--${name} ${value}`,
        onclick: () => take(name, value)
      })
    )
  );
  if (words) find(".result").hidden = true;
}

// An offered option goes to its field, or to the other options; the question is then asked again.
function take(name, value) {
  const field = fields[name];
  if (field?.tagName === "SELECT" && ![...field.options].some((one) => one.value === value))
    field.append(new Option(value, value));
  if (field) field.value = value;
  else fields.more.value = `${fields.more.value} --${name} ${quoted(value)}`.trim();
  tell();
  form.requestSubmit();
}

function options(select, names, none) {
  select.replaceChildren(new Option(none, ""), ...names.map((name) => new Option(name, name)));
}

// Python reads the file, and says its columns; where there is no Python, they are typed.
async function load(bytes, name, choice = {}) {
  const own = {name: name.replace(/[\p{C}/\\]/gu, "_"), bytes};
  task?.stop();
  idle();
  [file, costs, seen, given] = [own, null, null, null];
  form.reset();
  refuse("");
  find(".result").hidden = true;
  const kept = `${name}: ${(bytes.byteLength / 1e3).toLocaleString("en", {maximumFractionDigits: 0})} kB`,
    say = (words) => (find(".taken").textContent = `${kept}${words}`);
  say(".");
  find(".first").hidden = find(".decision").hidden = true;
  const looking = python().task((send) => send(job(`bench.look(${JSON.stringify(path(own))})`, [own])), {
    note: (words) => file === own && say(`. ${words || "Reading"}`),
    limit: 600
  });
  const read = await looking.done.then(answered).catch(({message}) => {
    return {wrong: `Python did not read the file (${message}). Choose it again to try again.`};
  });
  if (file !== own) return; // another file has come in the meantime
  if (!read.wrong) return show(read, say, choice);
  say(".");
  refuse(read.wrong);
}

function show(read, say, choice) {
  seen = read;
  say(
    `${seen.rows ? `, ${seen.rows.toLocaleString("en")} rows` : ""}, ${seen.columns.length} columns. ${choice.source ?? ""}`
  );
  const table = document.createElement("table");
  for (const row of [seen.columns, ...seen.first]) {
    const line = table.insertRow();
    for (const text of row.slice(0, 12)) line.insertCell().textContent = text;
  }
  find(".first").replaceChildren(table);
  options(fields.truth, seen.columns, "choose");
  for (const name of ["groups", "weights"]) options(fields[name], seen.columns, "by its name");
  fields.truth.value = choice.truth ?? seen.outcome;
  fields.decision.value = choice.decision ?? seen.decision;
  find(".first").hidden = find(".decision").hidden = false;
  ask(choice);
  for (const [name, value] of Object.entries(choice)) if (fields[name]) fields[name].value = value;
  tell();
}

// The question of the decision, with an answer as an example in grey, and the labels of the outcome.
function ask(choice = {}) {
  const kind = fields.decision.value,
    [question, unit, low, high] = ASKED[kind];
  find(".question").textContent = question;
  find(".unit").textContent = unit;
  [fields.low.placeholder, fields.high.placeholder] = [low && `such as ${low}`, high && `such as ${high}`];
  [fields.low.value, fields.high.value] = [choice.low ?? "", choice.high ?? ""];
  find(".for-labels").hidden = !["binary", "top-k"].includes(kind);
  find(".for-acts").hidden = kind !== "acts";
  find(".for-outcome").hidden = kind === "board";
  offer();
}

const labels = () => seen.labels[fields.truth.value] ?? {};

function offer() {
  const {labels: both = [], event} = labels();
  options(fields.event, both, both.length ? "choose" : "by itself");
  fields.event.value = event ?? "";
}

const path = ({name}) => (name.startsWith("-") ? `./${name}` : name),
  costsPath = () => (costs.name === file.name ? `costs/${costs.name}` : path(costs));

function words() {
  const kind = fields.decision.value,
    [low, high] = [fields.low, fields.high].map(({value}) => value.trim()),
    event = fields.event.value.trim(),
    found = [kind === "board" ? kind : "compare", path(file)];
  const add = (name, value) => value && found.push(`--${name}`, value);
  if (kind !== "board") add("truth", fields.truth.value);
  add("event", ["binary", "top-k"].includes(kind) && event !== labels().event && event);
  if (!["binary", "board"].includes(kind)) add("decision", kind);
  if (low || high) add(ASKED[kind][4], low === high || !high ? low : `${low}:${high}`);
  add("costs", kind === "acts" && costs && costsPath());
  if (kind !== "board") for (const name of ["models", "weights"]) add(name, fields[name].value.trim());
  add("groups", fields.groups.value);
  return found;
}

const quoted = (word) => (/^[\w.,:%/+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function tell() {
  if (seen) find(".command pre").textContent = `pwu ${words().map(quoted).join(" ")} ${fields.more.value}`;
}

const job = (call, files) => ({
  code: `from pwu_book import bench\nprint(${call})`,
  name: "<bench>",
  alone: true,
  files: files.map(({name, bytes}) => ({name, bytes}))
});
const answered = ({shown, error}) => {
  if (error) throw new Error(error.words);
  return JSON.parse(shown[0].text);
};

// The question is what stands in the form at the click; whatever is shown and saved afterwards is its answer.
async function run() {
  const files = [file, ...(costs ? [{name: costsPath(), bytes: costs.bytes}] : [])],
    started = performance.now();
  let doing = "Computing";
  const clock = () => (find(".doing").textContent = `${doing}, ${((performance.now() - started) / 1e3).toFixed(0)} s`);
  const own = python().task(
    (send) => send(job(`bench.answer(${JSON.stringify(words())}, ${JSON.stringify(fields.more.value)})`, files)),
    {
      note: (said) => {
        doing = said || "Computing";
        clock();
      },
      limit: 900
    }
  );
  task = own;
  const tick = setInterval(clock, 1000);
  button.textContent = "Stop";
  root.setAttribute("aria-busy", "true");
  const answer = await own.done.then(answered).catch(({stopped, message}) => {
    const why = stopped ? "Stopped" : `Python did not get through (${message})`;
    return {wrong: `${why}: the command below asks the same in a terminal.`, answers: []};
  });
  clearInterval(tick);
  if (task !== own) return; // another file has come in the meantime
  idle();
  if (!answer.wrong) return present(answer);
  refuse(answer.wrong, answer.answers);
  fields[answer.field]?.focus();
}

function idle() {
  task = null;
  find(".doing").textContent = "";
  button.textContent = button.dataset.words;
  root.removeAttribute("aria-busy");
}

function present(answer) {
  given = answer;
  const {shown, report, said, json} = answer;
  find(".result").hidden = false;
  python().show(find(".answered"), {shown: [{html: shown ?? ""}]});
  find(".save-html").hidden = !report;
  find(".save-json").hidden = !json;
  find(".printed").textContent = said;
  find(".printed").parentNode.open = !shown;
  find(".result").scrollIntoView({block: "start"});
}

button.dataset.words = button.textContent;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (task) return task.stop();
  refuse("");
  run();
});

form.addEventListener("change", ({target}) => {
  if (target === fields.truth) offer();
  if (target === fields.decision) ask();
  tell();
});
form.addEventListener("input", tell);
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
for (const one of root.querySelectorAll("button[data-example]"))
  one.addEventListener("click", () => {
    const example = EXAMPLES[one.dataset.example];
    load(asBytes(example.table), example.file, example.choice);
  });
find(".save-html").addEventListener("click", () => python().save("report.html", "text/html", given.report));
find(".save-json").addEventListener("click", () => python().save("result.json", "application/json", given.json));
addEventListener("DOMContentLoaded", () => {
  if (!python()) return; // a site without live cells: the command is all there is
  find(".off").remove();
  form.hidden = false;
  root.dataset.ready = "";
});
