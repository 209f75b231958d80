// The parts of the bench that copy a library: numpy's resamples, a Beta's tails, a CSV as people have it.
// Run by: npm test (after python -m tools.checks.scripts)
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";

const root = new URL("../../", import.meta.url);
const read = (name) => readFileSync(new URL(name, root), "utf8");
const parts = ["draws", "priors", "read"].map((name) => read(`pwu_book/bench/${name}.js`)).join("\n");
const bench = new Function(
  `const RULES = ${read("pwu_lite/reporting/rules.json")};\n${parts}\n` +
    "return {newSource, drawCounts, betaTails, normalTail, normalQuantile, betaBetween, Beta, readTable, numbers, probabilities, events, general, rounded};"
)();

const table = (text) => bench.readTable(new TextEncoder().encode(text));
const close = (found, wanted, share = 1e-13) =>
  assert.ok(Math.abs(found - wanted) <= share * Math.abs(wanted), `${found}, not ${wanted}`);

test("a number is written as Python writes it, ties to the even digit", () => {
  // [f"{v:.2g}" for v in (485, 475, 0.125, 0.135, -2.25, 9.96, 0.00012345, 5e-324)]
  const values = [485, 475, 0.125, 0.135, -2.25, 9.96, 0.00012345, 5e-324],
    written = ["4.8e+02", "4.8e+02", "0.12", "0.14", "-2.2", "10", "0.00012", "4.9e-324"];
  assert.deepEqual(
    values.map((v) => bench.general(v, 2)),
    written
  );
  assert.deepEqual(
    [485, 495, 4950, 1234].map((v) => bench.rounded(v, 2)),
    [480, 500, 5000, 1200]
  );
});

test("resamples are those of numpy", () => {
  // rng = np.random.default_rng(0); [np.bincount(rng.integers(0, n, n), minlength=n) for n in (7, 7, 5)]
  const source = bench.newSource();
  const drawn = [7, 7, 5].map((n) => [...bench.drawCounts(source, n, new Float64Array(n))]);
  assert.deepEqual(drawn, [
    [2, 1, 1, 1, 1, 1, 0],
    [1, 1, 0, 1, 2, 1, 1],
    [0, 0, 2, 2, 1]
  ]);
});

test("the second resample of many units is numpy's, past the first block of words", () => {
  // counts = the second bincount with n = 100_000: (counts * np.arange(n)).sum(), (counts**2).sum()
  const n = 100000,
    source = bench.newSource();
  bench.drawCounts(source, n, new Float64Array(n));
  const counts = bench.drawCounts(source, n, new Float64Array(n));
  assert.equal(
    counts.reduce((sum, count, k) => sum + count * k, 0),
    5002630135
  );
  assert.equal(
    counts.reduce((sum, count) => sum + count * count, 0),
    199894
  );
});

test("both tails of a Beta keep their digits", () => {
  // mpmath.betainc at 40 digits
  for (const [a, b, x, below, above] of [
    [2, 10, 0.1, 0.3026431198, 0.6973568802],
    [2.45, 547, 0.003, 0.3581400570709139, 0.6418599429290861],
    [0.5, 0.5, 0.9, 0.79516723530086657, 0.20483276469913343],
    [400, 600, 0.35, 0.0005241730857704565, 0.99947582691422954]
  ]) {
    const tails = bench.betaTails(a, b, x);
    close(tails[0], below, 2e-12);
    close(tails[1], above, 2e-12);
  }
  assert.deepEqual(bench.betaTails(2, 10, 0).slice(0, 2), [0, 1]);
  assert.deepEqual(bench.betaTails(2, 10, 1).slice(0, 2), [1, 0]);
});

test("the normal tail is exact far out", () => {
  close(bench.normalTail(1), 0.15865525393145705);
  close(bench.normalTail(-8), 6.2209605742717841e-16);
});

test("a range of costs becomes the prior that Python finds", () => {
  // pwu_lite.elicitation.beta_from_quantiles(1 / 31, 1 / 4)
  const prior = bench.betaBetween(1 / 31, 1 / 4);
  close(prior.a, 2.695789443262765, 1e-6);
  close(prior.b, 19.472238697990964, 1e-6);
  assert.throws(() => bench.betaBetween(0.1, 0.1 + 1e-12), /no Beta prior has nine tenths/);
});

test("tables as people have them", () => {
  const comma = table("y,model a\n1,0.25\n0,0.5\n");
  assert.deepEqual([...bench.probabilities(comma, "model a")], [0.25, 0.5]);
  const semicolon = table('\ufeffy;"model; a"\r\n1;0,25\r\n0;0,5\r\n\r\n');
  assert.deepEqual([...bench.probabilities(semicolon, "model; a")], [0.25, 0.5]);
  const quoted = table('y,note,p\n1,"a ""word"", and\na line",0.5\n0,b,0.1\n');
  assert.deepEqual([...bench.probabilities(quoted, "p")], [0.5, 0.1]);
});

test("what cannot be read is named with its line", () => {
  assert.throws(() => table(""), /the file is empty/);
  assert.throws(() => table("PK\u0003\u0004"), /Excel or zip/);
  assert.throws(() => table("y,p\n1,0.5,3\n"), /line 2 has 3 fields, the header has 2|line 2 ends with/);
  assert.throws(() => bench.probabilities(table("y,p\n1,0.5\n0,1.2\n"), "p"), /line 3/);
  assert.throws(() => bench.numbers(table("y,p\n1,0.5\n0,half\n"), "p"), /line 3/);
});

test("normal quantiles are those of scipy", () => {
  // scipy.special.ndtri([0.975, 0.5, 0.2, 1e-9])
  close(bench.normalQuantile(0.975), 1.959963984540054);
  close(1 + bench.normalQuantile(0.5), 1, 1e-15);
  close(bench.normalQuantile(0.2), -0.8416212335729142);
  close(bench.normalQuantile(1e-9), -5.9978070150076865);
});
