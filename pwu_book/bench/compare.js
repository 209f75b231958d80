// Models beside each other, as pwu_lite.compare does it: cost, interval, paired difference, words, picture.
const REPEATS = 1000,
  BAND_REPEATS = 200,
  POINTS = 81;
const Z975 = 1.959963984540054; // the normal quantile of 0.975
const REACH = Z975 + 0.8416212335729143; // and that of 0.8
const MANY_UNITS = 20000, // cases or groups from which on intervals are normal,
  MOST_SKEW = 0.05, // where the skewness of the means is at most this
  NORMAL_DRAWS = 10000;

// What the questions ask for: the prior, and how its parameter is shown.
function asked(kind, low, high) {
  const wanted = {binary: "a miss", selective: "an error", topk: "a share"}[kind];
  if (!(low > 0 && high > low && high < Infinity))
    throw Error(`${wanted}: give two numbers, the smaller one first, both above zero`);
  if (kind === "topk" && high >= 1) throw Error("a share of cases lies below 100%");
  if (high < RULES.least_range * low)
    throw Error(
      `${general(low, 6)} to ${general(high, 6)} is too narrow for a range; the larger number must be at least 1% ` +
        `above the smaller one`
    );
  if (kind === "selective")
    return {kind, low, high, prior: lognormalBetween(low ** 2, high ** 2), statement: [low ** 2, high ** 2]};
  const ends = kind === "binary" ? [1 / (1 + high), 1 / (1 + low)] : [low, high];
  return {kind, low, high, prior: betaBetween(...ends), statement: ends};
}

// Where the curves are drawn: `shown` on the axis, `theta` in the decision's own parameter.
function grid({kind, prior}, n) {
  const ends = [prior.quantile(0.005), prior.quantile(0.995)],
    [from, to] = ends.map(kind === "binary" ? logit : Math.log);
  const along = Array.from({length: POINTS}, (_, k) => from + (k / (POINTS - 1)) * (to - from));
  if (kind === "binary") {
    const shown = along.map(expit);
    return {shown, theta: shown};
  }
  if (kind === "selective") {
    const shown = along.map((t) => Math.exp(t / 2));
    return {shown, theta: shown.map((v) => v * v)};
  }
  const ks = [...new Set(along.map((t) => Math.min(n, Math.max(1, Math.floor(Math.exp(t) * n + 0.5)))))];
  return {shown: ks.map((k) => k / n), theta: ks};
}

// The hill: density on the scale of the axis, its highest point one.
function hill({kind, prior}, shown) {
  const height = shown.map((v) =>
      kind === "binary"
        ? prior.density(v) * v * (1 - v)
        : kind === "selective"
          ? prior.density(v * v) * v * v
          : prior.density(v) * v
    ),
    top = Math.max(...height);
  return height.map((v) => v / top);
}

// One order of the cases whatever order they came in: by outcome, then by the last forecast, ... the first, weight,
// losses.
function canonical(y, models, weight, losses) {
  const columns = [
    ...losses,
    ...(weight ? [weight] : []),
    ...models.flatMap((m) => (m.f ? [m.f] : [m.mean, m.std])),
    y
  ];
  return columns.reduce((order, column) => sorted(column, order), Uint32Array.from(y.keys()));
}
const taken = (values, order) => {
  const out = new values.constructor(order.length);
  for (let k = 0; k < order.length; k++) out[k] = values[order[k]];
  return out;
};

// How often each case occurs at least, if all of them occur that often or a multiple of it; null if they do not. In
// canonical order copies are neighbours.
function copiesOf({y, weight, losses, models}) {
  const n = y.length,
    columns = [y, ...losses, ...(weight ? [weight] : []), ...models.flatMap((m) => (m.f ? [m.f] : [m.mean, m.std]))],
    gcd = (a, b) => (b ? gcd(b, a % b) : a);
  let different = 0,
    times = 0,
    start = 0;
  for (let k = 1; k <= n; k++) {
    if (k < n && columns.every((column) => column[k] === column[k - 1])) continue;
    times = gcd(times, k - start);
    different += 1;
    start = k;
  }
  return times > 1 && different >= RULES.least_different ? {cases: n, different, times} : null;
}

// Each model's weighted losses, a row of units (cases, or groups); the weights are the last row.
function lossRows({y, weight, groups, losses}) {
  const n = y.length,
    number = groups ? groups.number : null;
  if (!number && !weight) return losses;
  const rows = [...losses, new Float64Array(n).fill(1)].map((row) => (weight ? row.map((v, i) => v * weight[i]) : row));
  return number
    ? rows.map((row) => {
        const sums = new Float64Array(groups.count);
        row.forEach((v, i) => {
          sums[number[i]] += v;
        });
        return sums;
      })
    : rows;
}

function dot(a, b, start, stop) {
  let p = 0,
    q = 0,
    r = 0,
    s = 0,
    i = start;
  for (const end = stop - 3; i < end; i += 4) {
    p += a[i] * b[i];
    q += a[i + 1] * b[i + 1];
    r += a[i + 2] * b[i + 2];
    s += a[i + 3] * b[i + 3];
  }
  for (; i < stop; i++) p += a[i] * b[i];
  return p + q + r + s;
}

// Sums of counted rows, a block that fits the cache at a time.
function counted(counts, rows) {
  const sums = new Float64Array(rows.length);
  for (let start = 0; start < counts.length; start += 2048) {
    const stop = Math.min(counts.length, start + 2048);
    for (let k = 0; k < rows.length; k++) sums[k] += dot(counts, rows[k], start, stop);
  }
  return sums;
}

// Rows to be counted: of each model its losses, its differences from the best one, and the sizes, sorted by the
// difference, so that what is said of two models depends on these two alone; of three models and more all losses too.
function pairRows(rows, best, m, together) {
  const size = rows.length > m ? rows[m] : new Float64Array(rows[0].length).fill(1),
    sortedRows = [];
  for (let k = 0; k < m; k++) {
    const gap = rows[k].map((v, i) => v - rows[best][i]),
      most = rows[k].reduce((all, v, i) => Math.max(all, Math.abs(v), Math.abs(rows[best][i])), 0),
      grain = 1e-12 * (most || 1),
      keys = [size, ...[rows[k], gap].map((part) => part.map((v) => Math.round(v / grain)))],
      order = keys.reduce((all, column) => sorted(column, all), Uint32Array.from(gap.keys()));
    sortedRows.push(taken(rows[k], order), taken(gap, order), taken(size, order));
  }
  if (m > 2) sortedRows.push(...[...rows.slice(0, m), size].map((row) => taken(row, together)));
  return sortedRows;
}

// Units of equal weight that tell as much as these (Kish), and the share of the resamples to leave out at each end, such
// that for normal data the interval is Student's: see `pwu_lite._resampling.tail_of`.
function effectiveNumber(size) {
  const most = size.reduce((all, v) => Math.max(all, v), 0);
  let first = 0,
    second = 0;
  for (const v of size) {
    first += v / most;
    second += (v / most) ** 2;
  }
  return first ** 2 / second;
}
// Student's quantile of 0.975: its square over itself and the degrees of freedom has a beta law.
function student(freedom) {
  const x = bisect(0, 1, (t) => betaTails(0.5, freedom / 2, t)[1] <= 0.05);
  return Math.sqrt((freedom * x) / (1 - x));
}
const tailOf = (number) => (number <= 1 ? 0 : normalTail(Math.sqrt(number / (number - 1)) * student(number - 1)));

// Size of the skewness of a sum of independent terms, and of numbers that were drawn.
function skewOf(row) {
  const mean = sum(row) / row.length;
  let second = 0,
    third = 0;
  for (const v of row) {
    second += (v - mean) ** 2;
    third += (v - mean) ** 3;
  }
  return second ? Math.abs(third) / second ** 1.5 : 0;
}
// The largest skewness of a mean difference; of one model alone, that of its cost. Rows as `lossRows` gives them.
function skewness(rows, best, m) {
  const size = rows.length > m ? rows[m] : new Float64Array(rows[0].length).fill(1),
    total = sum(size);
  const own = rows.slice(0, m).map((row) => {
    const cost = sum(row) / total;
    return row.map((v, i) => (v - cost * size[i]) / total);
  });
  const grain = 1e-12 * own[best].reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const gaps = own.map((row) => row.map((v, i) => (Math.abs(v - own[best][i]) <= grain ? 0 : v - own[best][i])));
  return Math.max(...(m > 1 ? gaps : own).map(skewOf));
}
// Why the intervals hold the true difference less often than they say.
function whyNarrow(skew, size, unit) {
  const said = [],
    number = effectiveNumber(size);
  if (number < RULES.few_units) {
    const worth = number > size.length - 0.5 ? "" : `, worth ${general(number, 2)} of equal weight`;
    said.push(say("few_units", {unit, number: count(size.length) + worth}));
  }
  if (skew > RULES.most_skew) said.push(say("long_tail", {unit, coverage: "95"}));
  return said;
}

// Intervals from the joint normal law of the means, as `pwu_lite.reporting._intervals.normal` has them; null for few
// units, or where a mean is too skewed. Rows as `lossRows` gives them.
function normalLaw(rows, best, m) {
  const n = rows[0].length,
    size = rows.length > m ? rows[m] : new Float64Array(n).fill(1),
    total = sum(size);
  if (n < MANY_UNITS) return null;
  const costs = rows.slice(0, m).map((row) => sum(row) / total);
  const own = costs.map((cost, k) => rows[k].map((v, i) => (v - cost * size[i]) / total));
  const grain = 1e-12 * own[best].reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const product = (a, b) => (dot(a, b, 0, n) * n) / (n - 1),
    deviation = (a) => Math.sqrt(product(a, a)),
    width = student(effectiveNumber(size) - 1),
    around = (middle, error) => [middle - width * error, middle + width * error];
  let skew = 0;
  const models = costs.map((cost, k) => {
    const gap = apart(cost, costs[best]),
      saving = gap / Math.abs(cost);
    const gaps = own[k].map((v, i) => (Math.abs(v - own[best][i]) <= grain ? 0 : v - own[best][i]));
    const saved = gaps.map((v, i) => (v - saving * Math.sign(cost) * own[k][i]) / Math.abs(cost));
    for (const row of [own[k], gaps]) {
      let second = 0,
        third = 0;
      for (const v of row) {
        second += v * v;
        third += v * v * v;
      }
      if (second) skew = Math.max(skew, Math.abs(third) / second ** 1.5);
    }
    const error = deviation(gaps);
    return {
      cost: around(cost, deviation(own[k])),
      gap: around(gap, error),
      saving: around(saving, error ? deviation(saved) : 0),
      spread: error,
      same: !gap && !error
    };
  });
  if (skew > MOST_SKEW) return null;
  const ranked = costs.map((_, k) => k).sort((i, j) => costs[i] - costs[j] || i - j);
  const covariance = ranked.map((i) => ranked.map((j) => product(own[i], own[j])));
  const draws = evenDraws(
    ranked.map((k) => costs[k]),
    covariance
  ).map((row) => {
    const all = [];
    ranked.forEach((k, place) => (all[k] = row[place]));
    models.forEach(({same}, k) => same && (all[k] = all[best]));
    return all;
  });
  return {models, shares: shareBest(draws)};
}

// Draws from a joint normal law, spread evenly over its levels.
function evenDraws(means, covariance) {
  const m = means.length,
    factor = means.map(() => new Float64Array(m)),
    primes = [];
  for (let n = 2; primes.length < m; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  for (let j = 0; j < m; j++) {
    const rest = (i) => covariance[i][j] - dot(factor[i], factor[j], 0, j),
      left = rest(j);
    if (left > 1e-12 * covariance[j][j]) for (let i = j; i < m; i++) factor[i][j] = rest(i) / Math.sqrt(left);
  }
  return Array.from({length: NORMAL_DRAWS}, (_, k) => {
    const normals = primes.map((prime) => normalQuantile(((k + 0.5) * Math.sqrt(prime)) % 1));
    return means.map((mean, i) => mean + dot(factor[i], normals, 0, i + 1));
  });
}

// {costs, gaps, together: [repeat][model], bands: [repeat below BAND_REPEATS][model][place]}.
async function resampleCases(data, ask, places, draws, progress, best) {
  const {y, models, weight, groups} = data,
    number = groups ? groups.number : null,
    m = models.length,
    units = lossRows(data),
    law = normalLaw(units, best, m),
    repeats = !law ? REPEATS : places ? BAND_REPEATS : 0; // a normal law leaves the bands of the picture to be drawn
  const size = units.length > m ? units[m] : new Float64Array(y.length).fill(1);
  const together = (groups ? [size, ...units.slice(0, m)] : []).reduce(
    (all, column) => sorted(column, all),
    Uint32Array.from(size.keys())
  );
  const rows = pairRows(units, best, m, together),
    found = {costs: [], gaps: [], together: [], bands: [], law, size};
  found.narrow = whyNarrow(skewness(units, best, m), size, groups ? "groups" : "cases");
  const curves = places && models.map((model) => binned(ask.kind, y, model, weight, places)),
    whole = weight ? sum(weight) : y.length;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const counts = await draws.next(),
      sums = counted(counts, rows),
      each = (part) => Array.from({length: m}, (_, k) => sums[3 * k + part] / sums[3 * k + 2]);
    const costs = each(0),
      gaps = each(1).map((gap, k) => (Math.abs(gap) <= 1e-12 * Math.abs(costs[k] - gap) ? 0 : gap));
    found.costs.push(costs);
    found.gaps.push(gaps);
    found.together.push(
      m > 2
        ? Array.from(sums.subarray(3 * m, 4 * m), (value) => value / sums[4 * m])
        : gaps.map((gap, k) => (k === best ? 0 : gap))
    );
    if (curves && repeat < BAND_REPEATS) {
      const total = !number && !weight ? whole : counted(counts, [size])[0];
      found.bands.push(curves.map((curve) => curveOf(curve, counts, number, total, places.theta, ask.kind)));
    }
    if (repeat % 10 === 9) progress((repeat + 1) / repeats);
  }
  return found;
}

// Which point of the axis a case's place lies before, and what it adds there.
function binned(kind, y, model, weight, places) {
  const {then, otherwise, places: placeOf} = DECISIONS[kind],
    edges = kind === "selective" ? places.shown : places.theta;
  const one = then(y, model),
    two = otherwise(y, model),
    size = edges.length + 1,
    slots = [[], []];
  const bin = Uint16Array.from(placeOf(model), (v) => lowerBound(edges, v)),
    parts = kind === "binary" ? [one] : [one, two];
  for (const [k, part] of parts.entries()) {
    // of a yes or no decision each case adds to one side only
    slots[k] = kind === "binary" ? bin.map((b, i) => (y[i] ? b : b + size)) : bin.map((b) => b + k * size);
    part.forEach((v, i) => {
      part[i] = (kind === "binary" ? 1 : v) * (weight ? weight[i] : 1);
    });
  }
  return parts.map((values, k) => ({slots: slots[k], values}));
}

function curveOf(curve, counts, number, total, theta, kind) {
  const added = new Float64Array(2 * theta.length + 2),
    size = theta.length + 1;
  for (const {slots, values} of curve) {
    if (number) for (let i = 0; i < slots.length; i++) added[slots[i]] += counts[number[i]] * values[i];
    else for (let i = 0; i < slots.length; i++) added[slots[i]] += counts[i] * values[i];
  }
  let reached = 0,
    waiting = sum(added.subarray(size));
  return theta.map((t, j) => {
    reached += added[j];
    waiting -= added[size + j];
    return (DECISIONS[kind].before(t) * reached + t * waiting) / total;
  });
}

// Top k on counted cases: expected precision under the prior on k/n, and at each k of the grid.
function picked({y, order, starts}, counts, number, worth, ks) {
  let place = 0,
    hits = 0,
    value = 0,
    next = 0;
  const at = [];
  for (let s = 0; s + 1 < starts.length; s++) {
    let cases = 0,
      events_ = 0;
    for (let k = starts[s]; k < starts[s + 1]; k++) {
      const i = order[k],
        c = counts[number ? number[i] : i];
      cases += c;
      events_ += c * y[i];
    }
    if (!cases) continue;
    if (events_) value += (events_ / cases) * (worth[place + cases] - worth[place]);
    while (ks && next < ks.length && ks[next] <= place + cases) {
      at.push(-(hits + (events_ * (ks[next] - place)) / cases) / ks[next]);
      next += 1;
    }
    place += cases;
    hits += events_;
  }
  return {cost: -value, at};
}

// sum over r < j of what a hit at place r is worth, j = 0..n.
function worthOfPlaces(prior, n) {
  const mass = new Float64Array(n),
    worth = new Float64Array(n + 1);
  let below = 0,
    above = 1;
  for (let j = 0; j < n; j++) {
    const x = (j + 1) / n,
      next = [prior.below(x), prior.above(x)];
    mass[j] = Math.max(next[0] < 0.5 ? next[0] - below : above - next[1], 0);
    [below, above] = next;
  }
  for (let j = n - 1, tail = 0; j >= 0; j--) {
    tail += mass[j] / (j + 1);
    worth[j + 1] = tail;
  }
  for (let j = 0; j < n; j++) worth[j + 1] += worth[j];
  return worth;
}

function blocksOf(y, f) {
  const order = sortedDown(f),
    starts = [];
  for (let k = 0; k < order.length; k++) if (!k || f[order[k]] !== f[order[k - 1]]) starts.push(k);
  return {y, f, order, starts: [...starts, order.length]};
}

// The same for picks: each pair of a model and the best one in an order of its own.
async function resamplePicks(data, ask, places, draws, progress, best) {
  const {y, models, groups} = data,
    n = y.length,
    units = groups ? groups.count : n,
    number = groups ? groups.number : null,
    m = models.length;
  const sizes = new Float64Array(units),
    kept = new Map();
  for (let i = 0; i < n; i++) sizes[number ? number[i] : i] += 1;
  const worthOf = (size) => {
    if (!kept.has(size)) kept.set(size, worthOfPlaces(ask.prior, size));
    return kept.get(size);
  };
  const blocksIn = (ones, order) => ones.map((k) => blocksOf(taken(y, order), taken(models[k].f, order)));
  const pairOf = (k) => (k === best ? [best] : [best, k]),
    plainOrder = Uint32Array.from(y.keys());
  const pairs = models.map((_, k) =>
    blocksIn(
      pairOf(k),
      groups
        ? plainOrder
        : canonical(
            y,
            pairOf(k).map((j) => models[j]),
            null,
            []
          )
    )
  );
  const ranked = models.map(({f}) => blocksOf(y, f)),
    ones = new Float64Array(units).fill(1),
    found = {costs: [], gaps: [], together: [], bands: [], size: sizes};
  const plain = ranked.map((one) => picked(one, ones, number, worthOf(n), places.theta));
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const counts = await draws.next(),
      [size] = counted(counts, [sizes]),
      worth = worthOf(size);
    const ks = repeat < BAND_REPEATS ? places.theta.filter((k) => k <= size) : null;
    const each = pairs.map((pair) => pair.map((one) => picked(one, counts, number, worth).cost)),
      costs = each.map((pair) => pair[pair.length - 1]);
    found.costs.push(costs);
    found.gaps.push(costs.map((cost, k) => apart(cost, each[k][0])));
    const all = m > 2 || ks ? ranked.map((one) => picked(one, counts, number, worth, ks)) : null;
    found.together.push(
      m > 2 ? all.map(({cost}) => cost) : costs.map((cost, k) => (k === best ? (each[1 - best]?.[0] ?? cost) : cost))
    );
    if (ks && ks.length === places.theta.length) found.bands.push(all.map(({at}) => at));
    if (kept.size > 50) kept.clear();
    if (repeat % 10 === 9) progress((repeat + 1) / REPEATS);
  }
  const noise = Math.sqrt(6 / REPEATS), // the standard error of a skewness that is taken from resamples
    drawn = models.map((_, k) => found[m > 1 ? "gaps" : "costs"].map((row) => row[k]).filter(Number.isFinite));
  const skew = Math.max(...drawn.map((row) => skewOf(row) * Math.sqrt(row.length))) - noise;
  found.narrow = whyNarrow(skew, sizes, groups ? "groups" : "cases");
  return {lines: plain.map(({at}) => at), ...found};
}

// numpy's quantile with method "inverted_cdf", NaN left out.
function percentiles(values, tail) {
  const known = Float64Array.from(values.filter((v) => !Number.isNaN(v))).sort();
  return known.length
    ? [tail, 1 - tail].map((q) => {
        const at = known.length * q - 1,
          k = Math.floor(at);
        return known[Math.max(0, at > k ? k + 1 : k)];
      })
    : [NaN, NaN];
}

function spread(values) {
  const known = values.filter(Number.isFinite),
    mean = sum(known) / known.length;
  return Math.sqrt(sum(known.map((v) => (v - mean) ** 2)) / known.length);
}

// The whole comparison. data: {y, models, weight, groups, shares}; ask: see `asked`, or {kind: "shares"}.
async function compareModels(data, ask, progress, drawsOf) {
  const {y, models} = data,
    n = y.length,
    own = ask.kind === "shares",
    picks = ask.kind === "topk";
  const draws = drawsOf(data.groups ? data.groups.count : n);
  await draws.begun;
  const score = (model) => (own ? lossesAt(y, model, data.shares) : DECISIONS[ask.kind].losses(y, model, ask.prior));
  let losses = picks ? [] : models.map(score);
  const order = canonical(y, models, data.weight, own ? losses : []); // one prior: same forecasts, same losses
  const groups = data.groups && {
    count: data.groups.count,
    number: taken(data.groups.number, order),
    whose: data.groups.number
  };
  const inOrder = {
    y: taken(y, order),
    weight: data.weight && taken(data.weight, order),
    groups,
    losses: losses.map((row) => taken(row, order)),
    models: models.map((m) => (m.f ? {f: taken(m.f, order)} : {mean: taken(m.mean, order), std: taken(m.std, order)}))
  };
  const places = own ? null : grid(ask, n),
    ranks = picks || own ? null : models.map((model) => sorted(DECISIONS[ask.kind].places(model)));
  const metrics = metricsOf(data, picks || own ? "binary" : ask.kind);
  const curves = own
    ? null
    : models.map((model, k) =>
        picks ? stepCurve(y, model, sortedDown(model.f)) : costCurve(ask.kind, y, model, data.weight, ranks[k])
      );
  const parts = ask.kind === "binary" ? corp(data, ask, losses, ranks) : null;
  const costs = picks
    ? models.map((model) => costOf(data, ask, model))
    : losses.map((row) => average(row, data.weight));
  const best = costs.reduce((k, v, j) => (v < costs[k] ? j : k), 0),
    about = {...aboutOf(data, groups, ask), copies: groups ? null : copiesOf(inOrder)},
    {few} = about;
  const skills = skill(data, ask, costs),
    gapOf = (k) => apart(costs[k], costs[best]);
  const held = models.map((_, k) =>
    k === best || !curves ? {radius: NaN, statement: ""} : robustness(curves[k], curves[best], gapOf(k), ask.statement)
  );
  let found;
  try {
    found = await (picks ? resamplePicks : resampleCases)(inOrder, ask, places, draws, progress, best);
  } finally {
    draws.end();
  }
  const {law} = found,
    tail = tailOf(effectiveNumber(found.size)),
    shares = law ? law.shares : shareBest(found.together);
  const rows = models.map(({name}, k) => {
    const drawn = law ? [] : found.costs.map((row) => row[k]),
      gaps = law ? [] : found.gaps.map((row) => row[k]),
      normal = law && law.models[k];
    const [low, high] = law ? normal.cost : percentiles(drawn, tail),
      [from, to] = law ? normal.gap : percentiles(gaps, tail),
      gap = gapOf(k);
    const [least, most] = law
      ? normal.saving
      : percentiles(
          gaps.map((v, r) => v / Math.abs(drawn[r])),
          tail
        );
    const verdict =
      k === best
        ? "best"
        : [gap, from, to].some(Number.isNaN)
          ? "undefined"
          : few
            ? "not separable"
            : from > 0
              ? "costlier"
              : to < 0
                ? "cheaper"
                : "not separable";
    return {
      name,
      cost: costs[k],
      low,
      high,
      skill: skills[k],
      difference: gap,
      "difference low": from,
      "difference high": to,
      saving: gap / Math.abs(costs[k]),
      "saving low": least,
      "saving high": most,
      "share best": shares[k],
      undefined: law ? 0 : gaps.filter(Number.isNaN).length / gaps.length,
      verdict,
      "cases needed":
        gap && !few
          ? Math.ceil((groups ? groups.count : n) * ((REACH * (law ? normal.spread : spread(gaps))) / gap) ** 2)
          : NaN,
      ...held[k]
    };
  });
  const ranking = rows.map((_, k) => k).sort((i, j) => costs[i] - costs[j] || i - j);
  const ranked = ranking.map((k) => rows[k]);
  return {
    models: ranked.map((row) => ({...row, "cases about": rounded(row["cases needed"], 2)})),
    words: inWords(ranked, about),
    remarks: [...remarksOf(ranked, about), ...found.narrow],
    notes: notes(n, groups, data.weight, law),
    picture: places && places.shown.length > 1 ? picture(data, ask, places, found, curves, best, ranking) : null,
    metrics: metrics.map(({name, values}) => ({name, values: ranking.map((k) => values[k])})),
    parts: parts && ranking.map((k) => parts[k])
  };
}

// A difference that is more than rounding.
function apart(one, two) {
  const gap = one - two;
  return Math.abs(gap) <= 1e-12 * Math.abs(two) ? 0 : gap;
}

function shareBest(resampled) {
  const defined = resampled.filter((row) => !row.some(Number.isNaN)),
    shares = resampled[0].map(() => 0);
  for (const row of defined) {
    const least = Math.min(...row),
      count = row.filter((v) => !apart(v, least)).length;
    row.forEach((v, k) => {
      if (!apart(v, least)) shares[k] += 1 / count;
    });
  }
  return shares.map((v) => (defined.length ? v / defined.length : NaN));
}

function costOf(data, ask, model) {
  if (ask.kind === "topk")
    return picked(
      blocksOf(data.y, model.f),
      new Float64Array(data.y.length).fill(1),
      null,
      worthOfPlaces(ask.prior, data.y.length)
    ).cost;
  return average(
    ask.kind === "shares" ? lossesAt(data.y, model, data.shares) : DECISIONS[ask.kind].losses(data.y, model, ask.prior),
    data.weight
  );
}

// What a calibrated forecast costs whose cases of each block get the block's own share of events.
const calibratedCost = (blocks, prior) =>
  sum(
    blocks.map(({mean, total}) => total * (mean * prior.complementAbove(mean) + (1 - mean) * prior.partialMean(mean)))
  ) / sum(blocks.map(({total}) => total));

// Share of the way from a forecast without features to a perfect one.
function skill(data, ask, costs) {
  const {y, weight} = data,
    n = y.length,
    mean = average(y, weight);
  let base, perfect;
  if (ask.kind === "selective") {
    const wide = Math.sqrt(
        average(
          y.map((v) => (v - mean) ** 2),
          weight
        )
      ),
      all = (value) => new Float64Array(n).fill(value);
    if (!(wide > 0)) return costs.map(() => NaN);
    [base, perfect] = [
      {mean: all(mean), std: all(wide)},
      {mean: y, std: all(1e-6 * wide)}
    ].map((model) => costOf(data, ask, model));
  } else if (ask.kind === "binary") [base, perfect] = [calibratedCost([{mean, total: 1}], ask.prior), 0];
  else
    [base, perfect] = [{f: new Float64Array(n).fill(mean)}, {f: Float64Array.from(y)}].map((model) =>
      costOf(data, ask, model)
    );
  const size = Math.max(Math.abs(base), Math.abs(perfect), ...costs.map(Math.abs));
  return costs.map((cost) => (base - perfect > 1e-13 * size ? (base - cost) / (base - perfect) : NaN));
}

function picture(data, ask, places, found, curves, best, ranking) {
  const at = (k) => (ask.kind === "topk" ? found.lines[k] : curveAt(data, ask, places, k));
  const lines = data.models.map((_, k) => at(k)),
    m = ranking;
  const bands = m.map((k) =>
    k === best
      ? null
      : places.theta.map((_, j) =>
          percentiles(
            found.bands.map((row) => row[k][j] - row[best][j]),
            tailOf(effectiveNumber(found.size))
          )
        )
  );
  return {
    axis: RULES.axes[ask.kind],
    x: places.shown,
    names: m.map((k) => data.models[k].name),
    costs: m.map((k) => lines[k]),
    gaps: m.map((k) => lines[k].map((v, j) => v - lines[best][j])),
    bands: bands.map((b) => b && [b.map(([v]) => v), b.map(([, v]) => v)]),
    hill: hill(ask, places.shown)
  };
}

function curveAt(data, ask, places, k) {
  const {y, models, weight} = data,
    ones = new Float64Array(y.length).fill(1);
  return curveOf(
    binned(ask.kind, y, models[k], weight, places),
    ones,
    null,
    weight ? sum(weight) : y.length,
    places.theta,
    ask.kind
  );
}

function metricsOf(data, kind) {
  const task = kind === "selective" ? "regression" : "binary";
  return Object.entries(METRICS[task]).map(([name, metric]) => ({
    name,
    values: data.models.map((model) => metric(data.y, model, data.weight))
  }));
}

// Miscalibration, discrimination and uncertainty of each model, by isotonic regression.
function corp({y, models, weight}, {prior}, losses, ranks) {
  const flat = calibratedCost([{mean: average(y, weight), total: 1}], prior);
  return models.map(({name, f}, k) => {
    const calibrated = calibratedCost(isotonicBlocks(y, f, weight, ranks[k]), prior);
    return {
      name,
      miscalibration: average(losses[k], weight) - calibrated,
      discrimination: flat - calibrated,
      uncertainty: flat
    };
  });
}

const whole = (v) => (Math.abs(v % 1) === 0.5 ? 2 * Math.round(v / 2) : Math.round(v) + 0);
const percent = (share) => `${Math.abs(100 * share) >= 9.95 ? whole(100 * share) : general(100 * share + 0, 2)}%`;

// A sentence of the rules, filled in.
const say = (sentence, words) => RULES.sentences[sentence].replace(/\{(\w+)\}/g, (_, name) => words[name]);
const count = (v) => v.toLocaleString("en");

// What carries information: units with a positive weight, and units with events and without.
function aboutOf({y, weight}, groups, ask) {
  const unit = groups ? "groups" : "cases",
    binary = ask.kind !== "selective",
    carries = (i) => !weight || weight[i] > 0;
  const kinds = [carries, ...(binary ? [(i) => carries(i) && y[i] === 1, (i) => carries(i) && y[i] === 0] : [])];
  const counts = kinds.map((kept) => {
    const seen = new Set();
    let all = 0;
    for (let i = 0; i < y.length; i++)
      if (kept(i)) {
        all += 1;
        if (groups) seen.add(groups.whose[i]);
      }
    return groups ? seen.size : all;
  });
  const which = counts.reduce((least, v, k) => (v < counts[least] ? k : least), 0),
    least = counts[which];
  const few = least >= Math.log2(2 / (1 - 0.95)) ? "" : fewUnits(least, which, unit);
  return {
    unit,
    few,
    cases: y.reduce((all, _, i) => all + carries(i), 0),
    events: binary ? y.reduce((all, v, i) => all + (carries(i) && v === 1), 0) : null,
    base: binary ? "the base rate" : "the mean and standard deviation of all cases",
    coverage: "95"
  };
}

function fewUnits(number, which, unit) {
  const one = number < 2 ? unit.slice(0, -1) : unit;
  const name = [
    one,
    unit === "cases" ? `event${number < 2 ? "" : "s"}` : `${one} with an event`,
    `${one} without an event`
  ][which];
  return `there ${number < 2 ? "is" : "are"} ${number ? `only ${count(number)}` : "no"} ${name}`;
}

function inWords(rows, about) {
  const {name: first, cost} = rows[0];
  if (rows.length === 1) return [say("alone", {first, cost: general(cost, 4)})];
  return rows.slice(1).map((row) => {
    if (row.verdict === "undefined") return say("undefined", {first, name: row.name});
    if (!row.difference) return say("same", {first, name: row.name});
    const alike = cost !== 0 && Math.sign(cost) === Math.sign(row.cost),
      gains = alike && cost < 0;
    const kind = alike ? "saving" : "difference",
      shown = alike ? percent : (v) => general(v, 3);
    const side = (v) => (v >= 0 !== gains ? "less" : "more"),
      [low, high] = [row[`${kind} low`], row[`${kind} high`]];
    const ends =
      side(low) === side(high)
        ? `${shown(Math.abs(low))} to ${shown(Math.abs(high))} ${side(low)}`
        : `${shown(Math.abs(low))} ${side(low)} to ${shown(Math.abs(high))} ${side(high)}`;
    const size = `${shown(Math.abs(row[kind]))} ${side(row[kind])}`;
    const words = say("apart", {
      first,
      verb: gains ? "gains" : "costs",
      size,
      name: row.name,
      coverage: about.coverage,
      ends
    });
    if (row.verdict !== "not separable") return `${words}.`;
    const needed = row["cases needed"],
      {unit} = about;
    if (!Number.isFinite(needed)) return say("few", {apart: words, few: about.few || `there are too few ${unit}`});
    return needed >= 1e9
      ? say("endless", {apart: words, unit})
      : say("needed", {apart: words, needed: count(rounded(needed, 2)), unit});
  });
}

// The event and how often it came, and models that cost more than no model; {event} is named where it is known.
function remarksOf(rows, about) {
  const said = [],
    {events, cases, base, coverage} = about,
    worse = rows.filter(({skill}) => skill < 0).map(({name}) => name);
  if (events !== null) {
    said.push(say("events", {events: count(events), cases: count(cases), event: about.event || "{event}"}));
    const [number, kind] = events > cases - events ? [cases - events, "cases without an event"] : [events, "events"];
    if (number < RULES.few_events) said.push(say("few_events", {kind, number: count(number), coverage}));
  }
  if (about.copies) {
    const {different, times} = about.copies;
    const wider = general(Math.sqrt(times), 2);
    said.push(
      say("copies", {cases: count(about.copies.cases), different: count(different), times: count(times), wider})
    );
  }
  if (worse.length && worse.length === rows.length)
    said.push(say("all_worse", {base, event: events === null ? "" : ", and which label is the event"}));
  else if (worse.length) said.push(say("some_worse", {names: worse.join(", "), base}));
  return said;
}

function notes(n, groups, weight, law) {
  const units =
    (groups ? `${groups.count} groups with ${n} cases` : `${n} cases`) + (weight ? ", each with its weight" : "");
  const how = law
    ? `normal, from the spread over ${units}`
    : `from ${REPEATS} resamples of ${units}, the same ones for all models`;
  return `Intervals: 95%, ${how}. They cover which cases are in the sample, not the luck of fitting.`;
}
