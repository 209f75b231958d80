// An exercise's page: saves what the student wrote as one notebook, then runs the tests and says what comes first.
(() => {
  "use strict";
  const box = document.querySelector(".hand-in"),
    button = box.querySelector("button"),
    told = box.querySelector("[role=status]"),
    list = box.querySelector(".verdicts");

  async function unpacked() {
    const bytes = Uint8Array.from(atob(document.getElementById("held").textContent), (sign) => sign.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(plain).text());
  }

  function save(notebook, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(notebook, null, 1)], {type: "application/x-ipynb+json"}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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

  button.addEventListener("click", async () => {
    button.disabled = true;
    list.replaceChildren();
    const {ask, read, texts} = window.livePython,
      {book: notebook, all} = await read(),
      written = await texts(),
      who = box.querySelector("input").value.trim();
    const code = notebook.cells.filter(({cell_type}) => cell_type === "code");
    code.forEach((cell, place) => (cell.source = written[place]));
    notebook.metadata.student = who;
    save(notebook, document.querySelector("script[data-notebook]").dataset.notebook);
    const held = await unpacked(),
      wrong = [];
    for (const [place, {tags}] of all.entries()) {
      const test = code[place].metadata.nbgrader?.grade || tags.includes("remove-cell");
      if (test) continue;
      const {failed} = await ask(
        {code: written[place], name: `<cell ${place + 1}>`, forget: !place, alone: false},
        (words) => (told.textContent = words)
      );
      if (failed) {
        told.textContent = `The file is saved. Python did not start here (${failed}), so nothing was tested.`;
        button.disabled = false;
        return;
      }
    }
    for (const {code: test} of held.tests) {
      const {found} = await ask({code: test, name: "<test>", alone: false}, () => {});
      wrong.push(found?.error?.words ?? "");
    }
    told.textContent = "The file is saved.";
    for (const exercise of new Set(held.tests.map((test) => test.exercise))) verdict(exercise, held, wrong);
    button.disabled = false;
  });
})();
