// The book's explorers: every number was computed in Python, this script only shows it.
(function (root) {
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const panels = root.querySelectorAll(".panels svg"),
    status = root.querySelector("[role=status]");
  const left = 50,
    bottom = 205,
    width = 268,
    height = 180;

  const add = element;

  // Axes of a panel; returns what draws on it, in the units of the data.
  function chart(svg, [x0, x1], [y0, y1], label, title) {
    [[x0, x1], [y0, y1]] = [
      [x0, x1],
      [y0, y1]
    ].map(([a, b]) => (b > a ? [a, b] : [a - 1, a + 1])); // never empty
    const x = (u) => left + ((u - x0) / (x1 - x0)) * width;
    const y = (v) => bottom - ((v - y0) / (y1 - y0)) * height;
    const short = (v) => String(+v.toPrecision(2));
    const text = (px, py, words, anchor) => add(svg, "text", {x: px, y: py, "text-anchor": anchor}, words);
    svg.replaceChildren();
    add(svg, "path", {class: "axis", d: `M${left} ${bottom - height}V${bottom}H${left + width}`});
    for (const u of [x0, (x0 + x1) / 2, x1]) text(x(u), bottom + 16, short(u), "middle");
    for (const v of [y0, (y0 + y1) / 2, y1]) text(left - 6, y(v) + 4, short(v), "end");
    text(left + width / 2, bottom + 32, label, "middle");
    text(left, 12, title, "start");
    svg.invert = (px) => x0 + ((px - left) / width) * (x1 - x0);
    return {
      curve(xs, ys, style) {
        // a gap where a value is missing or off the panel
        let path = "",
          pen = "M";
        xs.forEach((u, k) => {
          const v = ys[k];
          if (v === null || v > y1 || v < y0) {
            pen = "M";
            return;
          }
          path += `${pen}${x(u).toFixed(1)} ${y(v).toFixed(1)}`;
          pen = "L";
        });
        add(svg, "path", {class: `line line${style}`, d: path});
      },
      band(xs, low, high) {
        const along = (k, ys) => `${x(xs[k]).toFixed(1)} ${y(ys[k]).toFixed(1)}`;
        const up = xs.map((_, k) => along(k, low)),
          down = xs.map((_, k) => along(k, high)).reverse();
        add(svg, "path", {class: "band", d: `M${[...up, ...down].join("L")}Z`});
      },
      stem(u, v, words) {
        add(svg, "path", {class: "line line0", d: `M${x(u)} ${y(y0)}V${y(v)}`});
        text(x(u) + 6, y(v), words, "start");
      },
      mark(u, words = "") {
        add(svg, "path", {class: "marker", d: `M${x(u)} ${bottom}V${bottom - height}`});
        text(x(u) + 4, bottom - height + 12, words, "start");
      },
      level(v) {
        add(svg, "path", {class: "axis", d: `M${left} ${y(v)}H${left + width}`});
      }
    };
  }

  // One item a model: its line, then its words.
  function list(items) {
    root.querySelector("ol").replaceChildren(
      ...items.map(([style, words]) => {
        const item = document.createElement("li");
        const svg = add(item, "svg", {class: "swatch landscape", viewBox: "0 0 34 10", "aria-hidden": "true"});
        add(svg, "path", {class: `line line${style}`, d: "M0 5H34"});
        item.append(words);
        return item;
      })
    );
  }

  function say(...lines) {
    status.replaceChildren(...lines.flatMap((line) => [line, document.createElement("br")]).slice(0, -1));
  }

  // @PARTS@

  // Which place of the first slider a value on a drawing stands for.
  const nearest = (values, u) =>
    values.reduce((best, v, k) => (Math.abs(v - u) < Math.abs(values[best] - u) ? k : best), 0);
  const place = {
    metric: (u) => Math.round(100 * u),
    prior: (u) => nearest(data.modes, u),
    murphy: (u) => nearest(data.thetas, u),
    hill: (u) => nearest(data.places.map(Math.log), u)
  }[root.dataset.kind];

  // Whom a score asks most and whom least.
  function served(asked) {
    if (!asked || asked.length < 2) return "";
    const order = asked.map((_, k) => k).sort((a, b) => asked[b] - asked[a]),
      [most, least] = [order[0], order[order.length - 1]];
    const [dear, cheap] = [most, least].map((k) => `the ${data.people[k][0]} (c = ${data.people[k][1]})`);
    if (asked[most] === asked[least])
      return asked[most] ? `It asks ${dear} and ${cheap} alike.` : "It asks neither of them.";
    if (!asked[least]) return `It asks ${dear}, and ${cheap} not at all.`;
    return `It asks ${dear} ${+(asked[most] / asked[least]).toPrecision(3)} times as much as ${cheap}.`;
  }

  // The hill's own drawing: what choosing right saves, where the hill stands, and a grip to pull it by.
  function hillside(svg, at, width) {
    const grid = data.grid,
      s = data.widths[+width.value],
      m = data.places[+at.value];
    const a = 1 / (s * s * (1 - m)),
      b = 1 / (s * s * m);
    const hill = grid.map((c) => Math.exp(a * Math.log(c / m) + b * Math.log((1 - c) / (1 - m))));
    const drawn = landscape(svg, {
      x: grid,
      scale: "log",
      hill,
      label: "cost share of a false alarm, c",
      below: `so many ${data.alarm} cost as much as ${data.miss}`,
      ticks: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].map((c) => [
        c,
        String(c),
        String(Math.round(((1 - c) / c) * 10) / 10)
      ]),
      panels: [
        {
          title: `${data.alarm} per ${data.per}`,
          height: 200,
          low: 0,
          high: Math.max(...data.curves.flat()),
          lines: data.curves.map((ys, style) => ({ys, style, name: data.names[style]}))
        }
      ]
    });
    const [panel] = drawn.panels,
      peak = drawn.base - drawn.high;
    grid.slice(1).forEach((c, i) => {
      if (hill[i] < 0.02) return;
      const [p, q] = [data.curves[0][i], data.curves[1][i]].map(panel.y),
        cheaper = p > q ? 0 : 1;
      const saved = add(svg, "rect", {
        class: `saved saved${cheaper}`,
        x: drawn.x(grid[i]).toFixed(2),
        width: (drawn.x(c) - drawn.x(grid[i])).toFixed(2),
        y: Math.min(p, q).toFixed(1),
        height: Math.abs(p - q).toFixed(1),
        "fill-opacity": (0.5 * hill[i]).toFixed(2)
      });
      svg.insertBefore(saved, svg.querySelector(".line"));
    });
    svg.invert = drawn.invert;
    add(svg, "path", {class: "marker", d: `M${drawn.x(m)} ${peak - 14}V${panel.start}`});
    const grip = add(svg, "g", {class: "grip", transform: `translate(${drawn.x(m).toFixed(1)} ${peak})`});
    add(grip, "circle", {class: "reach", r: 24});
    add(grip, "circle", {r: 13});
    add(grip, "path", {d: "M-4 -4l-4 4l4 4M4 -4l4 4l-4 4"});
  }

  const draw = {
    hill([at, width]) {
      const i = +width.value,
        k = +at.value,
        [one, two] = data.costs[i][k],
        verdict = data.verdicts[i][k];
      const ratio = (1 - data.places[k]) / data.places[k],
        whole = (v) => Math.round(v).toLocaleString("en"),
        bill = (v) => `${whole(v)} ${data.alarm}`;
      hillside(panels[0], at, width);
      at.nextElementSibling.textContent = data.places[k].toPrecision(2);
      width.nextElementSibling.textContent = data.unsure[i];
      const gap = `${whole(Math.abs(one - two))} ± ${bill(data.half[i][k])} per ${data.per}`,
        often = +ratio.toPrecision(3);
      say(
        `If ${data.miss} costs about ${often} ${data.alarm}: ` +
          (verdict === "undecided" ? `undecided, the difference is ${gap}.` : `${verdict} is cheaper, by ${gap}.`),
        `At exactly ${often}: ${data.names.map((name, which) => `${name} ${whole(data.exact[k][which])}`).join(", ")}.`
      );
      const most = Math.max(...data.costs[i].flat());
      list([0, 1].map((which) => [which, `${data.names[which]}: ${bill(data.costs[i][k][which])}`]));
      root.querySelectorAll("ol li").forEach((item, which) => {
        item.classList.toggle("best", verdict === data.names[which]);
        item.style.setProperty("--share", `${((100 * data.costs[i][k][which]) / most).toFixed(1)}%`);
      });
    },

    metric([score, at]) {
      const f = at.value / 100,
        n = data.grid.length,
        row = data.rows[score.value];
      at.nextElementSibling.textContent = f.toFixed(2);
      const k = Math.max(0, Math.min(n - 1, Math.round(f * (n + 1)) - 1));
      const [prior, loss] = [
        chart(panels[0], [0, 1], row.axes[0], "cost share of a false alarm, c", "prior density, or point mass"),
        chart(panels[1], [0, 1], row.axes[1], "forecast f", "loss: blue if y = 1; orange, dashed if y = 0")
      ];
      prior.curve(data.grid, row.prior, 0);
      for (const [place, mass] of row.atoms) prior.stem(place, mass, `mass ${mass}`);
      loss.curve(data.grid, row.one, 0);
      loss.curve(data.grid, row.zero, 1);
      for (const [who, c] of data.people) prior.mark(c, who);
      prior.mark(f);
      loss.mark(f);
      say(
        `${row.name}: prior ${row.words}.`,
        `At f = ${data.grid[k]}: density ${row.prior[k]}, loss ${row.one[k]} if y = 1, ${row.zero[k]} if y = 0.`,
        ...[served(row.asked)].filter(Boolean)
      );
    },

    prior([mode, size, any]) {
      const i = +size.value,
        j = +mode.value,
        kappa = data.sizes[i],
        m = data.modes[j];
      const a = 1 + kappa * m,
        b = 1 + kappa * (1 - m),
        last = data.modes[data.modes.length - 1];
      const grid = Array.from({length: 199}, (_, k) => (k + 1) / 200);
      const density = grid.map((c) => Math.exp((a - 1) * Math.log(c) + (b - 1) * Math.log(1 - c) - data.norm[i][j]));
      const top = Math.max(...density),
        losses = data.losses[i][j],
        lead = Math.min(...losses);
      const left = chart(
        panels[0],
        [0, 1],
        [0, top * 1.05],
        data.label,
        `density of Beta(${+a.toFixed(2)}, ${+b.toFixed(2)})`
      );
      left.curve(grid, density, 0);
      data.quantiles[i][j].forEach((q, k) => left.mark(q, ["5%", "50%", "95%"][k]));
      const right = chart(
        panels[1],
        [0, last],
        [0, data.top],
        "mode of the prior",
        "% above the best model, solid marks: break-even"
      );
      data.models.forEach((_, which) =>
        right.curve(
          data.modes,
          data.losses[i].map((row) => (Math.min(...row) > 0 ? 100 * (row[which] / Math.min(...row) - 1) : null)),
          which
        )
      );
      for (const [at] of data.breaks[i]) right.stem(at, data.top / 12, "");
      right.mark(m);
      mode.nextElementSibling.textContent = m;
      size.nextElementSibling.textContent = kappa;
      const order = data.order[i][j],
        wide = any.checked;
      if (wide) {
        const best = data.maximal[i][j],
          ends = data.intervals[i][j];
        list(
          [...best, ...order.filter((which) => !best.includes(which))].map((which) => [
            which,
            `${data.models[which]}: ${ends[which][0].toPrecision(3)} to ${ends[which][1].toPrecision(3)}` +
              (best.includes(which) ? "" : ", another is certainly better")
          ])
        );
        say(
          `At 5%, 50% and 95%: ${data.words[i][j].join("; ")}.`,
          "Any prior with these three points: what a model can cost, from the kindest reader to the harshest.",
          `Could be best: ${best.map((which) => data.models[which]).join(", ")}.`
        );
        return;
      }
      list(
        order.map((which) => [
          which,
          `${data.models[which]}: ${losses[which].toPrecision(4)}` +
            (losses[which] > lead && lead > 0 ? `, ${(100 * (losses[which] / lead - 1)).toFixed(1)}% more` : "")
        ])
      );
      say(
        `At 5%, 50% and 95%: ${data.words[i][j].join("; ")}.`,
        `Break-even at this concentration: ` +
          `${data.breaks[i].map(([at, to]) => `from mode ${at} on ${to} is best`).join("; ") || "none"}.`,
        `Ranking: ${order.map((which) => data.models[which]).join(", ")}.`
      );
    },

    murphy([at]) {
      const k = +at.value,
        theta = data.thetas[k],
        [first, second] = data.costs;
      const span = [data.thetas[0], data.thetas[data.thetas.length - 1]];
      const gap = second.map((v, i) => v - first[i]);
      const most = Math.max(...gap.map(Math.abs), ...data.band.flat().map(Math.abs)) * 1.05;
      const costs = chart(
        panels[0],
        span,
        [Math.min(0, ...first, ...second), Math.max(0, ...first, ...second) * 1.05],
        data.label,
        "cost per case"
      );
      costs.curve(data.thetas, first, 0);
      costs.curve(data.thetas, second, 1);
      costs.mark(theta);
      const gaps = chart(panels[1], span, [-most, most], data.label, `dashed minus solid, ${data.coverage} band`);
      gaps.level(0);
      gaps.band(data.thetas, ...data.band);
      gaps.curve(data.thetas, gap, 2);
      gaps.mark(theta);
      at.nextElementSibling.textContent = theta;
      const verdict = data.verdicts[k];
      const better =
        verdict === "same"
          ? "both cost the same"
          : verdict === "undecided"
            ? `undecided, the ${data.coverage} band of the difference contains zero`
            : `${verdict} is cheaper`;
      const order = [0, 1].sort((i, j) => data.costs[i][k] - data.costs[j][k]);
      list(order.map((which) => [which, `${data.names[which]}: ${data.costs[which][k].toPrecision(4)}`]));
      say(`At ${theta}, ${data.words[k]}: ${better}.`);
    }
  }[root.dataset.kind];

  if (data.note) root.querySelector("p.note").textContent = data.note;
  // In a file of its own, the address holds what the controls say.
  const inputs = [...root.querySelectorAll("select, input")];
  const alone = document.body.matches(".explorer-file");
  const settings = () => inputs.map((input) => [input.name, input.type === "checkbox" ? +input.checked : input.value]);
  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const input of inputs.filter((input) => asked.has(input.name))) {
      const value = asked.get(input.name);
      if (input.type === "checkbox") input.checked = value === "1";
      else if (!input.options || [...input.options].some((option) => option.value === value)) input.value = value;
    }
    draw(inputs);
  }
  function redraw() {
    draw(inputs);
    if (alone) history.replaceState(null, "", `#${new URLSearchParams(settings())}`);
  }
  for (const input of inputs) input.addEventListener("input", redraw);
  for (const part of root.querySelectorAll("[hidden]")) part.hidden = false;
  root.querySelector("svg.still").remove();
  if (alone) {
    read();
    addEventListener("hashchange", read);
  } else draw(inputs);

  // A drawing can be pulled, too: its first slider follows.
  const first = root.querySelector('input[type="range"]');
  for (const svg of panels) {
    const follow = (event) => {
      const box = svg.getBoundingClientRect(),
        shown = svg.viewBox.baseVal.width;
      first.value = place(svg.invert(((event.clientX - box.left) / box.width) * shown));
      redraw();
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      follow(event);
    });
    svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && follow(event));
  }
  for (const button of root.querySelectorAll("button[data-ratio]"))
    button.addEventListener("click", () => {
      first.value = place(-Math.log(1 + +button.dataset.ratio));
      redraw();
    });
  let room = root.clientWidth;
  if (root.dataset.kind === "hill")
    new ResizeObserver(() => {
      if (root.clientWidth !== room) {
        room = root.clientWidth;
        draw(inputs);
      }
    }).observe(root);
  root.dataset.ready = "";
})(document.querySelector('[id="@ID@"]:not([data-ready])')); // the same explorer may be shown twice
