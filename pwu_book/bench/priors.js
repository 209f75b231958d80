// Beta and log-normal priors: tails, partial means, quantiles, and the prior with two stated quantiles.
const LANCZOS = [
  0.9999999999999971, 57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  3.399464998481189e-5, 4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488,
  0.00021743961811521265, -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5, 3.6899182659531625e-6
];
const HALF_LOG_2PI = 0.9189385332046728;

function logGamma(x) {
  if (x < 0.5) return logGamma(x + 1) - Math.log(x);
  let sum = LANCZOS[0];
  for (let k = 1; k < 15; k++) sum += LANCZOS[k] / (x - 1 + k);
  const t = x - 1 + 5.2421875;
  return (x - 0.5) * Math.log(t) - t + HALF_LOG_2PI + Math.log(sum);
}

// What Stirling's formula leaves of the logarithm of gamma, from x = 10 on.
function stirlingRest(x) {
  const t = 1 / (x * x);
  return (1 / 12 - t * (1 / 360 - t * (1 / 1260 - t * (1 / 1680 - t * (1 / 1188 - t * (691 / 360360 - t / 156)))))) / x;
}

const betas = []; // the last few, [a, b, logarithm]
function logBeta(a, b) {
  for (const one of betas) if (one[0] === a && one[1] === b) return one[2];
  betas.unshift([a, b, newLogBeta(a, b)]);
  betas.length = Math.min(betas.length, 6);
  return betas[0][2];
}
const newLogBeta = (a, b) =>
  Math.min(a, b) < 10
    ? logGamma(a) + logGamma(b) - logGamma(a + b)
    : a * Math.log(a / (a + b)) +
      b * Math.log(b / (a + b)) +
      HALF_LOG_2PI +
      Math.log((a + b) / (a * b)) / 2 +
      stirlingRest(a) +
      stirlingRest(b) -
      stirlingRest(a + b);

// x^a (1 - x)^b / B(a, b) from `y = 1 - x`; for large shapes around the mean, where powers lose digits.
function betaTerm(a, b, x, y) {
  if (Math.min(a, b) < 10) return Math.exp(a * Math.log(x) + b * Math.log(y) - logBeta(a, b));
  const p = a / (a + b),
    q = b / (a + b),
    d = x - p;
  return (
    Math.exp(a * Math.log1p(d / p) + b * Math.log1p(-d / q) - stirlingRest(a) - stirlingRest(b) + stirlingRest(a + b)) *
    Math.sqrt((a * q) / (2 * Math.PI))
  );
}

// The continued fraction of DLMF 8.17.22 for I_x(a, b) a B(a, b) / x^a / (1 - x)^b.
function betaFraction(a, b, x) {
  let c = 1,
    d = 1 / (1 - ((a + b) * x) / (a + 1)),
    h = d;
  for (let m = 1; m < 20000; m++) {
    const two = a + 2 * m,
      even = (m * (b - m) * x) / ((two - 1) * two);
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / (two * (two + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    const change = d * c;
    h *= change;
    if (Math.abs(change - 1) < 1e-16) break;
  }
  return h;
}

// Below and above x: probability under Beta(a, b), and under Beta(a + 1, b).
function betaTails(a, b, x) {
  if (!(x > 0)) return [0, 1, 0, 1];
  if (!(x < 1)) return [1, 0, 1, 0];
  const step = betaTerm(a, b, x, 1 - x) / a;
  if (x < (a + 1) / (a + b + 2)) {
    const next = (betaTerm(a + 1, b, x, 1 - x) / (a + 1)) * betaFraction(a + 1, b, x);
    return [next + step, 1 - next - step, next, 1 - next];
  }
  const above = (betaTerm(b, a, 1 - x, x) / b) * betaFraction(b, a, 1 - x);
  return [1 - above, above, 1 - above - step, above + step];
}

// The smaller tail of the normal distribution beyond |z|: a series in the middle, a continued fraction outside.
function normalTail(z) {
  const u = Math.abs(z),
    density = Math.exp((-u * u) / 2) / Math.sqrt(2 * Math.PI);
  if (u < 3) {
    let term = u,
      sum = u;
    for (let k = 1; Math.abs(term) > 1e-17 * sum; k++) {
      term *= (u * u) / (2 * k + 1);
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let rest = 0;
  for (let k = 120; k > 0; k--) rest = k / (u + rest);
  return density / (u + rest);
}
const normalBelow = (z) => (z < 0 ? normalTail(z) : 1 - normalTail(z));

// The z with normalBelow(z) = q: a rational start (Abramowitz and Stegun, 26.2.23), then Newton.
function normalQuantile(q) {
  const tail = Math.min(q, 1 - q),
    t = Math.sqrt(-2 * Math.log(tail));
  let u = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (let k = 0; k < 3; k++) {
    const above = u < 0 ? 1 - normalTail(u) : normalTail(u);
    u += ((above - tail) * Math.sqrt(2 * Math.PI)) / Math.exp((-u * u) / 2);
  }
  return q < 0.5 ? -u : u;
}

function bisect(low, high, above, steps = 200) {
  // where `above` turns from false to true
  for (let k = 0; k < steps; k++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (above(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
const expit = (t) => (t < 0 ? Math.exp(t) / (1 + Math.exp(t)) : 1 / (1 + Math.exp(-t)));
const logit = (p) => Math.log(p) - Math.log1p(-p);

class Beta {
  constructor(a, b) {
    Object.assign(this, {a, b});
  }
  get shape() {
    return {a: this.a, b: this.b};
  }
  get said() {
    return `Beta(${general(this.a, 4)}, ${general(this.b, 4)})`;
  }
  get python() {
    return `pwu.Beta(${this.a}, ${this.b})`;
  }
  below(x) {
    return betaTails(this.a, this.b, x)[0];
  }
  above(x) {
    return betaTails(this.a, this.b, x)[1];
  }
  partialMean(x) {
    return (this.a / (this.a + this.b)) * betaTails(this.a, this.b, x)[2];
  } // E[c; c < x]
  complementAbove(x) {
    return (this.b / (this.a + this.b)) * betaTails(this.a, this.b + 1, x)[1];
  } // E[1 - c; c >= x]
  density(x) {
    return betaTerm(this.a, this.b, x, 1 - x) / x / (1 - x);
  }
  quantile(q) {
    const by = q < 0.5 ? (t) => this.below(expit(t)) >= q : (t) => this.above(expit(t)) <= 1 - q;
    return expit(bisect(-700, 36, by));
  }
}

class LogNormal {
  constructor(mu, sigma) {
    Object.assign(this, {mu, sigma});
  }
  get shape() {
    return {mu: this.mu, sigma: this.sigma};
  }
  get said() {
    return `LogNormal(${general(this.mu, 4)}, ${general(this.sigma, 4)})`;
  }
  get python() {
    return `pwu.LogNormal(${this.mu}, ${this.sigma})`;
  }
  z(x) {
    return (Math.log(x) - this.mu) / this.sigma;
  }
  above(x) {
    const z = this.z(x);
    return z > 0 ? normalTail(z) : 1 - normalTail(z);
  }
  partialMean(x) {
    return Math.exp(this.mu + this.sigma ** 2 / 2) * normalBelow(this.z(x) - this.sigma);
  }
  density(x) {
    return Math.exp(-(this.z(x) ** 2) / 2) / (x * this.sigma * Math.sqrt(2 * Math.PI));
  }
  quantile(q) {
    return Math.exp(this.mu + this.sigma * bisect(-40, 40, (z) => normalBelow(z) >= q));
  }
}

const Z95 = 1.6448536269514722; // the normal quantile of 0.95
const lognormalBetween = (low, high) =>
  new LogNormal((Math.log(low) + Math.log(high)) / 2, (Math.log(high) - Math.log(low)) / (2 * Z95));

// The Beta prior with a twentieth of its mass below `low` and a twentieth above `high`.
function betaBetween(low, high) {
  const tail = (1 - 0.9) / 2,
    centre = logit(low);
  const shapes = (size) => {
    const at = bisect(
      centre - 60,
      centre + 60,
      (t) => betaTails(Math.exp(size) * expit(t), Math.exp(size) * expit(-t), low)[0] <= tail
    );
    return [Math.exp(size) * expit(at), Math.exp(size) * expit(-at)];
  };
  const size = bisect(-12, 13.8, (s) => betaTails(...shapes(s), high)[1] <= tail);
  const [a, b] = shapes(size),
    [below] = betaTails(a, b, low),
    [, above] = betaTails(a, b, high);
  if (!(Math.abs(below - tail) + Math.abs(above - tail) < 1e-8)) {
    throw Error("no Beta prior has nine tenths of its mass in this range: it is too narrow or too wide");
  }
  return new Beta(a, b);
}
