// The order of the search's results: what a heading, a theorem or a term says before what stands in the text, and the
// textbook before the reference, the reference before the record, the record before the functions' own pages.
const PLACES = [
  [/^book\/(foundations|implicit_priors|pwu|forecasts|end)\//, 24],
  [/^book\/(experiments|cases|start|imprecise)\//, 16],
  [/^book\/reference\/api/, -30],
  [/^book\/reference\//, 12],
  [/^book\/record\/(paper|claims|errata)/, 0],
  [/^book\/record\//, -10],
  [/^book\/teaching\//, -14]
];
const asked = () =>
  (new URLSearchParams(location.search).get("q") ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

// eslint-disable-next-line no-unused-vars
var Scorer = {
  score([page, title, , kind, score]) {
    const words = asked(),
      head = title.toLowerCase(),
      begins = (word) => head.startsWith(word) || head.includes(` ${word}`) || head.includes(`-${word}`),
      found = words.filter(begins).length;
    const all = found === words.length ? 40 + (head === words.join(" ") ? 20 : 0) : (15 * found) / words.length;
    const place = PLACES.find(([pattern]) => pattern.test(page))?.[1] ?? -20;
    const object = kind && /python|function|class|method|attribute|module/i.test(kind) ? -25 : 0;
    return score + all + place + object;
  },
  objNameMatch: 6,
  objPartialMatch: 2,
  objPrio: {0: 5, 1: 2, 2: -5},
  objPrioDefault: 0,
  title: 30,
  partialTitle: 14,
  term: 5,
  partialTerm: 2
};
