// A card beside a link to a theorem, a term, an equation or a work: what it says, without leaving the page.
document.addEventListener("DOMContentLoaded", () => {
  const STATEMENT = /^#(def|thm|prop|term|equation)-/;
  const links = [...document.querySelectorAll(".text a.reference.internal")].filter(
    (link) => STATEMENT.test(link.hash) || link.pathname.endsWith("/reference/cite.html")
  );
  const card = document.createElement("div");
  Object.assign(card, {className: "hover-card", id: "hover-card", hidden: true});
  card.setAttribute("role", "tooltip");
  document.body.append(card);
  const pages = new Map([[location.pathname, Promise.resolve(document)]]);
  let shown = null,
    waiting = 0;

  // Another page of this site is read once. Opened as a file it cannot be read, and there is no card.
  function page(path) {
    if (!pages.has(path))
      pages.set(
        path,
        fetch(path)
          .then((answer) => (answer.ok ? answer.text() : ""))
          .catch(() => "")
          .then((text) => new DOMParser().parseFromString(text, "text/html"))
      );
    return pages.get(path);
  }

  async function content(link) {
    if (link.dataset.work) return [link.dataset.work];
    const place = (await page(link.pathname)).getElementById(link.hash.slice(1));
    if (!place) return [];
    const parts = place.matches("dt") ? [place, place.nextElementSibling] : [place];
    return parts.map((part) => {
      const copy = document.importNode(part, true);
      copy.removeAttribute("id");
      for (const extra of copy.querySelectorAll(".headerlink, script, .eqno, .margin")) extra.remove();
      for (const named of copy.querySelectorAll("[id]")) named.removeAttribute("id");
      const base = new URL(link.pathname, location.origin);
      for (const inner of copy.querySelectorAll("a[href]")) inner.href = new URL(inner.getAttribute("href"), base);
      return copy;
    });
  }

  async function show(link) {
    shown = link;
    const parts = await content(link);
    if (!parts.length || shown !== link) return;
    card.replaceChildren(...parts);
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    const [box, size] = [link.getBoundingClientRect(), card.getBoundingClientRect()];
    const below = box.bottom + size.height + 8 < innerHeight || box.top < size.height + 8;
    card.style.left = `${scrollX + Math.max(8, Math.min(box.left, document.documentElement.clientWidth - size.width - 8))}px`;
    card.style.top = `${scrollY + (below ? box.bottom + 6 : box.top - size.height - 6)}px`;
  }

  function hide() {
    clearTimeout(waiting);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    card.hidden = true;
  }

  const soon = (act, wait) => {
    clearTimeout(waiting);
    waiting = setTimeout(act, wait);
  };
  for (const link of links) {
    if (link.title) [link.dataset.work, link.title] = [link.title, ""];
    link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && soon(() => show(link), 300));
    link.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && soon(hide, 250));
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", () => soon(hide, 250));
    // A finger opens the card first, and the link with a second tap.
    link.addEventListener("pointerdown", (event) => (link.dataset.finger = event.pointerType === "touch" ? "yes" : ""));
    link.addEventListener("click", (event) => {
      if (!link.dataset.finger || shown === link) return;
      event.preventDefault();
      show(link);
    });
  }
  card.addEventListener("pointerenter", () => clearTimeout(waiting));
  card.addEventListener("pointerleave", () => soon(hide, 250));
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("pointerdown", (event) => !card.hidden && !event.target.closest(".hover-card, a") && hide());
});
