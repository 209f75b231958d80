// Ranks the pages for the search: words by their weights (search_index.py), names of places as a whole. Sphinx's
// searchtools.js, which stands before this, shows the results.
const PLACES = [
  [/^book\/(foundations|implicit_priors|pwu|forecasts|end)\//, 1.3],
  [/^book\/(experiments|cases|start|imprecise)\//, 1.15],
  [/^book\/reference\/api/, 0.5],
  [/^book\/reference\//, 1.1],
  [/^book\/record\/(paper|claims|errata)/, 0.9],
  [/^book\/record\//, 0.75],
  [/^book\/teaching\//, 0.7]
];
const RESULTS = 30;

// The stems of a text's words; of -ize and -ise the one that the book writes.
function cut(text, {words}) {
  const stemmer = new Stemmer();
  const said = text.toLowerCase().match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? [];
  return said.map((word) => {
    const british = stemmer.stemWord(word.replace(/iz(e[ds]?|ers?|ing|ations?)$/, "is$1"));
    return Object.hasOwn(words, british) ? british : stemmer.stemWord(word);
  });
}

// The weight of a word on each page; of words that begin like it, where it is on none.
function weigh(word, {words}) {
  const found = new Map(),
    begun = Object.keys(words).filter((other) => word.length > 2 && other.startsWith(word));
  for (const like of Object.hasOwn(words, word) ? [word] : begun)
    for (let k = 1; k < words[like].length; k += 2) {
      const weight = (words[like][0] * words[like][k + 1]) / (like === word ? 1 : 2);
      found.set(words[like][k], Math.max(found.get(words[like][k]) ?? 0, weight));
    }
  return found;
}

function rank(query, index) {
  const every = cut(query, index),
    asked = every.filter((word) => !stopwords.includes(word)),
    wanted = asked.length ? asked : every;
  const scores = new Map(),
    met = new Map(),
    gains = new Map(), // of a page, what a place with a name like the query adds
    best = new Map(); // and the place
  for (const word of new Set(wanted))
    for (const [page, weight] of weigh(word, index)) {
      scores.set(page, (scores.get(page) ?? 0) + weight);
      met.set(page, (met.get(page) ?? 0) + 1);
    }
  const count = new Set(wanted).size;
  for (const [page, score] of scores) scores.set(page, score * (met.get(page) / count) ** 2);
  for (const [name, page, anchor, words, main] of index.places) {
    const own = name.split(" "),
      kept = own.filter((word) => !stopwords.includes(word)),
      common = wanted.filter((word) => own.includes(word)).length;
    if (!common) continue;
    const like = common / Math.max(wanted.length, kept.length); // 1 if they say the same
    if (like < 0.5) continue;
    const whole = common === wanted.length && common === kept.length;
    if (like > (best.get(page)?.like ?? 0)) best.set(page, {like, anchor, words});
    const gain = (whole ? 500 : 150 * like) * (main ? 1 : 0.6);
    gains.set(page, Math.max(gain, gains.get(page) ?? 0));
  }
  for (const [page, gain] of gains) scores.set(page, (scores.get(page) ?? 0) + gain);
  return [...scores]
    .map(([page, score]) => {
      const name = index.pages[page],
        {anchor = "", words = ""} = best.get(page) ?? {};
      const title = index.titles[page] + (anchor && words ? ` > ${words}` : "");
      const place = PLACES.find(([pattern]) => pattern.test(name))?.[1] ?? 1;
      return [name, title, anchor ? `#${anchor}` : "", null, score * place, `${name}.html`];
    })
    .sort((one, other) => one[4] - other[4] || (one[1] < other[1] ? 1 : -1))
    .slice(-RESULTS);
}

Search.query = (query) => {
  const results = rank(query, Search._index),
    said = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  _displayNextItem(results, results.length, new Set(cut(query, Search._index)), new Set(said));
};

// What is quoted of a page is its text, without code and the theme's bars.
Search.htmlToText = (html) => {
  const article = new DOMParser().parseFromString(html, "text/html").querySelector("article.bd-article");
  article?.querySelectorAll("h1, pre, script, style, svg, .headerlink").forEach((one) => one.remove());
  return article?.textContent ?? "";
};
