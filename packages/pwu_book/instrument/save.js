// What an instrument shows as a picture to send: its words, its drawing in the colours of the page, its bills.
document.querySelectorAll(".instrument .save:not([data-ready])").forEach((button) => {
  const root = button.closest(".instrument"),
    all = (top) => [top, ...top.querySelectorAll("*")],
    lines = (which) => [...root.querySelectorAll(which)].flatMap((one) => one.innerText.split("\n")),
    wide = 1200;

  // A picture of its own has no style sheet: each element is told how it looks here.
  async function drawn() {
    const svg = [...root.querySelectorAll(".views > svg")].find((one) => one.getClientRects().length),
      twin = svg.cloneNode(true),
      twins = all(twin),
      {width, height} = svg.viewBox.baseVal,
      image = new Image();
    all(svg).forEach((one, k) => {
      const look = getComputedStyle(one);
      for (const name of [...look].filter((key) => /^(fill|stroke|font|opacity|visibility|display|paint)/.test(key)))
        twins[k].style.setProperty(name, look.getPropertyValue(name));
    });
    twin.setAttribute("width", wide);
    twin.setAttribute("height", (wide * height) / width);
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(twin))}`;
    await image.decode();
    return image;
  }

  button.addEventListener("click", async () => {
    const image = await drawn(),
      look = getComputedStyle(root),
      canvas = Object.assign(document.createElement("canvas"), {width: wide}),
      pen = canvas.getContext("2d"),
      rows = [];
    let y = 20;
    const write = (text, size, weight = 400) => {
      pen.font = `${weight} ${size}px ${look.fontFamily}`;
      const put = (line) => rows.push([line, pen.font, (y += 1.35 * size)]);
      let line = "";
      for (const word of text.split(" ")) {
        const longer = `${line} ${word}`.trim(),
          full = line && pen.measureText(longer).width > wide - 80;
        if (full) put(line);
        line = full ? word : longer;
      }
      put(line);
    };
    const [first, ...rest] = lines("[role=status]:not(.answer)");
    write(first, 54, 800);
    rest.forEach((line) => write(line, 30, 650));
    write(lines(".votes > li").join("; "), 26);
    const top = y + 20;
    y = top + image.height;
    lines("ol > li:not([hidden])").forEach((line) => write(line, 30));
    if (location.protocol !== "file:") write(location.href, 20);
    canvas.height = y + 40;
    pen.fillStyle = look.getPropertyValue("--ground") || "#fff";
    pen.fillRect(0, 0, wide, canvas.height);
    pen.drawImage(image, 0, top, wide, image.height);
    pen.fillStyle = look.color;
    for (const [line, font, at] of rows) {
      pen.font = font;
      pen.fillText(line, 40, at);
    }
    const link = Object.assign(document.createElement("a"), {download: "how-many-metrics.png"});
    canvas.toBlob((blob) => {
      link.href = URL.createObjectURL(blob);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  button.dataset.ready = "";
});
