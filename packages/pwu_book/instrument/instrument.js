// The book's one picture: Python computed every number and drew the first view; this script shows the others.
// It serves every instrument above it that is not served yet: a page keeps the last of several copies.
document.querySelectorAll('.instrument:not([data-ready]):has(> script[type="application/json"])').forEach((root) => {
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const drawings = [...root.querySelectorAll(".views > svg")],
    inputs = [...root.querySelectorAll(".controls select, .controls input")],
    status = root.querySelector("[role=status]:not(.answer)"),
    list = root.querySelector("ol"),
    logit = (p) => Math.log(p) - Math.log1p(-p),
    place = (input) => (input.type === "checkbox" ? +input.checked : +input.value),
    size = (svg) => Object.fromEntries(Object.entries(svg.dataset).map(([key, value]) => [key, +value]));
  const ends = [logit(data.grid[0]), logit(data.grid[data.grid.length - 1])];
  const along = (svg, c) => size(svg).left + ((logit(c) - ends[0]) / (ends[1] - ends[0])) * size(svg).wide;
  const points = (svg, cs, ys) => cs.map((c, k) => `${along(svg, c).toFixed(1)} ${ys[k].toFixed(1)}`).join("L");

  // Heights of a hill: those given, or of c^a (1 - c)^b, the highest of them 1.
  function heights(hill, cs) {
    if (hill.length > 2) return hill.map((v) => v / 100);
    const logs = cs.map((c) => hill[0] * Math.log(c) + hill[1] * Math.log1p(-c)),
      most = Math.max(...logs);
    return logs.map((v) => Math.exp(v - most));
  }

  function showHill(svg, hill, title) {
    const {base, height, left, wide} = size(svg),
      cs = data.grid.filter((_, k) => k % 2 === 0),
      high = hill ? heights(hill, cs) : cs.map(() => 0);
    const levels = high.map((v) => base - height * v),
      outline = points(svg, cs, levels);
    svg.querySelector(".hill").setAttribute("d", hill ? `M${left} ${base}L${outline}L${left + wide} ${base}Z` : "");
    svg.querySelector(".hill-title").textContent = title;
    svg.querySelectorAll(".between path").forEach((line, k) => {
      line.setAttribute("opacity", +(0.275 * (high[k] + high[k + 1])).toFixed(2));
    });
  }

  function showCurves(svg, curves) {
    const {top, floor} = size(svg),
      y = (v) => floor - Math.min(v / data.top, 1) * (floor - top); // both in steps of the drawing
    svg.querySelectorAll(":scope > .line").forEach((line, k) => {
      if (k >= curves.length) return;
      let height = 0; // each point is told by its step from the one before
      const heights = curves[k].map((step) => y((height += step)));
      line.setAttribute("d", `M${points(svg, data.grid, heights)}`);
    });
  }

  // A thousand squares by fate, in columns of twenty.
  function showPlates(counts) {
    root.querySelectorAll(".plates figure svg").forEach((svg, which) => {
      let from = 0;
      svg.querySelectorAll("path").forEach((path, fate) => {
        const to = from + counts[which][fate];
        let drawn = "";
        for (let k = from; k < to; k++) drawn += `M${5 * Math.floor(k / 20)} ${5 * (k % 20) + 2}h4`;
        path.setAttribute("d", drawn);
        from = to;
      });
    });
  }

  function showBills(bills) {
    while (list.children.length < bills.length) list.append(document.createElement("li"));
    [...list.children].forEach((item, k) => {
      item.hidden = k >= bills.length;
      if (item.hidden) return;
      const [which, words, share] = bills[k];
      item.className = `who${which}${k === 0 && data.ranked ? " best" : ""}`;
      item.style.setProperty("--share", `${share}%`);
      item.textContent = words;
    });
  }

  const number = () => inputs.reduce((at, input, k) => at * data.options[k].length + place(input), 0),
    view = () => {
      const which = data.views[data.index[number()]];
      const parts = Object.entries(data.parts).map(([name, values], k) => [name, values[which[k]]]);
      return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
    };

  function draw() {
    const shown = view();
    inputs.forEach((input, k) => {
      const out = input.parentNode.querySelector("output");
      if (out) out.textContent = data.options[k][place(input)];
    });
    for (const svg of drawings) {
      showHill(svg, shown.hill, shown.title || "");
      if (shown.curves) showCurves(svg, shown.curves);
      const mark = svg.querySelector(".place");
      if (mark) {
        mark.style.display = shown.mark ? "" : "none";
        if (shown.mark) mark.setAttribute("transform", `translate(${along(svg, shown.mark).toFixed(1)} 0)`);
      }
    }
    status.replaceChildren(...shown.words.flatMap((line) => [line, document.createElement("br")]).slice(0, -1));
    if (list) showBills(shown.bills);
    if (shown.counts) showPlates(shown.counts);
  }

  // In a file of its own, or with votes, the address holds what the controls say; in a talk another window follows.
  const alone = document.body.matches(".instrument-file") || root.matches(".voted");
  const settings = () => new URLSearchParams(inputs.map((input) => [input.name, String(place(input))])).toString();
  function take(words) {
    const asked = new URLSearchParams(words);
    for (const input of inputs.filter((one) => asked.has(one.name))) {
      const value = asked.get(input.name);
      if (input.type === "checkbox") input.checked = value === "1";
      else if (+value >= 0 && +value < data.options[inputs.indexOf(input)].length) input.value = value;
    }
    draw();
  }
  // A slider that changes nothing while another's hill is shown brings back the hill that it belongs to.
  function idle(slider) {
    const held = slider.value,
      seen = data.options[inputs.indexOf(slider)].map((_, value) => ((slider.value = value), data.index[number()]));
    slider.value = held;
    return new Set(seen).size === 1;
  }
  function moved(slider) {
    const whose = inputs.find((one) => one.matches("select"));
    if (whose && slider.type === "range" && idle(slider)) whose.value = "0";
    draw();
    if (alone) history.replaceState(null, "", `#${settings()}`);
    root.dispatchEvent(new CustomEvent("moved", {bubbles: true, detail: settings()}));
  }
  for (const input of inputs) input.addEventListener("input", () => moved(input));
  root.addEventListener("follow", (event) => take(event.detail));

  // The drawing can be pulled: the first slider follows to the nearest place.
  const first = inputs.find((input) => input.type === "range");
  const nearest = (c) =>
    data.places.reduce((best, v, k) => (Math.abs(logit(v) - c) < Math.abs(logit(data.places[best]) - c) ? k : best), 0);
  for (const svg of data.places ? drawings : []) {
    const follow = (event) => {
      const box = svg.getBoundingClientRect(),
        {left, wide} = size(svg);
      const px = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      first.value = nearest(ends[0] + ((px - left) / wide) * (ends[1] - ends[0]));
      moved(first);
    };
    svg.classList.add("pulled");
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      follow(event);
    });
    svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && follow(event));
  }
  for (const button of root.querySelectorAll("button[data-place]"))
    button.addEventListener("click", () => {
      first.value = button.dataset.place;
      moved(first);
    });
  for (const part of root.querySelectorAll(".controls")) part.hidden = false;
  root.querySelector(".steps")?.remove();

  // Say first, then see: what is asked for is hidden until the reader has said where it is.
  const asks = root.querySelector(".asks");
  if (asks && !(alone && location.hash.length > 1)) {
    const guess = asks.querySelector("input"),
      said = asks.querySelector("output"),
      words = () => (said.textContent = asks.dataset.words.split("|")[+guess.value]);
    asks.hidden = false;
    root.classList.add("asking");
    guess.addEventListener("input", words);
    asks.querySelector("button").addEventListener("click", () => {
      root.classList.remove("asking");
      asks.classList.add("answered");
      asks.querySelector(".answer").textContent = `You said ${said.textContent}. ${asks.dataset.answer}`;
    });
    words();
  }
  // Beside a text that passes, the paragraph in the middle of the window says where the controls stand.
  function pass() {
    const stages = [...(root.closest(".pinned")?.querySelectorAll(".stage") ?? [])];
    const watch = new IntersectionObserver(
      (crossed) => {
        for (const {target} of crossed.filter((one) => one.isIntersecting)) {
          const k = stages.indexOf(target);
          stages.forEach((stage) => stage.classList.toggle("now", stage === target));
          if (k > 0) {
            root.classList.remove("asking");
            root.classList.add("passed");
          }
          data.stages[k].forEach((value, n) => {
            if (inputs[n].type === "checkbox") inputs[n].checked = value === 1;
            else inputs[n].value = value;
          });
          draw();
        }
      },
      {rootMargin: innerWidth < 992 ? "-75% 0px -15% 0px" : "-50% 0px -40% 0px"}
    );
    for (const stage of stages) watch.observe(stage);
  }
  if (data.stages && document.readyState === "loading") addEventListener("DOMContentLoaded", pass);
  else if (data.stages) pass();
  if (alone) {
    take(location.hash.slice(1));
    addEventListener("hashchange", () => take(location.hash.slice(1)));
  } else draw();
  root.dataset.ready = "";
});
