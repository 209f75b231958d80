// An exercise's page: saves what the student wrote as one notebook, then runs the tests and says what comes first.
(() => {
  "use strict";
  const box = document.querySelector(".hand-in"),
    button = box.querySelector("button"),
    told = box.querySelector("[role=status]"),
    list = box.querySelector(".verdicts"),
    who = box.querySelector("input"),
    LIMIT = 30; // seconds of computing, for each cell and test
  let task = null,
    doing = ""; // what the task is at

  async function unpacked() {
    const bytes = Uint8Array.from(atob(document.getElementById("held").textContent), (sign) => sign.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(plain).text());
  }

  // One file by student and exercise, so that thirty of them lie in one folder.
  function save(notebook, exercise) {
    const name = (who.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join("-"),
      file = `${name ? `${name}_` : ""}${exercise}`;
    window.livePython.save(file, "application/x-ipynb+json", JSON.stringify(notebook, null, 1));
    return file;
  }

  function say(exercise, words, passed) {
    const line = document.createElement("li");
    line.className = passed ? "passed" : "";
    line.textContent = `${exercise}. ${words}`;
    list.append(line);
  }

  // The pattern of failed tests tells a known mistake; if there is none, the first failed test speaks.
  function verdict(exercise, {tests, mistakes}, wrong) {
    const own = tests
      .map((test, place) => ({...test, place, why: wrong[place]}))
      .filter((test) => test.exercise === exercise);
    const failed = own.filter(({why}) => why);
    if (!failed.length) return say(exercise, `All ${own.length} tests pass.`, true);
    const odd = failed.find(({why}) => !why.startsWith("AssertionError"));
    if (odd) return say(exercise, odd.why, false);
    const pattern = failed.map(({place}) => place).join(),
      alike = mistakes.filter((one) => one.exercise === exercise && one.fails.join() === pattern);
    const asks = failed[0].asks;
    if (alike.length) {
      const names = alike.map(({name}) => `“${name}”`).join(" or ");
      return say(exercise, `It fails as a known mistake does: ${names}. A test asks: ${asks}.`, false);
    }
    say(exercise, `${failed.length} of ${own.length} tests fail. The first one asks: ${asks}.`, false);
  }

  // What the tests say, one by one: nothing, or why they fail. A cell that fails does not stop the others.
  async function marks(ask, {all, code}, written, held) {
    const wrong = [];
    for (const [place, {tags}] of all.entries()) {
      if (code[place].metadata.nbgrader?.grade || tags.includes("remove-cell")) continue;
      doing = `Running cell ${place + 1}`;
      await ask({code: written[place], name: `<cell ${place + 1}>`, forget: !place});
    }
    for (const {code: test} of held.tests) {
      doing = "Testing";
      wrong.push((await ask({code: test, name: "<test>"})).error?.words ?? "");
    }
    return wrong;
  }

  async function hand_in() {
    list.replaceChildren();
    const {task: queue, read, texts, anew} = window.livePython,
      {book: notebook, all} = await read(),
      written = await texts();
    const code = notebook.cells.filter(({cell_type}) => cell_type === "code");
    code.forEach((cell, place) => (cell.source = written[place]));
    notebook.metadata.student = who.value.trim();
    const saved = `${save(notebook, document.querySelector("script[data-notebook]").dataset.notebook)} is saved.`,
      held = await unpacked();
    button.textContent = "Stop the tests";
    task = queue(
      (ask) => {
        anew(); // the cells' buttons run them again
        return marks(ask, {all, code}, written, held);
      },
      {note: (words) => (told.textContent = `${saved} ${words || doing}`), limit: LIMIT}
    );
    const wrong = await task.done;
    told.textContent = saved;
    for (const exercise of new Set(held.tests.map((test) => test.exercise))) verdict(exercise, held, wrong);
  }

  button.addEventListener("click", async () => {
    if (task) return task.stop();
    try {
      await hand_in();
    } catch (error) {
      const saved = task ? "The file is saved" : "Nothing was saved";
      told.textContent = error.stopped
        ? `${saved}, with your text; nothing was tested (${doing.toLowerCase()}: ${error.message}). Does a loop not end?`
        : `${saved}. Python did not get through (${error.message}), so nothing was tested. Press again to try again.`;
    }
    task = null;
    button.textContent = "Hand in";
  });
})();
