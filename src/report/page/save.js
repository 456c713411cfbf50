// A figure as a file: drawn anew in the light colours on white, panels side by side, legend below.

function paper_svg(figure) {
  const theme = themes.light;
  const list = figure.panels();
  const columns = Math.max(1, Math.min(list.length, figure.columns(1100)));
  const width = columns === 1 ? 560 : 330;
  const height = figure.height(width);
  const gap = 24;
  const head = list.some((panel) => panel.title) ? 22 : 4;
  const n_lines = Math.ceil(list.length / columns);
  const keys = figure.keys ? figure.keys(theme).slice(0, 40) : [];
  const total_width = columns * width + (columns - 1) * gap;
  const key_lines = [[]];
  let at = 0;
  keys.forEach((key) => {
    const label = shortened(key.label, 60) + (key.count === undefined ? "" : ` (${count_text(key.count)})`);
    const before = shortened(key.before || "", 40);
    const indent = before ? 8 + 6.9 * before.length : 0;
    const length = indent + sign_width(key) + 18 + 6.9 * label.length;
    if (at > 0 && at + length > total_width) { key_lines.push([]); at = 0; }
    key_lines[key_lines.length - 1].push({ key, label, before, indent, at });
    at += length;
  });
  const keys_height = keys.length > 0 ? 12 + 20 * key_lines.length : 0;
  const total_height = n_lines * (height + head) + (n_lines - 1) * gap + keys_height;
  const margin = 12;
  const svg = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg")
    .attr("width", total_width + 2 * margin).attr("height", total_height + 2 * margin)
    .attr("viewBox", `0 0 ${total_width + 2 * margin} ${total_height + 2 * margin}`)
    .attr("font-family", font).attr("font-size", 12).attr("fill", theme.ink);
  svg.append("title").text(figure.title);
  svg.append("desc").text(figure.caption);
  svg.append("rect").attr("width", "100%").attr("height", "100%").attr("fill", "#ffffff");
  const sheet = svg.append("g").attr("transform", `translate(${margin} ${margin})`);
  list.forEach((panel, i) => {
    const x = (i % columns) * (width + gap);
    const y = Math.floor(i / columns) * (height + head + gap);
    const g = sheet.append("g").attr("transform", `translate(${x} ${y})`);
    const is_grouped = panel.group && list.some((other) => other.group !== panel.group);
    const title = g.append("text").attr("y", 13).attr("font-weight", 600).text(shortened(panel.title, 40));
    const note = [is_grouped ? `(${panel.group})` : "", panel.note].filter(Boolean).join("  ");
    if (note) title.append("tspan").attr("dx", 8).attr("font-weight", 400).attr("fill", theme.soft).text(shortened(note, 48));
    panel.draw(paper_stage(g.append("g").attr("transform", `translate(0 ${head})`), width, height, theme));
  });
  const legend = sheet.append("g").attr("transform", `translate(0 ${total_height - keys_height + 12})`);
  key_lines.forEach((line, number) => line.forEach((entry) => {
    const g = legend.append("g").attr("transform", `translate(${entry.at} ${20 * number})`);
    const write = (x, text) => g.append("text").attr("x", x).attr("y", 11).attr("fill", theme.soft).text(text);
    write(0, entry.before);
    draw_sign(g.append("g").attr("transform", `translate(${entry.indent} 0)`), entry.key, theme);
    write(entry.indent + sign_width(entry.key) + 6, entry.label);
  }));
  return svg.node();
}

function svg_text(figure) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(paper_svg(figure))}\n`;
}

function download(blob, figure, ending) {
  const url = URL.createObjectURL(blob);
  const link = element("a", { href: url, download: `lacuna-${figure.id.replace(/[^a-z0-9]+/gi, "-").toLowerCase()}.${ending}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function save_svg(figure) {
  download(new Blob([svg_text(figure)], { type: "image/svg+xml" }), figure, "svg");
}

function save_png(figure) {
  const scale = 3;
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg_text(figure)], { type: "image/svg+xml" }));
  image.onload = () => {
    const canvas = element("canvas", { width: image.width * scale, height: image.height * scale });
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => download(blob, figure, "png"), "image/png");
  };
  image.src = url;
}
