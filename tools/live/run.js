// Every cell of the page can be edited and run, and keeps on this device what is written into it. Nothing of Python is
// fetched before a hand is at a button; the code comes from the page's notebook, since a page does not show all of it.
(() => {
  "use strict";
  const script = document.currentScript,
    base = new URL("./", script.src).href,
    boxes = [...document.querySelectorAll("div.cell[data-cell]")];
  let worker = null,
    notebook = null,
    current = null, // the task that asks
    told = () => {}, // who hears what Python says
    jobs = 0;
  const FILE = "A page that is opened as a file cannot run Python: open the site, or make serve.";
  const waiting = [], // tasks whose turn comes
    ran = []; // by cell of the notebook, the text that Python has run last

  const make = (name, kind = "", words = "") =>
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
      })
      .catch((error) => {
        notebook = null; // the next click tries again
        throw error;
      }));

  function python() {
    if (worker) return worker;
    // From here, so that the page's policy holds in it, too: it may connect to this site only.
    const first = `self.base = ${JSON.stringify(base)}; importScripts(self.base + "worker.js");`;
    worker = new Worker(URL.createObjectURL(new Blob([first], {type: "text/javascript"})));
    worker.onmessage = ({data}) => told(data);
    worker.onerror = (event) => {
      end();
      told({id: jobs, failed: event.message || "Python could not be loaded"});
    };
    return worker;
  }

  // The only way to stop what runs is to end Python: the cells above run again the next time.
  function end() {
    worker?.terminate();
    worker = null;
    ran.length = 0;
  }

  // One queue: a task asks Python one job after the other, and the next one begins when it is done. `work(ask)` gives
  // the answer; `note` hears how far it is; `stop()` ends it wherever it is, and `limit` is in seconds of computing.
  // A Python that died, or could not be fetched, is gone: the next job starts a new one.
  function task(work, {note = () => {}, limit = 0} = {}) {
    let give = null;
    const own = {};
    const ask = (job) =>
      new Promise((done, fail) => {
        if (own.ended) throw own.ended;
        const id = ++jobs;
        let clock = 0;
        give = (error) => {
          clearTimeout(clock);
          fail(error);
        };
        told = (data) => {
          if (data.note !== undefined && (!data.id || data.id === id)) {
            note(data.note);
            if (limit && !data.note) clock = setTimeout(() => own.stop(`no answer in ${limit} seconds`), limit * 1000);
          } else if (data.id === id && data.failed) {
            end();
            give(new Error(data.failed));
          } else if (data.id === id) {
            clearTimeout(clock);
            done(data.found);
          }
        };
        python().postMessage({...job, id});
      });
    own.stop = (words = "stopped") => {
      if (own.ended) return;
      own.ended = Object.assign(new Error(words), {stopped: true});
      if (current === own) end();
      give?.(own.ended);
    };
    own.done = new Promise((done, fail) => {
      own.begin = async () => {
        try {
          if (location.protocol === "file:") throw new Error(FILE);
          if (own.ended) throw own.ended;
          note("");
          done(await work(ask));
        } catch (error) {
          fail(error);
        }
        told = () => {};
        current = waiting.shift() ?? null;
        current?.begin();
      };
    });
    if (current) {
      note("Waiting for what runs before");
      waiting.push(own);
    } else {
      current = own;
      own.begin();
    }
    return own;
  }

  // A hand that is at a button will press it: fetch what the cells up to this one need.
  async function near(cell) {
    if (location.protocol === "file:" || navigator.connection?.saveData || cell.near) return;
    cell.near = true;
    try {
      const {places} = await read(),
        code = (await texts()).slice(0, places[cell.place] + 1);
      python().postMessage({id: 0, code, name: "", warm: true});
    } catch {
      cell.near = false; // the click says what is wrong
    }
  }

  const plain = (text) => text.replaceAll("\u00a0", " ").replace(/\n+$/, "");

  const set = ({html}) => document.createRange().createContextualFragment(html); // its scripts run in the page

  function wrong({words, line}, code, where) {
    const box = make("div", "live-wrong");
    if (line) box.append(make("pre", "", `${String(line).padStart(3)}  ${code.split("\n")[line - 1] ?? ""}`));
    box.append(make("p", "", `${where}${words}`));
    return box;
  }

  // What a reader has written stays on this device, by page and cell, if the browser may store anything.
  const KEY = `cells of ${location.pathname}`;
  const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  function keep(cell, text) {
    cell.text = text;
    if (text === cell.first) delete kept[cell.place];
    else kept[cell.place] = text;
    cell.reset.hidden = text === cell.first;
    let stored = localStorage instanceof Storage; // and not the page's stand-in
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      stored = false; // no room
    }
    if (stored) cell.said.textContent = text === cell.first ? "" : "Kept on this device";
    else cell.said.textContent = "This browser stores nothing for this site: a reload loses your text";
  }

  const cells = boxes.map((box) => {
    const pre = box.querySelector(".cell_input pre"),
      cell = {box, pre, place: Number(box.dataset.cell), printed: pre?.innerHTML};
    if (!pre) return cell;
    cell.first = cell.text = plain(pre.textContent);
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
    cell.run = button("Run", "Run this cell", () => (cell.task ? cell.task.stop() : run(cell)), false);
    for (const kind of ["pointerenter", "focus"]) cell.run.addEventListener(kind, () => near(cell));
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
    // A text that is folded away later has no lines on the screen: it is read while it is written.
    pre.addEventListener("input", () => keep(cell, plain(pre.innerText)));
    pre.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!cell.task) run(cell);
    });
    if (cell.place in kept && !box.classList.contains("tag_static")) {
      pre.textContent = kept[cell.place];
      keep(cell, kept[cell.place]);
      if (cell.said.textContent) cell.said.textContent = "Your text, kept on this device";
    }
    return cell;
  });

  // The notebook's code cells as the page has them now.
  async function texts() {
    const {all, places} = await read(),
      shownAt = new Map(cells.map((one) => [places[one.place], one]));
    return all.map((one, k) => shownAt.get(k)?.text ?? one.code);
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
    cell.task?.stop();
    cell.pre.innerHTML = cell.printed;
    cell.out?.remove();
    for (const old of cell.box.querySelectorAll(".cell_output")) old.hidden = false;
    keep(cell, cell.first);
  }

  // Run what stands above and has not run as it stands now, then the cell itself.
  async function run(cell, anew = false) {
    if (cell.task) return;
    const started = performance.now();
    let doing = "…";
    cell.run.textContent = "Stop";
    cell.task = task(
      async (ask) => {
        const {all, places} = await read(),
          last = places[cell.place],
          code = await texts();
        if (anew) ran.length = 0;
        let begin = ran.findIndex((text, k) => k < last && text !== code[k]);
        if (begin < 0) begin = Math.min(ran.length, last);
        ran.length = Math.min(ran.length, begin);
        for (let k = begin; k <= last; k++) {
          ran[k] = code[k];
          if (all[k].tags.includes("static")) continue;
          doing = `Running ${k < last ? `cell ${k + 1} of ${last + 1}` : "this cell"}`;
          cell.said.textContent = doing;
          const found = await ask({code: code[k], name: `<cell ${k + 1}>`, forget: anew && k === 0});
          const error = found.error && !all[k].tags.includes("raises-exception");
          if (error) ran.length = k;
          if (k === last || error) put(cell, found, code[k], k === last ? "" : `In cell ${k + 1} of the page: `);
          if (error) return "An error";
        }
        for (const one of cells) if (one.out && places[one.place] > last) one.out.classList.add("live-old");
        return `Done in ${((performance.now() - started) / 1e3).toFixed(1)} s`;
      },
      {note: (words) => (cell.said.textContent = words || doing)}
    );
    const said = await cell.task.done.catch((error) =>
      error.stopped
        ? "Stopped: the cells above run again the next time"
        : `Python did not start here (${error.message}). Press Run to try again; the download button has the notebook of this page, which runs on your machine.`
    );
    cell.task = null;
    cell.run.textContent = "Run";
    cell.said.textContent = said;
    cell.above.hidden = false;
  }

  // For the forms of a page: a task of their own, code that leaves nothing behind, and what it shows.
  window.livePython = {
    task,
    read,
    texts,
    anew: () => (ran.length = 0),
    save(name, type, text) {
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([text], {type}));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
    show(out, {shown, error}) {
      out.replaceChildren(...shown.map(set), ...(error ? [wrong({words: error.words}, "", "")] : []));
    }
  };

  function put(cell, {shown, error}, code, where) {
    const out = make("div", "live-out");
    out.append(...shown.map(set));
    if (error) out.append(wrong(error, code, where));
    cell.out?.remove();
    for (const old of cell.box.querySelectorAll(".cell_output")) {
      for (const caption of old.querySelectorAll("figcaption")) out.append(caption.cloneNode(true));
      old.hidden = true;
    }
    cell.box.append(out);
    cell.out = out;
  }
})();
