// The picture of a report: cost curves over a decision parameter, their differences with bands, and under them the hill
// of a prior.
function element(parent, name, attributes, words) {
  const node = document.createElementNS(document.querySelector("svg").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (words !== undefined) node.textContent = words;
  parent.appendChild(node);
  return node;
}

const SCALES = {linear: (v) => v, log: Math.log, logit: (p) => Math.log(p) - Math.log1p(-p)};

// Ends of an axis and a round step: at most five steps.
function roundAxis(low, high) {
  const rough = (high - low || Math.abs(high) || 1) / 4,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((v) => v * power).find((v) => v >= rough * 0.999);
  const [from, to] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  return {step, low: from, high: to > from ? to : from + step};
}

// spec: {x, scale, ticks: [value, words, words below], label, below, panels: [{title, height, lines: [{ys, style,
// name}],
// bands: [{low, high, style}], low, high, start}], hill, hillHeight, title of the hill}.
function landscape(svg, spec) {
  const W = Math.max(300, Math.round(svg.clientWidth) || 640),
    phone = W < 520,
    left = 58,
    wide = W - left - (phone ? 10 : 148);
  const along = SCALES[spec.scale],
    ends = [along(spec.x[0]), along(spec.x[spec.x.length - 1])];
  const x = (v) => left + ((along(v) - ends[0]) / (ends[1] - ends[0] || 1)) * wide;
  const text = (px, py, words, anchor, kind = "") =>
    element(svg, "text", {x: px, y: py, "text-anchor": anchor, class: kind}, words);
  svg.replaceChildren();
  let top = 4;
  for (const panel of spec.panels) top = drawPanel(svg, panel, {x, top, left, wide, phone, xs: spec.x, text}) + 30;
  const high = spec.hillHeight || 74,
    base = top - 8 + high + (spec.hillTitle ? 14 : 0);
  if (spec.hillTitle) text(left, base - high - 8, spec.hillTitle, "start");
  const shape = spec.x.map((v, k) => `${x(v).toFixed(1)} ${(base - high * spec.hill[k]).toFixed(1)}`);
  element(svg, "path", {
    class: "hill",
    d: `M${x(spec.x[0])} ${base}L${shape.join("L")}L${x(spec.x[spec.x.length - 1])} ${base}Z`
  });
  element(svg, "path", {class: "axis", d: `M${left} ${base}H${left + wide}`});
  let last = -Infinity;
  for (const [value, words, below] of spec.ticks) {
    if (value < spec.x[0] || value > spec.x[spec.x.length - 1] || x(value) - last < 44) continue;
    last = x(value);
    element(svg, "path", {class: "axis", d: `M${last} ${base}v5`});
    text(last, base + 18, words, "middle");
    if (below) text(last, base + 54, below, "middle");
  }
  text(left + wide / 2, base + 36, spec.label, "middle");
  if (spec.below) text(left + wide / 2, base + 71, spec.below, "middle");
  const H = base + (spec.below ? 80 : 44);
  svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
}

function drawPanel(svg, panel, {x, top, left, wide, phone, xs, text}) {
  const start = top + 22,
    floor = start + panel.height,
    {low, high, step} = roundAxis(panel.low, panel.high);
  const y = (v) => floor - ((Math.min(high, Math.max(low, v)) - low) / (high - low)) * (floor - start);
  const points = (ys) => ys.map((v, k) => `${x(xs[k]).toFixed(1)} ${y(v).toFixed(1)}`);
  text(4, top + 10, panel.title, "start");
  for (let v = low; v <= high + step / 2; v += step) {
    element(svg, "path", {class: Math.abs(v) < step / 2 ? "axis" : "rule", d: `M${left} ${y(v)}H${left + wide}`});
    text(left - 6, y(v) + 4, Math.abs(v) < step / 2 ? panel.start || "0" : String(+v.toPrecision(3)), "end");
  }
  for (const band of panel.bands || [])
    element(svg, "path", {
      class: `band band${band.style}`,
      d: `M${points(band.low).join("L")}L${points(band.high).reverse().join("L")}Z`
    });
  for (const line of panel.lines)
    element(svg, "path", {class: `line line${line.style}`, d: `M${points(line.ys).join("L")}`});
  const labels = phone
    ? []
    : panel.lines
        .filter(({name}) => name)
        .map((line) => ({...line, at: y(line.ys[line.ys.length - 1])}))
        .sort((a, b) => a.at - b.at);
  labels.forEach((one, k) => {
    if (k) one.at = Math.max(one.at, labels[k - 1].at + 15);
  });
  for (const {name, style, at} of labels) {
    const shown = name.length > 17 ? `${name.slice(0, 16)}…` : name;
    text(left + wide + 8, at + 4, shown, "start", `name name${style}`);
  }
  return floor;
}

function roundTicks(scale, low, high) {
  if (scale === "log") return Array.from({length: 61}, (_, k) => [1, 2, 5][k % 3] * 10 ** (Math.floor(k / 3) - 10));
  const {step, low: from} = roundAxis(low, high);
  return Array.from({length: 12}, (_, k) => +(from + k * step).toPrecision(12));
}

// The picture of a comparison: {axis, x, names, costs, gaps, bands, hill}, models from the cheapest on.
function drawPicture(svg, {axis, x, names, costs, gaps, bands, hill, reference = 0}) {
  const span = (rows) => [Math.min(...rows.flat()), Math.max(...rows.flat())],
    [least, most] = span(costs);
  const style = (k) => (k % 6) + (k > 5 ? " again" : ""),
    known = bands.flatMap((band) => band || []),
    [low, high] = span([...gaps, ...known]);
  const panels = [
    {
      title: axis.cost,
      height: 170,
      low: Math.min(0, least),
      high: Math.max(0, most),
      lines: costs.map((ys, k) => ({ys, style: style(k), name: names[k]}))
    }
  ];
  if (names.length > 1) {
    panels.push({
      title: `minus that of ${names[reference]}, with 95% bands`,
      height: 120,
      low,
      high,
      lines: gaps.map((ys, k) => ({ys, style: style(k)})),
      bands: bands.flatMap((band, k) => (band ? [{low: band[0], high: band[1], style: style(k)}] : []))
    });
  }
  landscape(svg, {
    x,
    scale: axis.scale,
    label: axis.label,
    below: axis.below,
    panels,
    hill,
    hillTitle: "the hill: what you said of your costs",
    hillHeight: 60,
    ticks: axis.ticks || roundTicks(axis.scale, x[0], x[x.length - 1]).map((v) => [v, String(v)])
  });
}
