// Ranks the pages for the search, words by their weights (INDEX, of search_index.py) and names of places as a whole,
// and shows them. The stems are those of Sphinx's language_data.js.

// The stems of a text's words; of -ize and -ise the one that the book writes.
function cut(text, {words, names}) {
  const stemmer = new Stemmer();
  const split = (one) => one.toLowerCase().match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? [];
  const said = split(text).flatMap((word) => (Object.hasOwn(names, word) ? split(names[word]) : word));
  return said.map((word) => {
    const british = stemmer.stemWord(word.replace(/iz(e[ds]?|ers?|ing|ations?)$/, "is$1"));
    return Object.hasOwn(words, british) ? british : stemmer.stemWord(word);
  });
}

// Is one letter another one, too many or missing, or are two neighbours exchanged?
function near(one, other) {
  let k = 0;
  while (k < one.length && one[k] === other[k]) k++;
  const swapped = one[k] === other[k + 1] && one[k + 1] === other[k] && one.slice(k + 2) === other.slice(k + 2);
  return swapped || [1, 0].some((a) => [1, 0].some((b) => a + b && one.slice(k + a) === other.slice(k + b)));
}

// The weight of a word on each page; where it is on none, of words that begin like it, or else are written like it.
function weigh(word, {words}) {
  const found = new Map(),
    all = Object.hasOwn(words, word) ? [word] : Object.keys(words),
    begun = all.filter((other) => other === word || (word.length > 2 && other.startsWith(word))),
    like = (other) => near(word, other) || (other.length > 4 && word.startsWith(other)), // a slip behind the stem
    written = begun.length || word.length < 4 || /\p{N}/u.test(word) ? [] : all.filter(like);
  for (const other of [...begun, ...written])
    for (let k = 1; k < words[other].length; k += 2) {
      const weight = (words[other][0] * words[other][k + 1]) / (other === word ? 1 : 2);
      found.set(words[other][k], Math.max(found.get(words[other][k]) ?? 0, weight));
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
  for (const [name, page, anchor, words, main, text] of index.places) {
    const own = name.split(" "),
      kept = own.filter((word) => !stopwords.includes(word)),
      common = wanted.filter((word) => own.includes(word)).length;
    if (!common) continue;
    const like = common / Math.max(wanted.length, kept.length); // 1 if they say the same
    if (like < 0.5) continue;
    const whole = common === wanted.length && common === kept.length;
    if (like > (best.get(page)?.like ?? 0)) best.set(page, {like, anchor, words, text});
    const gain = (whole ? 500 : 150 * like) * (main ? 1 : 0.6);
    gains.set(page, Math.max(gain, gains.get(page) ?? 0));
  }
  for (const [page, gain] of gains) scores.set(page, (scores.get(page) ?? 0) + gain);
  return [...scores]
    .map(([page, score]) => {
      const {anchor = "", words = "", text = index.about[page]} = best.get(page) ?? {};
      const title = index.titles[page] + (anchor && words ? ` > ${words}` : "");
      return [`${index.pages[page]}.html${anchor && "#"}${anchor}`, title, text, score * index.weights[page]];
    })
    .sort((one, other) => other[3] - one[3] || (one[1] < other[1] ? -1 : 1))
    .slice(0, 30);
}

// The page of results.
function show(query) {
  const results = rank(query, INDEX),
    help = INDEX.help.map((page) => [`${INDEX.pages[page]}.html`, INDEX.titles[page], INDEX.about[page]]);
  document.getElementById("search-status").textContent = results.length
    ? "The best first:"
    : "No page has these words. One of these may help:";
  for (const [address, title, text] of results.length ? results : help) {
    const item = document.getElementById("search-results").appendChild(document.createElement("li"));
    Object.assign(item.appendChild(document.createElement("a")), {href: address, textContent: title});
    Object.assign(item.appendChild(document.createElement("p")), {className: "context", textContent: text});
  }
}

if (typeof document !== "undefined") {
  const query = new URLSearchParams(location.search).get("q")?.trim();
  for (const field of document.querySelectorAll("[name='q']")) field.value = query ?? "";
  if (query) show(query);
}
