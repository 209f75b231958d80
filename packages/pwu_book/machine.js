// The prior machine: two formulas go to Python in the page, and what they believe comes back.
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".machine-form"),
    answer = document.querySelector(".machine-answer"),
    said = form.querySelector("[role=status]"),
    button = form.querySelector("button"),
    words = button.textContent;
  if (!window.livePython) return; // a site without live cells: the cell below the form is the machine
  form.hidden = false;
  const show = () => {
    for (const label of form.querySelectorAll("label[class]"))
      label.hidden = !label.classList.contains(`for-${form.elements.kind.value}`);
  };

  // The address keeps the formulas, so that a machine can be linked to as it stands.
  function take() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (!given.has("one") && !given.has("loss")) return false;
    form.elements.kind.value = given.has("loss") ? "spread" : "probability";
    for (const name of ["one", "zero", "loss"]) if (given.has(name)) form.elements[name].value = given.get(name);
    show();
    return true;
  }

  let task = null;
  async function ask() {
    if (task) return task.stop();
    const {kind, one, zero, loss} = form.elements,
      names = kind.value === "spread" ? {loss: loss.value} : {one: one.value, zero: zero.value};
    history.replaceState(null, "", `#${new URLSearchParams(names)}`);
    const texts = Object.values(names).map((text) => JSON.stringify(text)),
      code = `from pwu_book import machine\nmachine.tell(${texts.join(", ")})`;
    button.textContent = "Stop";
    task = window.livePython.task((send) => send({code, name: "<machine>", alone: true}), {
      note: (words) => (said.textContent = words || "Computing"),
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

  form.elements.kind.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  addEventListener("hashchange", take); // a link fills the form, and computes nothing by itself
  show();
  if (take()) said.textContent = "Your link's formula: press the button";
});
