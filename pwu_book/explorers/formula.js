// A formula in p becomes a function to [value, derivative], and the same formula for Python. A parser of our
// own: what is written is never run as code.
function formula(text) {
  const token = /\s*(?:(\d+\.?\d*|\.\d+)|([a-zA-Z]+)|(\*\*|[-+*/^(),]))/y,
    words = [];
  for (token.lastIndex = 0; text.slice(token.lastIndex).trim();) {
    const from = token.lastIndex,
      found = token.exec(text);
    if (!found) throw Error(`“${text.slice(from).trim()[0]}” is not understood`);
    words.push(found[0].trim());
  }
  const functions = {
    log: ([u, du]) => [Math.log(u), du / u],
    exp: ([u, du]) => [Math.exp(u), du * Math.exp(u)],
    sqrt: ([u, du]) => [Math.sqrt(u), du / 2 / Math.sqrt(u)],
    abs: ([u, du]) => (u ? [Math.abs(u), du * Math.sign(u)] : [0, du && NaN]), // no slope at a kink
    min: (a, b) => (a[0] === b[0] && a[1] !== b[1] ? [a[0], NaN] : a[0] <= b[0] ? a : b),
    max: (a, b) => (a[0] === b[0] && a[1] !== b[1] ? [a[0], NaN] : a[0] >= b[0] ? a : b)
  };
  const operations = {
    "+": ([u, du], [v, dv]) => [u + v, du + dv],
    "-": ([u, du], [v, dv]) => [u - v, du - dv],
    "*": ([u, du], [v, dv]) => [u * v, du * v + u * dv],
    "/": ([u, du], [v, dv]) => [u / v, (du * v - u * dv) / v / v],
    "**": ([u, du], [v, dv]) => [u ** v, (du && v * u ** (v - 1) * du) + (dv && u ** v * Math.log(u) * dv)]
  };
  const bare = (part) => part.python.replace(/^\((.*)\)$/, part.closed ? "$1" : "$&");
  const exact = (part) => (part.fixed ? `sp.S(${bare(part)})` : part.python);
  const two = (sign, a, b) => ({
    at: (p) => operations[sign](a.at(p), b.at(p)),
    fixed: a.fixed && b.fixed,
    closed: true,
    python:
      sign === "/" || sign === "**"
        ? `(${exact(a)}${sign === "/" ? " / " : sign}${b.python})`
        : `(${a.python} ${sign} ${b.python})`
  });
  const next = (...wanted) => wanted.includes(words[0]) && words.shift();
  const need = (wanted) => {
    if (!next(wanted))
      throw Error(words.length ? `“${wanted}” is missing before “${words[0]}”` : `“${wanted}” is missing at the end`);
  };
  function sum() {
    let left = product();
    for (let sign; (sign = next("+", "-"));) left = two(sign, left, product());
    return left;
  }
  function product() {
    let left = signed();
    for (let sign; (sign = next("*", "/"));) left = two(sign, left, signed());
    return left;
  }
  function signed() {
    const sign = next("+", "-");
    if (!sign) return power();
    const part = signed();
    return sign === "+"
      ? part
      : {...part, at: (p) => part.at(p).map((v) => -v), python: `(-${part.python})`, closed: true};
  }
  function power() {
    const base = atom();
    return next("^", "**") ? two("**", base, signed()) : base;
  }
  function atom() {
    const word = words.shift();
    if (word === undefined) throw Error("something is missing at the end");
    if (/^[.\d]/.test(word))
      return {at: () => [+word, 0], fixed: true, python: /\./.test(word) ? `sp.Rational("${word}")` : word};
    if (word === "p") return {at: (p) => [p, 1], python: "p"};
    if (word === "(") {
      const inside = sum();
      need(")");
      return inside;
    }
    if (!Object.hasOwn(functions, word))
      throw Error(
        /^[a-z]/i.test(word)
          ? `“${word}” is not known: write p, log, exp, sqrt, abs, min or max`
          : `“${word}” stands where a number or p is expected`
      );
    need("(");
    const parts = [sum()];
    while (parts.length < functions[word].length && (need(","), true)) parts.push(sum());
    need(")");
    const name = {abs: "Abs", min: "Min", max: "Max"}[word] || word;
    return {
      at: (p) => functions[word](...parts.map((part) => part.at(p))),
      fixed: parts.every((part) => part.fixed),
      python: `sp.${name}(${parts.map(bare).join(", ")})`
    };
  }
  const whole = sum();
  if (words.length)
    throw Error(words[0] === ")" ? "one “)” too many" : `an operation is missing before “${words[0]}”, as in 2*p`);
  return {at: whole.at, python: bare(whole)};
}

// The reader's own score: the prior that each of its two losses asks for, and whether the two are one.
function written(texts) {
  const losses = [];
  for (const [k, text] of texts.entries()) {
    try {
      losses.push(formula(text));
    } catch (problem) {
      return {error: `Loss if y = ${1 - k}: ${problem.message}.`};
    }
    const bad = data.grid.find((p) => !Number.isFinite(losses[k].at(p)[0]));
    if (bad !== undefined) return {error: `Loss if y = ${1 - k}: not a number at p = ${bad}.`};
  }
  const finite = (v) => (Number.isFinite(v) ? v : null);
  const sides = [(c) => -losses[0].at(c)[1] / (1 - c), (c) => losses[1].at(c)[1] / c];
  const [prior, other] = sides.map((side) => data.grid.map((c) => finite(side(c))));
  const [one, zero] = losses.map((loss) => data.grid.map((p) => loss.at(p)[0]));
  const asked = data.people.map(([, c]) => finite(sides[0](c)) || 0);
  const python = `symbolic.binary_prior(${losses[0].python}, ${losses[1].python}, p)`;
  const found = verdict(prior, other, [one, zero]);
  return {
    prior,
    other,
    one,
    zero,
    python,
    atoms: [],
    words: found.words,
    asked: found.aligned && asked,
    axes: [axis([...prior, ...other], 8), axis([...one, ...zero], 4)]
  };
}

function verdict(prior, other, losses) {
  const both = data.grid.map((_, k) => k).filter((k) => prior[k] !== null && other[k] !== null);
  const size = (k) => Math.max(Math.abs(prior[k]), Math.abs(other[k])),
    typical = both.map(size).sort((a, b) => a - b)[both.length >> 1];
  const gap = (k) => Math.abs(prior[k] - other[k]) / Math.max(size(k), typical * 1e-6, Number.MIN_VALUE);
  const worst = both.reduce((a, b) => (gap(b) > gap(a) ? b : a)),
    low = both.reduce((a, b) => (prior[b] < prior[a] ? b : a));
  const word = (v) => String(+v.toPrecision(3));
  if (gap(worst) > 1e-6)
    return {
      words:
        `No prior: at c = ${data.grid[worst]} the loss for y = 1 asks for a density of ${word(prior[worst])}, ` +
        `the loss for y = 0 for ${word(other[worst])}.`
    };
  if (prior[low] < -1e-9 * typical)
    return {
      words:
        `No prior: the density would be ${word(prior[low])} at c = ${data.grid[low]}, and nobody can be asked ` +
        `less than not at all.`
    };
  if (!both.some(size))
    return {
      words: losses.some((loss) => Math.max(...loss) > Math.min(...loss))
        ? "A step is a point mass: it is not drawn here, and Python finds it."
        : "It asks nobody: the loss does not depend on the forecast."
    };
  return {
    aligned: true,
    words: `Your score has a prior: both losses ask for the same density at ${both.length} forecasts.`
  };
}

function axis(values, top) {
  const shown = values.filter((v) => v !== null).sort((a, b) => a - b),
    least = shown[0],
    most = shown[shown.length - 1];
  const high = shown[shown.length >> 1] <= top ? top : most;
  return [Math.min(0, Math.max(least, -top)), Math.max(least >= 0 ? high : Math.min(high, most), 0)];
}

// Whom a score asks most and whom least.
function served(asked) {
  if (!asked || asked.length < 2) return "";
  const order = asked.map((_, k) => k).sort((a, b) => asked[b] - asked[a]),
    [most, least] = [order[0], order[order.length - 1]];
  const [dear, cheap] = [most, least].map((k) => `the ${data.people[k][0]} (c = ${data.people[k][1]})`);
  if (asked[most] === asked[least])
    return asked[most] ? `It asks ${dear} and ${cheap} alike.` : "It asks neither of them.";
  if (!asked[least]) return `It asks ${dear}, and ${cheap} not at all.`;
  return `It asks ${dear} ${+(asked[most] / asked[least]).toPrecision(3)} times as much as ${cheap}.`;
}

function proof(line) {
  if (!line) return [];
  const code = document.createElement("code");
  code.textContent = `import sympy as sp\nfrom pwu_lite.theory import symbolic\n\np = sp.Symbol("p")\n${line}`;
  return ["What was seen at these forecasts, sympy proves for all, or refuses with a counterexample:", code];
}
