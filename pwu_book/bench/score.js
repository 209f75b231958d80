// What a decision costs: each case's loss, curves over the decision parameter, conventional metrics.
const sum = (values) => {
  let total = 0;
  for (const v of values) total += v;
  return total;
};

function average(values, weight) {
  let total = 0,
    mass = 0;
  for (let i = 0; i < values.length; i++) {
    const w = weight ? weight[i] : 1;
    if (w) total += w * values[i];
    mass += w;
  }
  return total / mass;
}

// The three decisions. `losses` of each case; `parts` of the cost curve: a case is on the right side of its `place`
// (c, the
// standard deviation) with `then`, on its left side with `else_` times theta, and a factor of theta before `then`.
const DECISIONS = {
  binary: {
    domain: [0, 1],
    losses: (y, {f}, prior) => Float64Array.from(f, (v, i) => (y[i] ? prior.complementAbove(v) : prior.partialMean(v))),
    theta: (place) => place,
    before: (theta) => 1 - theta,
    then: (y) => Float64Array.from(y),
    otherwise: (y) => Float64Array.from(y, (v) => 1 - v),
    places: ({f}) => f
  },
  selective: {
    domain: [0, Infinity],
    losses: (y, {mean, std}, prior) =>
      Float64Array.from(mean, (m, i) => (m - y[i]) ** 2 * prior.above(std[i] ** 2) + prior.partialMean(std[i] ** 2)),
    theta: (place) => place ** 2,
    before: () => 1,
    then: (y, {mean}) => Float64Array.from(mean, (m, i) => (m - y[i]) ** 2),
    otherwise: (y) => new Float64Array(y.length).fill(1),
    places: ({std}) => std
  }
};

// With a cost share for each case: a miss costs 1 - c, a false alarm c.
const lossesAt = (y, {f}, shares) =>
  Float64Array.from(f, (v, i) => (y[i] ? (v <= shares[i] ? 1 - shares[i] : 0) : v > shares[i] ? shares[i] : 0));

// A cost curve, linear between places: edges, and for each piece the value at its left end and the limit at its
// right end.
function costCurve(kind, y, model, weight, order) {
  const {domain, theta, before} = DECISIONS[kind],
    place = DECISIONS[kind].places(model);
  const then = DECISIONS[kind].then(y, model),
    otherwise = DECISIONS[kind].otherwise(y, model);
  const n = y.length,
    total = weight ? sum(weight) : n,
    edges = [domain[0]],
    left = [],
    right = [];
  let reached = 0,
    waiting = 0;
  for (let i = 0; i < n; i++) waiting += otherwise[i] * (weight ? weight[i] : 1);
  const close = (end) => {
    const start = edges[edges.length - 1],
      value = (t) => (before(t) * reached + (waiting && t * waiting)) / total;
    left.push(value(start));
    right.push(end === Infinity ? left[left.length - 1] : value(end));
  };
  for (let k = 0; k < n;) {
    const at = place[order[k]],
      edge = theta(at);
    if (edge >= domain[1]) break;
    if (edge > edges[edges.length - 1]) {
      close(edge);
      edges.push(edge);
    }
    for (; k < n && place[order[k]] === at; k++) {
      const i = order[k],
        w = weight ? weight[i] : 1;
      reached += w * then[i];
      waiting -= w * otherwise[i];
      if (k === n - 1) waiting = 0; // no rounding is left over
    }
  }
  close(domain[1]);
  edges.push(domain[1]);
  return {edges, left, right};
}

// Top k: the cost of k = 1..n, minus precision, constant on ((k - 1)/n, k/n].
function stepCurve(y, {f}, order) {
  const n = y.length,
    left = new Float64Array(n);
  let hits = 0;
  for (let k = 0; k < n;) {
    let end = k,
      block = 0;
    for (; end < n && f[order[end]] === f[order[k]]; end++) block += y[order[end]];
    for (let j = k; j < end; j++) left[j] = -(hits + (block * (j + 1 - k)) / (end - k)) / (j + 1);
    hits += block;
    k = end;
  }
  return {edges: Array.from({length: n + 1}, (_, k) => k / n), left, right: left, steps: true};
}

const sizeOf = ({left, right}) =>
  Math.max(
    left.reduce((m, v) => Math.max(m, Math.abs(v)), 0),
    right.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
  );

function valueIn({edges, left, right}, piece, t) {
  const lo = edges[piece],
    hi = edges[piece + 1];
  return hi === Infinity ? left[piece] : left[piece] + ((t - lo) / (hi - lo)) * (right[piece] - left[piece]);
}

function difference(one, two) {
  if (one.steps)
    return {
      edges: one.edges,
      left: one.left.map((v, k) => v - two.left[k]),
      right: one.left.map((v, k) => v - two.left[k]),
      steps: true
    };
  const edges = [one.edges[0]],
    left = [],
    right = [];
  for (let i = 0, j = 0; i < one.left.length && j < two.left.length;) {
    const start = edges[edges.length - 1],
      end = Math.min(one.edges[i + 1], two.edges[j + 1]);
    left.push(valueIn(one, i, start) - valueIn(two, j, start));
    right.push(end === Infinity ? left[left.length - 1] : valueIn(one, i, end) - valueIn(two, j, end));
    edges.push(end);
    if (one.edges[i + 1] === end) i += 1;
    if (two.edges[j + 1] === end) j += 1;
  }
  return {edges, left, right};
}

// The largest value on [low, high), limits from the left counted.
function peak(curve, low, high) {
  const {edges, left, right, steps} = curve;
  let most = -Infinity;
  for (let p = 0; p < left.length; p++) {
    if (steps ? edges[p + 1] < low || edges[p] >= high : edges[p + 1] <= low || edges[p] >= high) continue;
    const start = Math.max(low, edges[p]),
      end = Math.min(high, edges[p + 1]);
    most = Math.max(
      most,
      steps || start === edges[p] ? left[p] : valueIn(curve, p, start),
      steps || end === edges[p + 1] ? right[p] : valueIn(curve, p, end)
    );
  }
  return most;
}
const negative = ({edges, left, right, steps}) => ({
  edges,
  left: left.map((v) => -v),
  right: right.map((v) => -v),
  steps
});

// The share of readers who may believe anything before the order of two models flips, and what a statement alone
// decides.
function robustness(one, best, gap, statement) {
  const curve = difference(one, best),
    rounding = 1e-12 * Math.max(sizeOf(one), sizeOf(best));
  const ends = [curve.edges[0], curve.edges[curve.edges.length - 1]];
  let radius = 0;
  if (Math.abs(gap) > rounding) {
    const top = peak(gap > 0 ? negative(curve) : curve, ...ends);
    radius = top <= rounding ? 1 : Math.abs(gap) / (top + Math.abs(gap));
  }
  if (!statement) return {radius, statement: ""};
  const cells = [ends[0], ...statement, ends[1]],
    masses = [0.05, 0.9, 0.05];
  const upper = (c) => masses.reduce((total, mass, k) => total + mass * peak(c, cells[k], cells[k + 1]), 0);
  const high = upper(curve),
    low = -upper(negative(curve));
  const word =
    high <= rounding && low < -rounding ? "cheaper" : low >= -rounding && high > rounding ? "costlier" : "undecided";
  return {radius, statement: word};
}

// Isotonic regression on the labels themselves, tied forecasts together: {mean, total} of each block, means rising.
function isotonicBlocks(y, f, weight, order) {
  const blocks = [];
  for (let k = 0; k < order.length;) {
    const x = f[order[k]];
    let ones = 0,
      total = 0;
    for (; k < order.length && f[order[k]] === x; k++) {
      const w = weight ? weight[order[k]] : 1;
      total += w;
      ones += w * y[order[k]];
    }
    if (!total) continue;
    blocks.push({mean: ones / total, total});
    while (blocks.length > 1 && blocks[blocks.length - 2].mean >= blocks[blocks.length - 1].mean) {
      const last = blocks.pop(),
        block = blocks[blocks.length - 1],
        both = block.total + last.total;
      block.mean = (block.mean * block.total + last.mean * last.total) / both;
      block.total = both;
    }
  }
  return blocks;
}

// Ascending order, stable, after `order`: by the bits of the numbers, sixteen at a time.
function sorted(values, order = Uint32Array.from(values.keys())) {
  const bits = new Uint16Array(Float64Array.from(values, (v) => v + 0).buffer),
    next = new Uint32Array(order.length);
  for (let digit = 0; digit < 4; digit++) {
    const flipped = (i) =>
      bits[4 * i + 3] >> 15 ? 65535 - bits[4 * i + digit] : bits[4 * i + digit] | (digit === 3 ? 32768 : 0);
    const place = new Uint32Array(65537);
    for (let k = 0; k < order.length; k++) place[flipped(order[k]) + 1] += 1;
    if (order.length && place[flipped(order[0]) + 1] === order.length) continue; // all alike
    for (let k = 0; k < 65536; k++) place[k + 1] += place[k];
    for (let k = 0; k < order.length; k++) next[place[flipped(order[k])]++] = order[k];
    order = next.slice();
  }
  return order;
}
const sortedDown = (values) => sorted(values.map((v) => -v));
function lowerBound(ascending, value) {
  // how many are smaller
  let low = 0,
    high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const METRICS = {
  binary: {
    log_loss: (y, {f}, w) =>
      average(
        f.map((v, i) => -(y[i] ? Math.log(v) : Math.log1p(-v))),
        w
      ),
    brier_score: (y, {f}, w) =>
      average(
        f.map((v, i) => (v - y[i]) ** 2),
        w
      ),
    zero_one_loss: (y, {f}, w) =>
      average(
        f.map((v, i) => +(v > 0.5 !== !!y[i])),
        w
      ),
    expected_calibration_error: (y, {f}, w) => (w ? NaN : calibrationError(y, f)),
    retention_auc: (y, model, w) => (w ? NaN : retention(y, model)),
    error_detection_auroc: (y, model, w) => (w ? NaN : detection(y, model))
  },
  regression: {
    gaussian_nll: (y, {mean, std}, w) =>
      average(
        mean.map((m, i) => Math.log(std[i]) + HALF_LOG_2PI + ((y[i] - m) / std[i]) ** 2 / 2),
        w
      ),
    mean_squared_error: (y, {mean}, w) =>
      average(
        mean.map((m, i) => (m - y[i]) ** 2),
        w
      ),
    crps_gaussian: (y, {mean, std}, w) =>
      average(
        mean.map((m, i) => crps((y[i] - m) / std[i]) * std[i]),
        w
      )
  }
};
const crps = (z) =>
  z * (2 * normalBelow(z) - 1) + (2 * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI) - 1 / Math.sqrt(Math.PI);

function calibrationError(y, f) {
  const edges = Array.from({length: 9}, (_, k) => (k + 1) / 10),
    gaps = new Float64Array(10);
  f.forEach((v, i) => {
    gaps[lowerBound(edges, v)] += y[i] - v;
  });
  return gaps.reduce((total, gap) => total + Math.abs(gap), 0) / f.length;
}

// Cases from the least uncertain on, in blocks closer than 1e-12: [first, end of the block].
function uncertaintyBlocks(model) {
  return (model.unsure ||= blocksByUncertainty(model.f));
}
function blocksByUncertainty(f) {
  const unsure = f.map((v) => Math.min(v, 1 - v)),
    order = sorted(unsure),
    blocks = [];
  for (let k = 0; k < order.length;) {
    let end = k;
    while (end < order.length && unsure[order[end]] <= unsure[order[k]] + 1e-12) end += 1;
    blocks.push([k, end]);
    k = end;
  }
  return {order, blocks};
}
const isWrong = (y, f) => f.map((v, i) => +(v > 0.5 !== !!y[i]));

function retention(y, model) {
  const {order, blocks} = uncertaintyBlocks(model),
    wrong = isWrong(y, model.f);
  let kept = 0,
    total = 0;
  for (const [start, end] of blocks) {
    let errors = 0;
    for (let k = start; k < end; k++) errors += wrong[order[k]];
    for (let k = start; k < end; k++) {
      kept += errors / (end - start);
      total += kept / (k + 1);
    }
  }
  return total / y.length;
}

function detection(y, model) {
  const {order, blocks} = uncertaintyBlocks(model),
    wrong = isWrong(y, model.f),
    bad = sum(wrong),
    good = y.length - bad;
  let ranks = 0;
  for (const [start, end] of blocks)
    for (let k = start; k < end; k++) ranks += (wrong[order[k]] * (start + end + 1)) / 2;
  return bad && good ? (ranks - (bad * (bad + 1)) / 2) / (bad * good) : NaN;
}
