"""What the search page knows: for each page the words that it is about, and places by their names.

Sphinx's own index tells only whether a word stands on a page. Here a word counts by where it stands and how often, and
rare words count for more (Okapi BM25). `search.js` ranks pages by it; Sphinx's script shows what was found.
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
TITLE, ENTRY, SECTION, TEXT = 12, 8, 4, 1  # what a word counts by its place
SOFT, LENGTH = 6.0, 0.6  # after so many a word counts half of what it can; how much long pages pay
STEM = functools.cache(snowballstemmer.stemmer("porter").stemWord)


def write(site: Path, entries: Mapping[str, Iterable[tuple[str, str]]]) -> None:
    """Put the index, with the script that reads it, in the place of Sphinx's; entries are names and anchors by page."""
    pages = {path.relative_to(site).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
             for path in sorted((site / "book").rglob("*.html"))}
    data = index({name: text for name, text in pages.items() if '<article class="bd-article"' in text}, entries)
    script = Path(__file__).with_name("search.js").read_text(encoding="utf-8")
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    (site / "searchindex.js").write_text(f"{script}\nSearch.setIndex({text});\n", encoding="utf-8")


def index(pages: Mapping[str, str], entries: Mapping[str, Iterable[tuple[str, str]]]) -> dict:
    """Pages with their titles; for each stem its pages, with weights up to 99; names of places with page and anchor."""
    counts: dict[str, Counter[str]] = {}
    titles, places = [], []
    for number, (name, text) in enumerate(pages.items()):
        body = HIDDEN.sub(lambda found: "" if not found[0].startswith("<a") else found[0], text.partition(
            '<article class="bd-article"')[2].partition("</article>")[0])
        found = counts[name] = Counter()
        heads = [(int(level), plain(words), anchor) for level, words, anchor in HEADING.findall(body)]
        chapter, title = re.fullmatch(r"(?:(\d+)\.\s*)?(.*)", heads[0][1] if heads else name).groups()
        titles.append(title)
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
                places.append([" ".join(own), number, anchor, words if weight != ENTRY else "", int(weight != SECTION)])
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
    return {"pages": list(counts), "titles": titles, "places": places,
            "words": {stem: [rare[stem], *row] for stem, row in sorted(weights.items())}}


def plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def stems(text: str) -> list[str]:
    """As `search.js` cuts words: lower case, digits with their points, Porter's stems."""
    return [STEM(word) for word in WORD.findall(text.lower())]
