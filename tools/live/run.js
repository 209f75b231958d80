// Every cell of the page can be edited and run. Nothing is fetched before the first click; the code comes from the
// page's notebook, since a page does not show all of it.
(() => {
  "use strict";
  const script = document.currentScript,
    base = new URL("./", script.src).href,
    boxes = [...document.querySelectorAll("div.cell[data-cell]")];
  let worker = null,
    notebook = null,
    answer = null,
    jobs = 0,
    busy = false;
  const FILE = "A page that is opened as a file cannot run Python: open the site, or make serve.";
  const ran = []; // by cell of the notebook, the text that Python has run last

  const make = (name, kind, words = "") =>
    Object.assign(document.createElement(name), {className: kind, textContent: words});

  // The notebook's code cells; `places` are those that the page shows, in the notebook's order.
  const read = () =>
    (notebook ??= fetch(script.dataset.notebook)
      .then((found) => found.json())
      .then((book) => {
        const all = book.cells
          .filter(({cell_type}) => cell_type === "code")
          .map(({source, metadata}) => ({code: [].concat(source).join(""), tags: metadata.tags ?? []}));
        return {book, all, places: all.flatMap(({tags}, k) => (tags.includes("remove-cell") ? [] : [k]))};
      }));

  function ask(job, note) {
    if (!worker) {
      // From here, so that the page's policy holds in it, too: it may connect to this site only.
      const first = `self.base = ${JSON.stringify(base)}; importScripts(self.base + "worker.js");`;
      worker = new Worker(URL.createObjectURL(new Blob([first], {type: "text/javascript"})));
      worker.onmessage = ({data}) => answer?.(data);
      worker.onerror = (event) => answer?.({id: jobs, failed: event.message || "Python could not be loaded"});
    }
    const id = ++jobs;
    return new Promise((done) => {
      answer = (data) => {
        if (data.id !== id) return;
        if (data.note !== undefined) note(data.note);
        else done(data);
      };
      stop.now = () => done({stopped: true});
      worker.postMessage({...job, id});
    });
  }

  // The only way to stop what runs is to end Python: the cells above run again the next time.
  function stop() {
    worker?.terminate();
    worker = null;
    ran.length = 0;
    stop.now?.();
  }

  function textOf(pre) {
    return pre.innerText.replaceAll("\u00a0", " ").replace(/\n+$/, "");
  }

  function set({kind, text, html}) {
    if (["html", "svg", "drawing", "latex"].includes(kind)) {
      const box = make("div", {html: "output text_html", latex: "output math"}[kind] ?? "output live-drawing");
      box.innerHTML = html ?? text;
      const svg = box.querySelector("svg");
      if (kind === "drawing" && svg) {
        svg.classList.add("drawing");
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", "the figure of the edited cell");
      }
      for (const table of box.querySelectorAll("table.dataframe")) dress(table);
      return box;
    }
    const quoted = kind === "value" && /^(['"])(.*)\1$/s.exec(text);
    if (quoted || (kind === "text" && !text.includes("  ") && text.trim().split("\n").length <= 4))
      return make("p", "said", quoted ? quoted[2] : text.trim());
    const box = make("div", "output"),
      pre = make("pre", "", text.replace(/\n$/, ""));
    box.append(pre);
    return box;
  }

  // A table as the page sets it: numbers to the right, and it scrolls by itself.
  function dress(table) {
    table.removeAttribute("border");
    for (const cell of table.querySelectorAll("td"))
      if (/^[-+\u2212]?[\d.,]+(e[-+]?\d+)?%?$/i.test(cell.textContent.trim())) cell.classList.add("num");
    const around = make("div", "table-scroll");
    around.tabIndex = 0;
    table.replaceWith(around);
    around.append(table);
  }

  function wrong({words, line}, code, where) {
    const box = make("div", "live-wrong");
    if (line) box.append(make("pre", "", `${String(line).padStart(3)}  ${code.split("\n")[line - 1] ?? ""}`));
    box.append(make("p", "", `${where}${words}`));
    return box;
  }

  const cells = boxes.map((box) => {
    const pre = box.querySelector(".cell_input pre"),
      cell = {box, pre, place: Number(box.dataset.cell), printed: pre?.innerHTML};
    if (!pre) return cell;
    cell.said = make("span", "live-said");
    cell.said.setAttribute("role", "status");
    const bar = make("div", "live-bar");
    const button = (words, label, act, hidden) => {
      const one = make("button", "", words);
      Object.assign(one, {type: "button", onclick: act, hidden});
      one.setAttribute("aria-label", label);
      bar.append(one);
      return one;
    };
    cell.run = button("Run", "Run this cell", () => (busy ? stop() : run(cell)), false);
    cell.edit = button("Edit", "Edit this cell", () => edit(cell), false);
    cell.above = button("Run all above", "Begin anew and run all cells up to this one", () => run(cell, true), true);
    cell.reset = button("Reset", "Back to the printed code and output", () => reset(cell), true);
    bar.append(cell.said);
    if (box.classList.contains("tag_static"))
      bar.replaceChildren(
        make("span", "live-said", "This cell needs more than a browser: its output is the printed one.")
      );
    box.querySelector(".cell_input").after(bar);
    pre.addEventListener("pointerdown", () => edit(cell, false));
    pre.addEventListener("input", () => (cell.reset.hidden = false));
    pre.addEventListener("keydown", (event) => {
      if (pre.isContentEditable) event.stopPropagation(); // the theme has shortcuts: a slash would go to the search
      if (event.key !== "Enter" || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!busy) run(cell);
    });
    return cell;
  });

  // The notebook's code cells as the page has them now.
  async function texts() {
    const {all, places} = await read(),
      shownAt = new Map(cells.map((one) => [places[one.place], one]));
    return all.map((one, k) => (shownAt.get(k)?.pre ? textOf(shownAt.get(k).pre) : one.code));
  }

  function edit({box, pre}, go = true) {
    if (box.classList.contains("tag_static")) return;
    pre.contentEditable = "plaintext-only";
    if (pre.contentEditable !== "plaintext-only") pre.contentEditable = "true";
    pre.spellcheck = false;
    pre.setAttribute("role", "textbox");
    pre.setAttribute("aria-multiline", "true");
    pre.setAttribute("aria-label", "Code; Shift and Enter run it");
    if (go) pre.focus();
  }

  function reset(cell) {
    cell.pre.innerHTML = cell.printed;
    cell.out?.remove();
    for (const old of cell.box.querySelectorAll(".cell_output")) old.hidden = false;
    cell.reset.hidden = true;
    cell.said.textContent = "";
  }

  // Run what stands above and has not run as it stands now, then the cell itself.
  async function run(cell, anew = false) {
    if (busy) return;
    if (location.protocol === "file:") {
      cell.said.textContent = FILE;
      return;
    }
    busy = true;
    for (const one of cells.filter(({run: button}) => button)) one.run.disabled = one !== cell;
    cell.run.textContent = "Stop";
    cell.said.textContent = "…";
    const started = performance.now();
    let said = "";
    try {
      const {all, places} = await read(),
        last = places[cell.place];
      const code = await texts();
      if (anew) ran.length = 0;
      let begin = ran.findIndex((text, k) => k < last && text !== code[k]);
      if (begin < 0) begin = Math.min(ran.length, last);
      ran.length = Math.min(ran.length, begin);
      for (let k = begin; k <= last; k++) {
        if (all[k].tags.includes("static")) {
          ran[k] = code[k];
          continue;
        }
        const count = k < last ? `cell ${k + 1} of ${last + 1}` : "this cell";
        cell.said.textContent = `Running ${count}`;
        const {found, failed, stopped} = await ask(
          {code: code[k], name: `<cell ${k + 1}>`, forget: anew && k === 0},
          (words) => {
            cell.said.textContent = words || `Running ${count}`;
          }
        );
        if (stopped) {
          said = "Stopped: the cells above run again the next time";
          return;
        }
        if (failed) throw new Error(failed);
        const error = found.error && !all[k].tags.includes("raises-exception") ? found.error : null;
        if (!error) ran[k] = code[k];
        if (k === last || error) {
          put(cell, found, code[k], k === last ? "" : `In cell ${k + 1} of the page: `);
          said = error ? "An error" : `Done in ${((performance.now() - started) / 1e3).toFixed(1)} s`;
          if (error) return;
        }
      }
      for (const one of cells) if (one.out && places[one.place] > last) one.out.classList.add("live-old");
    } catch (error) {
      said = `Python did not start here (${error.message}). The notebook of this page runs on your machine: the download button has it.`;
      stop();
    } finally {
      busy = false;
      for (const one of cells.filter(({run: button}) => button)) one.run.disabled = false;
      cell.run.textContent = "Run";
      cell.said.textContent = said;
      cell.above.hidden = cell.reset.hidden = false;
      document.body.dataset.liveDone = Number(document.body.dataset.liveDone ?? 0) + 1;
    }
  }

  // For the forms of a page: run code of theirs, and set what it shows.
  window.livePython = {
    ask: async (job, note) => (location.protocol === "file:" ? {failed: FILE} : ask({alone: true, ...job}, note)),
    read,
    texts,
    show(out, {shown, error}) {
      out.replaceChildren(...shown.map(set), ...(error ? [wrong({words: error.words}, "", "")] : []));
    }
  };

  function put(cell, {shown, error}, code, where) {
    const out = make("div", "live-out");
    out.append(...shown.map(set));
    if (error) out.append(wrong(error, code, where));
    cell.out?.remove();
    const printed = cell.box.querySelectorAll(".cell_output");
    for (const old of printed) {
      const caption = old.querySelector("figcaption");
      if (caption) out.append(caption.cloneNode(true));
      old.hidden = true;
    }
    cell.box.append(out);
    cell.out = out;
  }
})();
