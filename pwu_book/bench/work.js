// What the worker does: keeps the table, says what its columns look like, and compares.
const OUTCOMES = RULES.outcomes;
const named = (names, wanted) =>
  wanted.map((word) => names.find((name) => name.toLowerCase() === word)).find((name) => name !== undefined) ?? null;

function describe(table, name) {
  const {found} = column(table, name),
    {missing, words} = labelsOf(table, name);
  const labels = words.length <= 12 && missing < 0 ? words : [];
  return {
    name,
    labels,
    likely: labels.length === 2 ? likelyEvent(labels) : null,
    ...forecastOr(table, name, found),
    numeric: found.bad < 0 && !found.thousands
  };
}

// May a column be probabilities? If not, why not; a column of flags has to be asked for by name.
function forecastOr(table, name, {values, bad, plain, thousands}) {
  let outside = -1,
    flags = true,
    some = 0;
  for (let k = 0; k < values.length; k++) {
    const v = values[k];
    if (Number.isNaN(v)) continue;
    some += 1;
    if ((v < 0 || v > 1) && outside < 0) outside = k;
    if (v !== 0 && v !== 1) flags = false;
  }
  if (thousands || !some) return {forecast: false, why: "no numbers"};
  if (bad >= 0 && !plain) return {forecast: false, why: `line ${table.lines[bad]} is not a number`};
  if (outside >= 0 && values.every((v) => v >= 0 && v <= 100) && values.some((v) => v % 1))
    return {forecast: false, why: "percentages? divide by 100, or add %"};
  if (outside >= 0) return {forecast: false, why: `line ${table.lines[outside]} is ${general(values[outside], 8)}`};
  if (flags) return {forecast: false, why: "zeros and ones only"};
  return {forecast: true, why: ""};
}

// What the columns seem to be. Where two could be the outcome none is taken: a wrong one gives a confident wrong
// answer.
function guess(table, columns) {
  const names = table.names,
    spreads = pairs(names),
    inPairs = new Set([...spreads.values()].flat());
  const weight = named(names, RULES.weights),
    groups = named(
      names.filter((name) => repeats(table, name)),
      RULES.groups
    );
  const special = [weight, groups];
  const outcomeOf = (able) => named(able, OUTCOMES) ?? (able.length === 1 ? able[0] : null);
  const free = columns.filter(({name}) => !inPairs.has(name) && !special.includes(name));
  const twoLabels = free.filter(({labels}) => labels.length === 2).map(({name}) => name);
  const target = outcomeOf(free.filter(({numeric, labels}) => numeric && labels.length !== 1).map(({name}) => name));
  const some = free.some(({name, forecast}) => forecast && name !== target);
  const kind = spreads.size && !(twoLabels.length && some) ? "selective" : "binary";
  const truth =
    kind === "selective" ? target : (outcomeOf(twoLabels) ?? (twoLabels.length ? null : named(names, OUTCOMES)));
  return {
    kind,
    truth,
    event: columns.find(({name}) => name === truth)?.likely ?? null,
    weight,
    groups,
    shares: null,
    models: columns
      .filter(({name, forecast}) => forecast && name !== truth && !special.includes(name))
      .map(({name}) => name),
    pairs: [...spreads].filter(([, parts]) => !parts.includes(truth)).map(([name]) => name)
  };
}

// May rows with the same value belong together? At least six values, fewer than rows.
function repeats(table, name) {
  const kinds = new Set(column(table, name).texts).size;
  return kinds >= RULES.least_groups && kinds < table.lines.length;
}

// Whatever it is called: every value as often as the others, twice or more, or all rows of a value in a row.
function likeIds(table, name) {
  const {texts} = column(table, name),
    often = new Map();
  let runs = 0;
  texts.forEach((text, i) => {
    often.set(text, (often.get(text) || 0) + 1);
    runs += i === 0 || text !== texts[i - 1];
  });
  const counts = [...often.values()];
  return counts.every((n) => n > 1) && (runs === often.size || new Set(counts).size === 1);
}

// What the names of other columns suggest, as pwu_lite.reporting._rules says it.
function columnRemarks(table, {truth, weight, groups, shares, models, kind}) {
  if (groups) return [];
  const spreads = kind === "selective" ? pairs(table.names) : new Map(),
    said = [];
  const known = new Set([truth, weight, shares, ...models, ...models.flatMap((name) => spreads.get(name) || [])]);
  for (const name of table.names) {
    if (known.has(name)) continue;
    const words = name.toLowerCase().split(/[^a-z0-9]+/);
    if (words.some((word) => RULES.date_words.includes(word))) said.push(say("dates", {column: name}));
    else if (repeats(table, name) && (words.some((word) => RULES.group_words.includes(word)) || likeIds(table, name))) {
      said.push(
        say("groups", {
          column: name,
          kinds: count(new Set(column(table, name).texts).size),
          rows: count(table.lines.length)
        })
      );
    }
  }
  return said;
}

function chosenData(table, {kind, truth, event, models, weight, groups, shares}) {
  if (!truth) throw Error("choose the column of outcomes");
  const y = kind === "selective" ? numbers(table, truth) : events(table, truth, event);
  if (!models.length)
    throw Error(
      kind === "selective"
        ? "a model needs two columns, NAME_mean and NAME_std"
        : "no column looks like probabilities; choose the columns of forecasts"
    );
  if (models.length > RULES.most_models)
    throw Error(`${count(models.length)} columns look like forecasts, more than ${RULES.most_models}: choose some`);
  const spreads = kind === "selective" ? pairs(table.names) : null;
  const read = (name) => {
    if (!spreads) return {name, f: probabilities(table, name)};
    if (!spreads.has(name)) throw Error(`model “${name}” needs columns “${name}_mean” and “${name}_std”`);
    const [mean, std] = spreads.get(name).map((one) => numbers(table, one)),
      row = std.findIndex((v) => !(v > 0));
    if (row >= 0)
      refuse(table, spreads.get(name)[1], row, "expected a standard deviation above zero", general(std[row], 8));
    return {name, mean, std};
  };
  const data = {
    y,
    models: models.map(read),
    weight: weight ? weights(table, weight) : null,
    groups: groups ? groupNumbers(table, groups) : null,
    shares: shares ? costShares(table, shares) : null
  };
  if (kind === "topk" && data.weight)
    throw Error("picking the top few takes no weights: a pick is not an average over cases");
  if (kind !== "binary" && data.shares) throw Error("a cost share for each case is for yes or no decisions");
  return data;
}

function weights(table, name) {
  const values = numbers(table, name),
    row = values.findIndex((v) => v < 0);
  if (row >= 0) refuse(table, name, row, "expected a number of at least 0", general(values[row], 8));
  if (!values.some((v) => v > 0)) throw Error(`column “${name}”: all weights are zero`);
  return values;
}

function costShares(table, name) {
  const values = numbers(table, name),
    row = values.findIndex((v) => !(v > 0 && v < 1));
  if (row >= 0) refuse(table, name, row, "expected a cost share between 0 and 1", general(values[row], 8));
  return values;
}

async function answer(table, choice, progress, drawsOf = (units) => new Draws(units, REPEATS)) {
  const data = chosenData(table, choice),
    own = choice.kind === "binary" && choice.shares;
  const ask = own ? {kind: "shares"} : asked(choice.kind, choice.low, choice.high);
  const found = await compareModels(data, ask, progress, drawsOf);
  const decision = {topk: "top-k"}[choice.kind] || choice.kind;
  const prior = own ? {column: choice.shares} : ask.prior.shape;
  const quantiles = own ? null : [0.05, 0.5, 0.95].map((q) => ask.prior.quantile(q));
  const implied =
    own || choice.kind !== "binary" ? null : {above: ask.prior.above(0.5), hundred: ask.prior.below(1 / 101)};
  const event = choice.event === null ? "" : `${choice.truth} = ${choice.event}`;
  found.remarks = [...found.remarks.map((one) => one.replace("{event}", () => event)), ...columnRemarks(table, choice)];
  return {
    decision,
    prior,
    ...found,
    taken: {cases: data.y.length, events: choice.kind === "selective" ? null : sum(data.y), event},
    quantiles,
    implied,
    said: own ? null : ask.prior.said,
    python: own ? null : ask.prior.python
  };
}

if (typeof self !== "undefined" && typeof window === "undefined") {
  let table = null,
    early = null,
    latest = 0;
  self.onmessage = async ({data: {job, bytes, choice, script}}) => {
    latest = job;
    const drawsOf = (units) => {
      // those begun while the columns were looked at, if they fit
      const draws = early && early.units === units ? early : new Draws(units, REPEATS, script);
      if (early && early !== draws) early.end();
      early = null;
      return draws;
    };
    const say = (words) => self.postMessage({job, ...words});
    try {
      if (bytes) {
        table = readTable(new Uint8Array(bytes));
        early = new Draws(table.lines.length, REPEATS, script);
        await early.begun;
        const columns = table.names.map((name) => describe(table, name));
        say({columns, rows: table.lines.length, delimiter: table.delimiter, guess: guess(table, columns)});
      } else
        say({
          result: await answer(
            table,
            choice,
            (share) => {
              if (job !== latest) throw Error("not wanted any more");
              say({progress: share});
            },
            drawsOf
          )
        });
    } catch (problem) {
      say({problem: problem.message});
    }
  };
}
