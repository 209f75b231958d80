// A form of a page: what stands in its boxes, or in its files, goes to Python in the page, and the answer comes back.
// A form with data-kept saves what was written as a file, and asks nobody.
addEventListener("DOMContentLoaded", () => {
  if (!window.livePython) return; // a site without live cells: the cell below the form answers
  for (const form of document.querySelectorAll("form.asks")) attend(form, form.nextElementSibling);

  function attend(form, answer) {
    const {kind, files} = form.elements,
      {asked, kept} = form.dataset,
      boxes = [...form.querySelectorAll("input[type=text]")],
      said = form.querySelector("[role=status]"),
      button = form.querySelector("button"),
      words = button.textContent;
    let task = null;
    form.hidden = false;

    // Where there are two kinds of question, the boxes of one of them show, and the address keeps what is written.
    const show = () => {
      for (const {parentNode: label} of boxes) label.hidden = label.className !== `for-${kind.value}`;
    };
    function take() {
      const given = new URLSearchParams(location.hash.slice(1)),
        named = boxes.filter(({name}) => given.has(name));
      for (const box of named) {
        box.value = given.get(box.name);
        kind.value = box.parentNode.className.slice(4);
      }
      show();
      return named.length;
    }

    async function texts() {
      const shown = boxes.filter(({parentNode}) => !parentNode.hidden);
      if (kind) history.replaceState(null, "", `#${new URLSearchParams(shown.map(({name, value}) => [name, value]))}`);
      if (!files) return shown.map(({value}) => value);
      const read = [...files.files].map(async (file) => [file.name, await file.text()]);
      return [JSON.stringify(Object.fromEntries(await Promise.all(read)))];
    }

    async function ask() {
      if (task) return task.stop();
      const given = (await texts()).map((text) => JSON.stringify(text)),
        code = `from pwu_book import ${asked.split(".")[0]}\n${asked}(${given.join(", ")})`;
      button.textContent = "Stop";
      task = window.livePython.task((send) => send({code, name: "<form>", alone: true}), {
        note: (note) => (said.textContent = note || "Computing"),
        limit: 120
      });
      try {
        window.livePython.show(answer, await task.done);
        said.textContent = "";
      } catch (error) {
        said.textContent = `No answer: ${error.message}. Press again to try again.`;
      }
      task = null;
      button.textContent = words;
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!kept) return ask();
      const [name, text] = boxes.map(({value}) => value.trim());
      window.livePython.save(`${name.replace(/[^\p{L}\p{N}]+/gu, "-")}.${kept}.txt`, "text/plain", `${text}\n`);
      said.textContent = "Saved. Hand the file to your teacher.";
    });
    if (!kind) return;
    kind.addEventListener("change", show);
    addEventListener("hashchange", take); // a link fills the form, and computes nothing by itself
    if (take()) said.textContent = "Your link's formula: press the button";
  }
});
