document.addEventListener("DOMContentLoaded", () => {
  // On a phone, code with long lines starts folded.
  if (matchMedia("(max-width: 576px)").matches) {
    for (const code of document.querySelectorAll("details.code")) code.open = false;
  }

  // The short path hides what has the class "long", and remembers the choice from page to page.
  const long = [...document.querySelectorAll(".bd-article .long, .bd-article .tag_long")];
  for (const part of long) {
    part.classList.add("long");
    if (part.tagName !== "SECTION") continue;
    for (const line of document.querySelectorAll(`.page-toc a[href="#${part.id}"]`))
      line.parentElement.classList.add("long");
  }
  const follow = (short) => document.documentElement.classList.toggle("short", short);
  const kept = localStorage.getItem("short path") === "yes";
  for (const box of document.querySelectorAll(".short-path input")) {
    box.checked = kept;
    follow(kept);
    box.addEventListener("change", () => {
      localStorage.setItem("short path", box.checked ? "yes" : "no");
      follow(box.checked);
    });
  }
  // A link into a hidden section shows the whole chapter.
  const reveal = () => {
    const target = document.querySelector(":target");
    if (!document.documentElement.classList.contains("short") || !target?.closest(".long")) return;
    follow(false);
    for (const box of document.querySelectorAll(".short-path input")) box.checked = false;
    target.scrollIntoView();
  };
  reveal();
  addEventListener("hashchange", reveal);

  // The gallery of scores: show the cards that fit, in the order that is asked for.
  const filter = document.querySelector(".score-filter");
  filter?.addEventListener("change", () => {
    const wanted = new FormData(filter);
    const box = document.querySelector(".score-cards");
    const cards = [...box.children];
    cards.forEach((card, place) => (card.dataset.place ??= place));
    for (const card of cards)
      card.hidden = ["forecast", "verdict"].some((name) => wanted.get(name) && wanted.get(name) !== card.dataset[name]);
    const title = (card) => card.querySelector("h3").textContent;
    cards.sort((a, b) => (wanted.get("order") ? title(a).localeCompare(title(b)) : a.dataset.place - b.dataset.place));
    box.append(...cards);
    filter.querySelector("output").textContent = `${cards.filter((card) => !card.hidden).length} cards`;
  });
});
