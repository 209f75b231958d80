"""What the search page knows: for each page the words that it is about, and places by their names.

Sphinx's own index tells only whether a word stands on a page. Here a word counts by where it stands and how often, and
rare words count for more (Okapi BM25), and each place has its first words, so that a search asks for nothing else.
`search.js` ranks pages by it and shows what was found.
"""

from __future__ import annotations

import functools
import html
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import snowballstemmer

WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
HIDDEN = re.compile(r"<(script|style|svg|math|pre|nav)\b.*?</\1>|<a class=\"headerlink\".*?</a>", re.S)
HEADING = re.compile(r'<h([1-4])>(.*?)<a class="headerlink" href="#([^"]*)"', re.S)
OBJECT = re.compile(r'<dt class="sig[^>]* id="([\w.]+)"')
PLACES = {  # a page counts by where it stands; the first that fits
    r"book/(foundations|implicit_priors|pwu|forecasts|end)/": 1.3, r"book/(experiments|cases|start|imprecise)/": 1.15,
    r"book/reference/api": 0.5, r"book/reference/": 1.1, r"book/record/(paper|claims|errata)": 0.9,
    r"book/record/": 0.75, r"book/teaching/": 0.7, "": 1.0}
HELP = ("book/reference/which_score", "book/reference/gallery", "book/reference/notation")  # where nothing is found
TITLE, ENTRY, SECTION, TEXT = 12, 8, 4, 1  # what a word counts by its place
SOFT, LENGTH = 6.0, 0.6  # after so many a word counts half of what it can; how much long pages pay
EXCERPT = 80  # letters of what is quoted of a place
DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
NAMES = {  # what libraries and practitioners call things, where the book has another word
    "logloss": "log loss", "mlogloss": "log loss", "crossentropy": "log loss", "bce": "log loss",
    "auprc": "average precision", "aucpr": "average precision", "prauc": "average precision", "rocauc": "AUC",
    "gini": "AUC", "cstatistic": "AUC", "mse": "squared error", "rmse": "squared error", "mae": "absolute error",
    "pinball": "quantile score", "nll": "log likelihood score", "mcc": "Matthews correlation", "dca": "net benefit",
    "epistemic": "imprecise probabilities", "aleatoric": "uncertainty", "bibtex": "cite", "latex": "cite",
    "llms": "LLM", "chatgpt": "answers", "uplift": "cost", "roi": "profit", "kpi": "cost", "sql": "warehouse query",
    "spark": "warehouse query", "dbt": "warehouse query", "xgboost": "from your tool's file",
    "lightgbm": "from your tool's file", "catboost": "from your tool's file", "keras": "from your tool's file"}
STEM = functools.cache(snowballstemmer.stemmer("porter").stemWord)


def write(site: Path, entries: Mapping[str, Iterable[tuple[str, str]]]) -> None:
    """Put the index, with the script that reads it, in the place of Sphinx's; entries are names and anchors by page."""
    pages = {path.relative_to(site).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
             for path in sorted((site / "book").rglob("*.html"))}
    data = index({name: text for name, text in pages.items() if '<article class="text"' in text}, entries)
    script = Path(__file__).with_name("search.js").read_text(encoding="utf-8")
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    (site / "searchindex.js").write_text(f"const INDEX = {text};\n{script}", encoding="utf-8")


def index(pages: Mapping[str, str], entries: Mapping[str, Iterable[tuple[str, str]]]) -> dict:
    """Pages with their titles; for each stem its pages, with weights up to 99; names of places with page and anchor."""
    counts: dict[str, Counter[str]] = {}
    titles, about, places = [], [], []
    for number, (name, text) in enumerate(pages.items()):
        body = HIDDEN.sub(lambda found: "" if not found[0].startswith("<a") else found[0], text.partition(
            '<article class="text"')[2].partition("</article>")[0])
        found = counts[name] = Counter()
        heads = [(int(level), plain(words), anchor) for level, words, anchor in HEADING.findall(body)]
        chapter, title = re.fullmatch(r"(?:(\d+)\.\s*)?(.*)", heads[0][1] if heads else name).groups()
        titles.append(title)
        description = DESCRIPTION.search(text)
        about.append(shortened(html.unescape(description[1]) if description else ""))
        below = {anchor: shortened(plain(words)) for anchor, words in _first_words(body)}
        named = [(words, anchor, ENTRY) for words, anchor in entries.get(name, ())]
        named += [(f"chapter {chapter}", "", ENTRY)] if chapter else []
        named += [(words, anchor if level > 1 else "", TITLE if level == 1 else SECTION)
                  for level, words, anchor in heads]
        named += [(words.rpartition(".")[2], words, SECTION) for words in OBJECT.findall(body)]
        for words, anchor, weight in named:
            own = stems(words)
            for stem in own:
                found[stem] += weight
            if own:
                places.append([" ".join(own), number, anchor, words if weight != ENTRY else "", int(weight != SECTION),
                               *filter(None, [below.get(anchor) if anchor else ""])])
        for stem in stems(plain(HIDDEN.sub("", body))):
            found[stem] += TEXT
    lengths = {name: sum(found.values()) for name, found in counts.items()}
    mean = sum(lengths.values()) / max(len(lengths), 1)
    weights: dict[str, list[int]] = defaultdict(list)
    for number, (name, found) in enumerate(counts.items()):
        soft = SOFT * (1 - LENGTH + LENGTH * lengths[name] / mean)
        for stem, count in found.items():
            weights[stem] += [number, max(1, round(99 * count / (count + soft)))]
    rare = {stem: round(math.log(1 + len(counts) / (len(row) / 2)), 2) for stem, row in weights.items()}
    factors = [next(factor for place, factor in PLACES.items() if re.match(place, name)) for name in counts]
    pages = list(counts)
    return {"pages": pages, "weights": factors, "help": [pages.index(name) for name in HELP if name in counts],
            "titles": titles, "about": about, "places": places,
            "names": {name: words for name, words in NAMES.items() if STEM(name) not in weights},
            "words": {stem: [rare[stem], *row] for stem, row in sorted(weights.items())}}


def _first_words(body: str) -> Iterable[tuple[str, str]]:
    """Anchor and text of each section, up to the next heading."""
    heads = list(HEADING.finditer(body))
    for head, after in zip(heads, [*(head.start() for head in heads[1:]), len(body)], strict=True):
        yield head[3], re.sub(r'^[^>]*>.*?</h\d>', "", HIDDEN.sub("", body[head.end() - 1:after]), count=1, flags=re.S)


def shortened(text: str) -> str:
    """The first words of a text."""
    return text if len(text) <= EXCERPT else text[:EXCERPT].rpartition(" ")[0].rstrip(".,;:") + " …"


def plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def stems(text: str) -> list[str]:
    """As `search.js` cuts words: lower case, digits with their points, Porter's stems."""
    return [STEM(word) for word in WORD.findall(text.lower())]
