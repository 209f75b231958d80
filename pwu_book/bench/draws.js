// numpy's default_rng(0).integers(0, n): PCG64 and Lemire's rejection, so that the resamples here are those of
// pwu_lite. A number of 128 bits is six limbs of 24, the lowest first: a product of limbs is exact in a double.
const LANES = 4,
  WIDE = (number) => BigInt.asUintN(128, number);
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n,
  INCREMENT = 0x418ddadb3af71a82588133bc447873a9n;
const SEED_ZERO = 0x1aa1b5345996452d09585eb7a69561e3n; // the state of default_rng(0)
const limbs = (number) => Array.from({length: 6}, (_, k) => Number((number >> BigInt(24 * k)) & 0xffffffn));

// Four states that follow each other, each to move four steps at once: a processor works on several of them together.
function newSource() {
  const states = [WIDE(SEED_ZERO * MULTIPLIER + INCREMENT)];
  let times = MULTIPLIER,
    added = INCREMENT;
  for (let k = 1; k < LANES; k++) {
    states.push(WIDE(states[k - 1] * MULTIPLIER + INCREMENT));
    [times, added] = [WIDE(times * MULTIPLIER), WIDE(added * MULTIPLIER + INCREMENT)];
  }
  return {
    state: Float64Array.from(states.flatMap(limbs)),
    step: Float64Array.from([...limbs(added), ...limbs(times)]),
    words: new Uint32Array(16384),
    used: 16384
  };
}

function nextWords({state, step, words}) {
  // two words of 32 bits a state, the lower one first
  const part = 1 / 16777216,
    LIMB = 16777216;
  const a0 = step[0],
    a1 = step[1],
    a2 = step[2],
    a3 = step[3],
    a4 = step[4],
    a5 = step[5];
  const m0 = step[6],
    m1 = step[7],
    m2 = step[8],
    m3 = step[9],
    m4 = step[10],
    m5 = step[11];
  for (let at = 0, lane = 0; at < words.length; at += 2, lane = lane < 18 ? lane + 6 : 0) {
    const s0 = state[lane],
      s1 = state[lane + 1],
      s2 = state[lane + 2],
      s3 = state[lane + 3],
      s4 = state[lane + 4],
      s5 = state[lane + 5];
    const low = (s0 | (s1 << 24)) ^ ((s2 >>> 16) | (s3 << 8)),
      high = ((s1 >>> 8) | (s2 << 16)) ^ (s4 | (s5 << 24));
    const turn = s5 >>> 2,
      by = turn & 31,
      first = turn < 32 ? low : high,
      second = turn < 32 ? high : low;
    words[at] = by ? (first >>> by) | (second << (32 - by)) : first;
    words[at + 1] = by ? (second >>> by) | (first << (32 - by)) : second;
    const t0 = s0 * m0 + a0,
      c0 = Math.floor(t0 * part);
    const t1 = s0 * m1 + s1 * m0 + a1 + c0,
      c1 = Math.floor(t1 * part);
    const t2 = s0 * m2 + s1 * m1 + s2 * m0 + a2 + c1,
      c2 = Math.floor(t2 * part);
    const t3 = s0 * m3 + s1 * m2 + s2 * m1 + s3 * m0 + a3 + c2,
      c3 = Math.floor(t3 * part);
    const t4 = s0 * m4 + s1 * m3 + s2 * m2 + s3 * m1 + s4 * m0 + a4 + c3,
      c4 = Math.floor(t4 * part);
    const t5 = s0 * m5 + s1 * m4 + s2 * m3 + s3 * m2 + s4 * m1 + s5 * m0 + a5 + c4;
    state[lane] = t0 - c0 * LIMB;
    state[lane + 1] = t1 - c1 * LIMB;
    state[lane + 2] = t2 - c2 * LIMB;
    state[lane + 3] = t3 - c3 * LIMB;
    state[lane + 4] = t4 - c4 * LIMB;
    state[lane + 5] = t5 - Math.floor(t5 / 256) * 256;
  }
}

// How often each of n units is drawn in n draws; n below two million, so that a word times n is exact.
function drawCounts(source, n, counts) {
  const {words} = source,
    least = (4294967296 - n) % n;
  let used = source.used,
    left = n;
  counts.fill(0);
  while (left > 0) {
    if (used === words.length) {
      nextWords(source);
      used = 0;
    }
    const end = Math.min(words.length, used + left);
    left -= countInto(counts, words, used, end, n, least);
    used = end;
  }
  source.used = used;
  return counts;
}

function countInto(counts, words, from, to, n, least) {
  let taken = 0;
  for (let k = from; k < to; k++) {
    const product = words[k] * n,
      place = Math.floor(product * 2.3283064365386963e-10);
    if (product - place * 4294967296 < least) continue; // seldom: this word would favour some units
    counts[place] += 1;
    taken += 1;
  }
  return taken;
}

// One resample after another. Many units are drawn in a worker of their own, while other work is done here.
class Draws {
  constructor(units, repeats, script) {
    Object.assign(this, {units, counts: new Float64Array(units), source: newSource(), ready: [], begun: null});
    if (units < 20000 || !script) return;
    this.worker = new Worker(URL.createObjectURL(new Blob([script, `(${drawAhead})()`])));
    this.begun = new Promise((begin) => {
      // a worker begins only while this thread is idle
      this.worker.onmessage = ({data}) => {
        if (data === "begun") return begin();
        this.ready.push(data);
        if (this.wake) this.wake();
      };
    });
    this.worker.postMessage({units, repeats, more: Math.max(2, (1e7 / units) | 0)}); // 100 MB
  }
  async next() {
    if (!this.worker) return drawCounts(this.source, this.units, this.counts);
    while (!this.ready.length)
      await new Promise((wake) => {
        this.wake = wake;
      });
    const [batch] = this.ready,
      from = this.place || 0,
      to = from + this.units;
    this.counts.set(batch.subarray(from, to));
    this.place = to < batch.length ? to : 0;
    if (!this.place) {
      this.ready.shift();
      this.worker.postMessage({more: 1});
    }
    return this.counts;
  }
  end() {
    if (this.worker) this.worker.terminate();
  }
}

// In the worker: ten resamples a message, as far ahead as memory allows. None of twenty thousand units is drawn more
// than 255 times.
function drawAhead() {
  const source = newSource();
  let units = 0,
    left = 0;
  self.onmessage = ({data}) => {
    if (data.units) {
      units = data.units;
      left = data.repeats;
      self.postMessage("begun");
    }
    for (let k = 0; k < data.more && left > 0; k++) {
      const some = Math.min(10, left),
        batch = new Uint8Array(some * units);
      for (let at = 0; at < batch.length; at += units) drawCounts(source, units, batch.subarray(at, at + units));
      self.postMessage(batch, [batch.buffer]);
      left -= some;
    }
  };
}
