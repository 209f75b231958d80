// The bench: reads a file in a worker, asks two questions, shows what the worker computed.
const root = document.getElementById("bench-page"),
  held = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
const find = (selector) => root.querySelector(selector),
  form = find("form"),
  fields = form.elements;
const QUESTIONS = {
  binary: {
    question: "How many false alarms does a miss cost, nine times out of ten?",
    unit: "false alarms",
    low: "3",
    high: "30",
    name: "Yes or no"
  },
  selective: {
    question: "How large an error costs as much as passing (asking somebody, measuring again), nine times out of ten?",
    unit: "in the unit of the outcome",
    low: "",
    high: "",
    name: "Predict or pass"
  },
  topk: {
    question: "Which share of the cases do you pick, nine times out of ten?",
    unit: "of the cases, as 1% or 0.01",
    low: "1%",
    high: "10%",
    name: "Pick the top few"
  }
};
let worker = null,
  job = 0,
  file = null,
  kind = "binary",
  result = null;
const typed = {};

function start() {
  if (worker) worker.terminate();
  worker = new Worker(URL.createObjectURL(new Blob([held.script], {type: "text/javascript"})));
  worker.onmessage = ({data}) => {
    if (data.job !== job) return;
    if (data.problem) return refuse(data.problem);
    if (data.progress) {
      find("progress").value = data.progress;
      return;
    }
    if (data.columns) return showColumns(data);
    show(data.result);
  };
  worker.onerror = (event) => refuse(`this browser could not compute it (${event.message}); the Python below can`);
}

function busy(on) {
  root.setAttribute("aria-busy", String(on));
  for (const button of root.querySelectorAll(".save-json, .save-html")) button.disabled = on || !result;
  find("progress").hidden = !on;
  if (on) find("progress").value = 0;
}

function refuse(words, asked = false) {
  result = null;
  busy(false);
  find(".problem").textContent = words[0].toUpperCase() + words.slice(1) + (/[.?!]$/.test(words) ? "" : ".");
  find(".problem").classList.toggle("asked", Boolean(asked));
  if (find(".columns").hidden) find(".taken").textContent = "";
  find("#bench-result").textContent = "";
  find(".result").hidden = true;
}

// A file, a pasted table or an example.
function load(bytes, name, choice) {
  job += 1;
  file = {name: name.replace(/[\p{C}\u2028\u2029]/gu, "_"), choice, rows: 0};
  for (const key of Object.keys(typed)) delete typed[key];
  for (const part of [".columns", ".decision", ".result"]) find(part).hidden = true;
  result = null;
  find("#bench-result").textContent = find(".problem").textContent = find(".readback").textContent = "";
  find(".taken").textContent = `Reading ${name} …`;
  start();
  busy(true);
  worker.postMessage({job, bytes, script: held.draws}, [bytes]);
}

function loadFile(chosen) {
  if (!chosen) return;
  job += 1; // what is still computed is not wanted any more
  find("#bench-result").textContent = find(".problem").textContent = "";
  if (chosen.size > 4e8) {
    find(".taken").textContent = "";
    return refuse(`${chosen.name} has ${Math.round(chosen.size / 1e6)} MB, ${held.tooMany}`);
  }
  chosen.arrayBuffer().then(
    (bytes) => load(bytes, chosen.name),
    () => refuse(`${chosen.name} cannot be read: is it open elsewhere, or a folder?`)
  );
}

function options(select, names, chosen, none) {
  select.replaceChildren(...(none ? [new Option(none, "")] : []), ...names.map((name) => new Option(name, name)));
  select.value = chosen ?? "";
}

function showColumns({columns, rows, guess}) {
  Object.assign(file, {columns, rows, guess: {...guess, ...file.choice}});
  const names = columns.map(({name}) => name),
    g = file.guess;
  kind = g.kind;
  if (g.low) Object.assign(typed, {[kind]: [g.low, g.high]});
  options(fields.truth, names, g.truth, "choose");
  for (const name of ["weight", "groups", "shares"]) options(fields[name], names, g[name], "none");
  find(".taken").textContent =
    `${file.name}: ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}, ${names.length} columns.` +
    (file.choice?.source ? ` ${file.choice.source}` : "");
  find(".columns").hidden = find(".decision").hidden = false;
  labels(g.event);
  showModels();
  turn(kind, false);
}

function labels(event) {
  const found = file.columns.find(({name}) => name === fields.truth.value);
  options(fields.event, found ? found.labels : [], event && found?.labels.includes(event) ? event : "", "choose");
}

function showModels() {
  const g = file.guess,
    special = [fields.truth, fields.weight, fields.groups, fields.shares].map(({value}) => value);
  const names =
    kind === "selective"
      ? g.pairs
      : file.columns
          .filter(({name, numeric, forecast}) => (numeric || forecast) && !special.includes(name))
          .map(({name}) => name);
  const ticked = new Set(kind === "selective" ? g.pairs : g.models);
  find(".models").replaceChildren(
    ...names.map((name) => {
      const label = document.createElement("label"),
        box = document.createElement("input");
      Object.assign(box, {type: "checkbox", name: "model", value: name, checked: ticked.has(name)});
      label.append(box, name);
      return label;
    })
  );
  const left =
    kind === "selective" ? [] : file.columns.filter(({name, forecast}) => !special.includes(name) && !forecast);
  const named = [
    ["weight", "weights"],
    ["groups", "groups"],
    ["shares", "cost shares"]
  ].filter(([field]) => g[field] && fields[field].value === g[field]);
  find(".left").textContent = [
    named.length
      ? `Taken by their names, change it if they mean something else: ` +
        `${named.map(([field, words]) => `${words} = ${g[field]}`).join(", ")}.`
      : "",
    left.length ? `No forecasts: ${left.map(({name, why}) => `${name} (${why})`).join(", ")}.` : ""
  ]
    .filter(Boolean)
    .join(" ");
}

// Another decision: its question, the answers given before.
function turn(to, again = true) {
  kind = to;
  for (const tab of root.querySelectorAll("[role=tab]")) {
    const on = tab.dataset.kind === kind;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    if (on) find("[role=tabpanel]").setAttribute("aria-labelledby", tab.id);
  }
  const asks = QUESTIONS[kind];
  find(".question").textContent = asks.question;
  find(".unit").textContent = asks.unit;
  [fields.low.value, fields.high.value] = typed[kind] || ["", ""];
  [fields.low.placeholder, fields.high.placeholder] = [asks.low, asks.high];
  find(".for-binary").hidden = kind !== "binary";
  find(".for-labels").hidden = kind === "selective";
  if (again) showModels();
  run();
}

// "3", "0,5" and "10%" are numbers; "1,000" may be two of them.
function numberOf(text) {
  if (/^\s*[1-9]\d{0,2}([,.' ]\d{3})+\s*$/.test(text)) return NaN;
  const plain = text.trim().replace(",", "."),
    value = Number(plain.replace(/%$/, ""));
  return !plain || Number.isNaN(value) ? NaN : plain.endsWith("%") ? value / 100 : value;
}

function chosen() {
  const own = kind === "binary" && fields.shares.value;
  return {
    kind,
    truth: fields.truth.value,
    event: kind === "selective" ? null : fields.event.value || null,
    weight: fields.weight.value || null,
    groups: fields.groups.value || null,
    shares: own || null,
    low: numberOf(fields.low.value),
    high: numberOf(fields.high.value),
    models: [...root.querySelectorAll("[name=model]:checked")].map(({value}) => value)
  };
}

function run() {
  if (!file || !file.columns) return;
  const choice = (file.asked = chosen());
  job += 1;
  find(".problem").textContent = find(".readback").textContent = "";
  find("#bench-result").textContent = "";
  find(".result").hidden = true;
  fields.low.disabled = fields.high.disabled = Boolean(choice.shares);
  const wrong = unready(choice);
  if (wrong) return refuse(wrong, true);
  busy(true);
  worker.postMessage({job, choice, script: held.draws});
}

// What has still to be said before anything can be computed.
function unready(choice) {
  if (kind === "selective" && !file.guess.pairs.length)
    return "Predict or pass needs two columns for each model: NAME_mean and NAME_std";
  if (!choice.truth) return "Which column is the outcome? Choose it under “Outcome”";
  const found = file.columns.find(({name}) => name === choice.truth);
  if (kind !== "selective" && !choice.event && found.labels.length === 2)
    return (
      `Which label of column “${choice.truth}” is the event: ${found.labels.join(" or ")}? Choose it under ` + `“Event”`
    );
  if (choice.shares) return "";
  const ends = [choice.low, choice.high],
    texts = [fields.low.value.trim(), fields.high.value.trim()];
  if (!texts[0] || !texts[1]) return `${QUESTIONS[kind].question} Give two numbers`;
  const bad = ends.findIndex((v) => !(v > 0 && v < Infinity));
  if (bad >= 0)
    return (
      `${QUESTIONS[kind].question} “${texts[bad]}” is not a number above zero (thousands are written without a ` +
      `separator)`
    );
  if (kind === "topk" && choice.high >= 1)
    return `A share lies below 100%, and “${texts[1]}” is ${+(100 * choice.high).toPrecision(3)}%: write 5% or 0.05`;
  if (choice.low >= choice.high) return `The smaller number comes first: at least ${texts[1]}, at most ${texts[0]}?`;
  return "";
}

const node = (name, words, kind = "") => {
  const made = document.createElement(name);
  made.textContent = words;
  if (kind) made.className = kind;
  return made;
};
const short = (v) => (v === null || Number.isNaN(v) ? "" : v === Infinity ? "∞" : String(+v.toPrecision(4)));
const share = (v) => (v === null || Number.isNaN(v) ? "" : `${Math.round(100 * v)}%`);

function tableOf(heads, rows, best = -1) {
  const table = document.createElement("table"),
    head = table.createTHead().insertRow(),
    body = table.createTBody();
  for (const one of heads) {
    const cell = node("th", one, one === "what it believes" ? "words" : "");
    cell.scope = "col";
    head.append(cell);
  }
  rows.forEach((row, k) => {
    const line = body.insertRow();
    if (k === best) line.className = "best";
    row.forEach((text, j) => line.append(node(j ? "td" : "th", text, heads[j] === "what it believes" ? "words" : "")));
  });
  return table;
}

const HEADS = {
  binary:
    "Cost of a case, where a miss and a false alarm together cost one. Skill: the share of the base rate's cost " +
    "that is saved. Best in: the share of resamples. Cases needed: the sample size (in groups, if there are any) " +
    "that separates it from the cheapest with 80% power. Radius: the share of decision makers who may believe " +
    "anything at all before the order flips.",
  selective:
    "Cost of a case in the square of the outcome's unit. Skill: the share of what the mean and standard deviation " +
    "of all cases cost that is saved. Best in: the share of resamples. Cases needed: the sample size (in groups, if " +
    "there are any) that separates it from the cheapest with 80% power. Radius: the share of decision makers who " +
    "may believe anything at all before the order flips.",
  topk:
    "Cost: minus the share of the picks that are events. Skill: the share of the way from random picks to " +
    "perfect ones. Best in: the share of resamples. Cases needed: the sample size (in groups, if there are any) " +
    "that separates it from the best with 80% power. Radius: the share of decision makers who may believe anything " +
    "at all before the order flips."
};
const decided = () => result.choice;

// A table that may be wider than a phone.
function wide(label, table) {
  const box = node("div", "", "wide");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  box.append(table);
  return box;
}

function show(found) {
  result = {...found, choice: file.asked};
  busy(false);
  const {models, words, remarks, notes, metrics, parts} = found,
    best = models[0].name,
    said = find(".said");
  const alike = models.filter(({verdict}) => verdict === "not separable").length,
    others = models.length - 1;
  const some =
    alike === 0
      ? others === 1
        ? "the other one is costlier"
        : "each of the others is costlier"
      : others === 1
        ? "the other one cannot be told from it"
        : alike === others
          ? "none of the others can be told from it"
          : `${alike} of the others cannot be told from it`;
  const first = others
    ? `${best} is the cheapest of ${models.length} on these cases; ${some}.`
    : `There is one model, ${best}.`;
  said.replaceChildren(...[first, ...words, ...remarks].map((one) => node("p", one)));
  find(".cover").textContent = notes;
  find(".result").hidden = false;
  find(".readback").textContent = readback(found);
  draw();
  find(".table-models").replaceChildren(
    tableOf(
      ["model", "cost", "95% interval", "skill", "best in", "verdict", "cases needed", "radius"],
      models.map((m) => [
        m.name,
        short(m.cost),
        `${short(m.low)} to ${short(m.high)}`,
        share(m.skill),
        share(m["share best"]),
        m.verdict,
        Number.isFinite(m["cases needed"]) ? m["cases about"].toLocaleString("en") : "",
        share(m.radius)
      ]),
      0
    )
  );
  find(".table-models").append(node("p", HEADS[decided().kind], "note"));
  find(".more").replaceChildren(
    ...[robustText(found), partsTable(parts), metricsTable(metrics, models), cardOf(found)].flat()
  );
  find("pre.python").textContent = python();
  find("#bench-result").textContent = JSON.stringify(plainResult(found), null, 1);
}

// Numbers that JSON has no word for become null, as the command line prints them.
function plainResult({decision, prior, models, words, remarks, metrics, parts, picture, taken}) {
  return {decision, prior, models, words, remarks, taken, metrics, parts, picture};
}

function draw() {
  const svg = find("svg.picture"),
    shown = result?.picture;
  svg.toggleAttribute("hidden", !shown);
  find(".legend").replaceChildren();
  if (!shown) return;
  drawPicture(svg, shown);
  find(".legend").replaceChildren(
    ...shown.names.map((name, k) => {
      const item = document.createElement("li"),
        swatch = element(item, "svg", {class: "swatch landscape", viewBox: "0 0 34 10", "aria-hidden": "true"});
      element(swatch, "path", {class: `line line${k % 6}${k > 5 ? " again" : ""}`, d: "M0 5H34"});
      item.append(name);
      return item;
    })
  );
}

function readback({quantiles, implied, said, prior}) {
  if (!quantiles)
    return `Each case has its own cost share of a false alarm, column “${prior.column}”: no distribution is asked for.`;
  const {kind} = decided(),
    [low, middle, high] = quantiles,
    two = (v) => String(+v.toPrecision(2)),
    ratio = (c) => two((1 - c) / c);
  if (kind === "selective")
    return (
      `That is ${said} on λ: even odds that passing costs as much as an error of more than ` +
      `${two(Math.sqrt(middle))} (one in twenty says below ${two(Math.sqrt(low))}, another one above ` +
      `${two(Math.sqrt(high))}).`
    );
  if (kind === "topk")
    return (
      `That is ${said} on k/n: even odds that you pick more than ${two(100 * middle)}% (one in twenty says ` +
      `below ${two(100 * low)}%, another one above ${two(100 * high)}%).`
    );
  return (
    `That is ${said} on the cost share c: even odds that a miss costs more than ${ratio(middle)} false alarms (one ` +
    `in twenty says more than ${ratio(low)}, another one less than ${ratio(high)}). ` +
    `It also says: a miss costs more than a hundred false alarms for ${percentText(implied.hundred)} of the ` +
    `decisions, and less than one for ${percentText(implied.above)}.`
  );
}
const percentText = (v) => (v < 1e-4 ? "next to none" : `${+(100 * v).toPrecision(2)}%`);

function robustText({models, quantiles}) {
  if (!quantiles || models.length < 2) return [];
  const best = models[0].name,
    lines = models
      .slice(1)
      .map(
        (m) =>
          `${m.name}: ${
            m.statement === "undecided"
              ? "your two numbers alone do not decide it"
              : `your two numbers alone say it is ${m.statement}`
          }; the order holds while up to ${share(m.radius)} of the decision makers believe anything at all.`
      );
  return [
    node("p", `How much rests on the shape of the hill, against ${best}`, "title"),
    ...lines.map((one) => node("p", one))
  ];
}

function partsTable(parts) {
  if (!parts) return [];
  const rows = parts.map((p) => [p.name, short(p.miscalibration), short(p.discrimination), short(p.uncertainty)]);
  const heads = ["model", "miscalibration", "− discrimination", "+ uncertainty"];
  return [
    node("p", "What the cost is made of", "title"),
    wide("What the cost is made of", tableOf(heads, rows)),
    node(
      "p",
      "Miscalibration can be mended without a new model (by isotonic regression, here on these very labels); " +
        "discrimination is what the model knows; uncertainty is the cost of the base rate.",
      "note"
    )
  ];
}

function metricsTable(metrics, models) {
  const rows = metrics.map(({name, values}) => [
    held.metrics[name].label + (held.metrics[name].lower ? "" : " (higher is better)"),
    ...values.map(short),
    held.metrics[name].belief
  ]);
  const heads = ["metric", ...models.map(({name}) => name), "what it believes"];
  const picks =
    decided().kind === "topk"
      ? [
          node(
            "p",
            "These are about yes or no decisions; of a forecast whose top few are picked only the order counts.",
            "note"
          )
        ]
      : [];
  return [
    node("p", "What conventional metrics say, and what they believe", "title"),
    ...picks,
    wide("Conventional metrics", tableOf(heads, rows))
  ];
}

// The card's rows; those that are the same for every prior were written by Python.
function cardRows({models, quantiles, prior, said}) {
  const texts = held.cards[result.decision],
    words = wordsFor();
  const own = !quantiles,
    place = {binary: "c", selective: "lambda", "top-k": "k/n"}[result.decision];
  const rows = {Decision: words, Family: texts.Family};
  rows[`Prior on ${place}`] = own ? `one for each case, column ${prior.column}` : said;
  if (!own && models.length > 1)
    rows["Order of the models"] =
      `against ${models[0].name}; ` +
      models
        .slice(1)
        .map(
          (m) =>
            `${m.name}: holds while up to ${share(m.radius)} of the readers believe anything, every prior that fits ` +
            `the statement: ${m.statement}`
        )
        .join("; ");
  return {
    ...rows,
    "Source of the prior": "stated on this page",
    Value: texts.Value,
    Computation: texts.Computation,
    Properness: texts.Properness,
    Limits: texts.Limits
  };
}

function cardOf(found) {
  const fold = document.createElement("details"),
    table = document.createElement("table"),
    body = table.createTBody();
  fold.className = "aside";
  fold.append(node("summary", "the metric card, for a reviewer"));
  for (const [name, words] of Object.entries(cardRows(found))) {
    const line = body.insertRow();
    line.append(node("th", name), node("td", words, "words"));
  }
  fold.append(table);
  return fold;
}

function wordsFor() {
  const {kind, shares, low, high} = decided(),
    percentOf = (v) => `${+(100 * v).toPrecision(6)}%`;
  if (shares) return `each case has its own cost share of a false alarm, column ${shares}`;
  return {
    binary: `a miss costs ${low} to ${high} false alarms, nine times out of ten`,
    selective: `passing costs as much as an error of ${low} to ${high}, nine times out of ten`,
    topk: `a share of ${percentOf(low)} to ${percentOf(high)} of the cases is picked, nine times out of ten`
  }[kind];
}

// Python and a command that compute the same.
function python() {
  const choice = decided(),
    kind = choice.kind,
    q = (v) => JSON.stringify(v),
    list = choice.models.map(q).join(", ");
  const {low, high} = choice,
    own = choice.shares,
    lines = [
      "import pwu_lite as pwu",
      "from pwu_lite import elicitation",
      "from pwu_lite.app import files, report",
      "from pwu_lite.theory import robust",
      "",
      `table = files.read_table(${q(file.name)})`
    ];
  lines.push(
    kind === "selective"
      ? `y = files.numbers(table, ${q(choice.truth)})`
      : `y = files.events(table, ${q(choice.truth)}, ${q(choice.event)})`
  );
  if (kind === "selective")
    lines.push(
      "pairs = files.pairs(list(table.columns))",
      `models = {name: tuple(files.numbers(table, part) for part in pairs[name]) for name in [${list}]}`
    );
  else lines.push(`models = {name: files.numbers(table, name) for name in [${list}]}`);
  if (kind === "binary" && own)
    lines.push(`shares = files.numbers(table, ${q(own)})`, "score = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(shares))");
  else if (kind === "binary")
    lines.push(
      `low, high = 1 / (1 + ${high}), 1 / (1 + ${low})`,
      "score = pwu.PWU(pwu.BinaryDecision(), elicitation.beta_from_quantiles(low, high))"
    );
  else if (kind === "topk")
    lines.push(
      `low, high = ${low}, ${high}`,
      "score = pwu.PWU(pwu.TopK(), elicitation.beta_from_quantiles(low, high))"
    );
  else
    lines.push(
      `low, high = ${low} ** 2, ${high} ** 2`,
      "score = pwu.PWU(pwu.SelectivePrediction(), elicitation.lognormal_from_quantiles(low, high))"
    );
  const extra = [
    choice.groups ? `groups=files.groups(table, ${q(choice.groups)})` : "",
    choice.weight ? `sample_weight=files.numbers(table, ${q(choice.weight)})` : ""
  ].filter(Boolean);
  lines.push(
    `result = pwu.compare(y, models, score${extra.map((one) => `, ${one}`).join("")})`,
    'print("\\n".join(result.words))',
    `report.write(result, "report.html"${own ? "" : ", statement=robust.Quantiles({low: 0.05, high: 0.95})"})`
  );
  const option = {binary: "ratio", selective: "error", topk: "share"}[kind],
    sh = (v) => (/^[\w.%-]+$/.test(v) ? v : `'${v.replaceAll("'", "'\\''")}'`);
  if (choice.models.some((name) => name.includes(","))) return `${lines.join("\n")}\n`; // --models cannot name it
  const terminal = [
    "python -m pwu_lite compare",
    sh(file.name),
    "--truth",
    sh(choice.truth),
    choice.event ? `--event ${sh(choice.event)}` : "",
    kind === "binary" ? "" : `--decision ${kind === "topk" ? "top-k" : kind}`,
    own ? `--cost-share ${sh(own)}` : `--${option} ${low}:${high}`,
    `--models ${sh(choice.models.join(","))}`,
    choice.groups ? `--groups ${sh(choice.groups)}` : "",
    choice.weight ? `--weights ${sh(choice.weight)}` : "",
    "--html report.html"
  ];
  const command = terminal
    .filter(Boolean)
    .join(" ")
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => `# ${line}`)
    .join("\n");
  return `${lines.join("\n")}\n\n# in a terminal\n${command}\n`;
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// One file for the person who decides: what stands here, without the controls.
function sendable() {
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  const drawn =
    `<figure><svg class="landscape picture" role="img" ` +
    `aria-label="${find("svg.picture").getAttribute("aria-label")}"></svg>` +
    `${"<"}script type="application/json">${JSON.stringify(result.picture).replaceAll("<", "\\u003c")}</` +
    "script></figure>";
  const parts = [".said", ".cover", ".legend", ".table-models", ".more"].map((part) => find(part).cloneNode(true));
  for (const part of parts) for (const fold of part.querySelectorAll("details")) fold.open = true;
  const filled = {
    TITLE: escape(`${file.name}: ${result.models[0].name} is the cheapest`),
    DECISION: escape(`${wordsFor()[0].toUpperCase()}${wordsFor().slice(1)}. ${readback(result)}`),
    BODY: parts.map((part, k) => (k === 2 && result.picture ? drawn : "") + part.outerHTML).join("\n")
  };
  return held.page.replace(/@(TITLE|DECISION|BODY)@/g, (_, name) => filled[name]); // once: a name may look like a mark
}

let waiting = null;
const soon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(run, 350);
};
form.addEventListener("submit", (event) => event.preventDefault());
for (const name of ["low", "high"])
  fields[name].addEventListener("input", () => {
    typed[kind] = [fields.low.value, fields.high.value];
    find("#bench-result").textContent = "";
    soon();
  });
fields.truth.addEventListener("change", () => {
  labels(file.columns.find(({name}) => name === fields.truth.value)?.likely);
  showModels();
  run();
});
for (const name of ["event", "weight", "groups", "shares"])
  fields[name].addEventListener("change", () => {
    if (name !== "event") showModels();
    run();
  });
find(".models").addEventListener("change", run);
const chooser = find("input[type=file]");
chooser.addEventListener("change", () => {
  loadFile(chooser.files[0]);
  chooser.value = "";
});
const drop = find(".drop");
for (const name of ["dragenter", "dragover"])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
for (const name of ["dragleave", "drop"])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.remove("over");
  });
drop.addEventListener("drop", (event) => loadFile(event.dataTransfer.files[0]));
const asBytes = (text) => new TextEncoder().encode(text).buffer;
find(".paste").addEventListener("click", () => load(asBytes(find("textarea").value), "pasted.csv"));
root.querySelectorAll("button[data-example]").forEach((button) =>
  button.addEventListener("click", () => {
    const example = held.examples[button.dataset.example];
    load(asBytes(example.table), example.file, example.choice);
  })
);
const tabs = [...root.querySelectorAll("[role=tab]")];
tabs.forEach((tab, k) => {
  tab.addEventListener("click", () => turn(tab.dataset.kind));
  tab.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = tabs[(k + step + tabs.length) % tabs.length];
    next.focus();
    turn(next.dataset.kind);
  });
});
find(".save-json").addEventListener("click", () =>
  save("result.json", "application/json", find("#bench-result").textContent)
);
find(".save-html").addEventListener("click", () => save("report.html", "text/html", sendable()));
find(".copy").addEventListener("click", () =>
  navigator.clipboard?.writeText(find("pre.python").textContent).then(
    () => {
      find(".copy").textContent = "Copied";
    },
    () => getSelection().selectAllChildren(find("pre.python"))
  )
);
let room = root.clientWidth;
new ResizeObserver(() => {
  if (root.clientWidth !== room) {
    room = root.clientWidth;
    draw();
  }
}).observe(root);
find(".off").remove();
form.hidden = false;
root.dataset.ready = "";
