document.addEventListener("DOMContentLoaded", () => {
  // Light, dark, or as the machine; and the section in view in the page's contents.
  document.querySelector("header .mode").addEventListener("click", () => {
    const modes = ["auto", "light", "dark"],
      mode = modes[(modes.indexOf(document.documentElement.dataset.mode) + 1) % 3];
    localStorage.setItem("mode", mode);
    useMode(mode);
  });
  machineIsDark.addEventListener("change", () => useMode(document.documentElement.dataset.mode));
  addEventListener("keydown", (event) => {
    const find = document.querySelector(".find input, .search input");
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || !find.offsetParent) return;
    event.preventDefault();
    find.focus();
  });
  const entries = [...document.querySelectorAll("#contents a[href^='#']")].map((link) => [
    link,
    document.getElementById(decodeURIComponent(link.hash.slice(1)))
  ]);
  const follow_section = () => {
    const above = entries.filter(([, part]) => part && part.getBoundingClientRect().top < 160),
      now = above.length ? above[above.length - 1][0] : null;
    for (const [link] of entries) link.classList.toggle("active", link === now);
  };
  for (const list of document.querySelectorAll("#road, #contents"))
    list.addEventListener("click", ({target}) => target.closest("a") && list.hidePopover?.());
  if (entries.length) {
    addEventListener("scroll", follow_section, {passive: true});
    follow_section();
  }

  // Code can be copied; solutions are printed open.
  for (const code of document.querySelectorAll(".text div:not(.output) > div.highlight > pre")) {
    const copy = document.createElement("button");
    Object.assign(copy, {type: "button", className: "copy", textContent: "Copy"});
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.innerText.replaceAll("\u00a0", " ").trimEnd());
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    code.parentElement.append(copy);
  }
  for (const code of document.querySelectorAll(".text pre")) {
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0; // the keyboard reaches what scrolls
  }
  addEventListener("beforeprint", () => {
    for (const box of document.querySelectorAll("details.solution")) box.open = true;
  });

  // On a phone, code with long lines starts folded.
  if (matchMedia("(max-width: 576px)").matches) {
    for (const code of document.querySelectorAll("details.code")) code.open = false;
  }

  // The short path hides what has the class "long", and remembers the choice from page to page.
  const long = [...document.querySelectorAll(".text .long, .text .tag_long")];
  for (const part of long) {
    part.classList.add("long");
    if (part.tagName !== "SECTION") continue;
    for (const line of document.querySelectorAll(`#contents a[href="#${part.id}"]`))
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

  // The gallery and the ledger: show what fits every choice and every word, and keep both in the address.
  for (const filter of document.querySelectorAll("form.filter")) {
    const items = [...document.querySelectorAll(filter.dataset.items)];
    items.forEach((item, place) => (item.dataset.place = place));
    const asked = new URLSearchParams(location.search);
    for (const field of filter.elements) if (field.name && asked.has(field.name)) field.value = asked.get(field.name);
    const title = (item) => item.querySelector("h3").textContent;
    const apply = () => {
      const wanted = [...new FormData(filter)].filter(([, value]) => value);
      const {text = "", order, ...choices} = Object.fromEntries(wanted);
      const words = text.toLowerCase().split(/\s+/);
      for (const item of items) {
        const chosen = Object.entries(choices).every(([name, value]) => item.dataset[name] === value);
        item.hidden = !chosen || !words.every((word) => item.textContent.toLowerCase().includes(word));
      }
      items.sort((a, b) => (order ? title(a).localeCompare(title(b)) : a.dataset.place - b.dataset.place));
      if (filter.elements.order) items[0].parentElement.append(...items);
      const shown = items.filter((item) => !item.hidden).length;
      filter.querySelector("output").textContent = `${shown} of ${items.length} ${filter.dataset.noun}`;
      const query = new URLSearchParams(wanted);
      history.replaceState(null, "", (query.size ? `?${query}` : location.pathname) + location.hash);
    };
    filter.addEventListener("input", apply);
    filter.addEventListener("submit", (event) => event.preventDefault());
    if (asked.size) apply();
  }
});
