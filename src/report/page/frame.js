// What all figures share: a heading, panels, a legend, buttons that save them, and their numbers as a table.
//
// A figure is {id, title, caption, columns, height, panels, keys, controls, table}. A panel is {title, note,
// group, draw}; draw gets a stage: {g, width, height, theme, live, dots, cells}. On the page dots and cells go
// to a canvas behind the SVG, in a saved figure they are paths.

const tip = document.getElementById("tip");

function show_tip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 12;
  tip.style.left = `${Math.max(8, Math.min(x + 14, room)) + window.scrollX}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > window.innerHeight ? y - tip.offsetHeight - 12 + window.scrollY : y + 18 + window.scrollY}px`;
}
function hide_tip() { tip.hidden = true; }
function tip_at(node, text) {
  const box = node.getBoundingClientRect();
  show_tip(text, box.left + box.width / 2, Math.max(0, Math.min(box.top + box.height / 3, window.innerHeight - 80)));
}
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide_tip(); });

// Every node can be pointed at and reached with the arrow keys; one of them is a stop of the tab key.
function walk_list(nodes, texts, light) {
  nodes.forEach((node, i) => {
    node.setAttribute("tabindex", i === 0 ? 0 : -1);
    node.addEventListener("mousemove", (event) => { light(node, true); show_tip(texts[i], event.clientX, event.clientY); });
    node.addEventListener("mouseleave", () => { light(node, false); hide_tip(); });
    node.addEventListener("focus", () => { light(node, true); tip_at(node, texts[i]); });
    node.addEventListener("blur", () => { light(node, false); hide_tip(); });
    node.addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: nodes.length - 1 }[event.key];
      if (to === undefined || !nodes[to]) return;
      event.preventDefault();
      node.setAttribute("tabindex", -1);
      nodes[to].setAttribute("tabindex", 0);
      nodes[to].focus();
    });
  });
}

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  Object.keys(attributes || {}).forEach((key) => {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), attributes[key]);
    else if (attributes[key] !== null) node.setAttribute(key, attributes[key]);
  });
  children.forEach((child) => node.append(child));
  return node;
}

// Groups dots by colour, because a path per colour is much shorter than an element per dot.
function dot_paths(dots, colours) {
  const paths = new Map();
  dots.forEach(([x, y, colour]) => {
    if (!paths.has(colour)) paths.set(colour, []);
    paths.get(colour).push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  });
  return [...paths].sort((a, b) => a[0] - b[0]).map(([colour, path]) => [colours[colour], path.join("")]);
}

// dots: [x, y, colour number]; lower colour numbers are drawn first.
function paint_dots(context, dots, colours, size, opacity) {
  context.lineCap = "round";
  context.lineWidth = size;
  context.globalAlpha = opacity;
  const by_colour = colours.map(() => []);
  dots.forEach((dot) => by_colour[dot[2]].push(dot));
  by_colour.forEach((group, colour) => {
    context.strokeStyle = colours[colour];
    context.beginPath();
    group.forEach(([x, y]) => {
      context.moveTo(x, y);
      context.lineTo(x + 0.01, y);
    });
    context.stroke();
  });
  context.globalAlpha = 1;
}

function paint_cells(context, box, columns, rows, colour, is_smooth) {
  const small = document.createElement("canvas");
  small.width = columns;
  small.height = rows;
  const image = small.getContext("2d").createImageData(columns, rows);
  const bytes = new Map(); // few colours, many cells
  const bytes_of = (text) => {
    if (!bytes.has(text)) { const { r, g, b } = d3.rgb(text); bytes.set(text, [r, g, b, 255]); }
    return bytes.get(text);
  };
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      image.data.set(bytes_of(colour(column, row)), 4 * ((rows - 1 - row) * columns + column));
    }
  }
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = is_smooth;
  context.drawImage(small, box.x, box.y, box.width, box.height);
}

// One rectangle per run of equal cells, one path per colour.
function cell_paths(g, box, columns, rows, colour) {
  const paths = new Map();
  for (let row = 0; row < rows; ++row) {
    for (let first = 0, last = 0; first < columns; first = last) {
      const shade = colour(first, row);
      while (last < columns && colour(last, row) === shade) ++last;
      if (!paths.has(shade)) paths.set(shade, []);
      paths.get(shade).push(`M${first} ${rows - 1 - row}h${last - first}v1h${first - last}z`);
    }
  }
  const layer = g.append("g").attr("shape-rendering", "crispEdges")
    .attr("transform", `translate(${box.x} ${box.y}) scale(${box.width / columns} ${box.height / rows})`);
  paths.forEach((path, shade) => layer.append("path").attr("fill", shade).attr("d", path.join("")));
}

function live_stage(panel_node, figure, theme) {
  const plot = panel_node.querySelector(".plot");
  const width = plot.clientWidth;
  const height = Math.round(figure.height(width));
  plot.style.height = `${height}px`;
  plot.replaceChildren();
  const ratio = window.devicePixelRatio || 1;
  let context = null;
  const layer = () => {
    if (context) return context;
    const canvas = element("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio), "aria-hidden": "true", style: `width:${width}px;height:${height}px` });
    plot.prepend(canvas);
    context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    return context;
  };
  const svg = d3.select(plot).append("svg").attr("width", width).attr("height", height)
    .attr("font-family", font).attr("font-size", 12).attr("fill", theme.ink);
  return {
    g: svg, width, height, theme, live: true,
    dots: (dots, colours, size, opacity) => paint_dots(layer(), dots, colours, size, opacity),
    cells: (box, columns, rows, colour, is_smooth) => paint_cells(layer(), box, columns, rows, colour, is_smooth),
  };
}

function paper_stage(g, width, height, theme) {
  return {
    g, width, height, theme, live: false,
    dots: (dots, colours, size, opacity) => dot_paths(dots, colours).forEach(([colour, path]) => g.append("path")
      .attr("fill", "none").attr("stroke", colour).attr("stroke-width", size).attr("stroke-linecap", "round")
      .attr("opacity", opacity).attr("d", path)),
    cells: (box, columns, rows, colour) => cell_paths(g, box, columns, rows, colour),
  };
}

// The sign of a legend entry: 14 high, 26 wide unless it says so.
const sign_width = (key) => key.width || 26;
function draw_sign(g, key, theme) {
  const sign = g.append("g");
  if (key.sign === "line" || key.sign === "dash") {
    sign.append("line").attr("x1", 1).attr("x2", 25).attr("y1", 7).attr("y2", 7).attr("stroke", key.colour)
      .attr("stroke-width", key.thin ? 1.2 : 2).attr("stroke-dasharray", key.sign === "dash" ? "4 3" : null);
  } else if (key.sign === "ramp") {
    const n = sign_width(key);
    d3.range(n).forEach((i) => sign.append("rect").attr("x", i).attr("width", Math.min(1.3, n - i)).attr("y", 1).attr("height", 12).attr("fill", key.ramp(i / (n - 1))));
  } else if (key.sign === "area") {
    sign.append("rect").attr("x", 3).attr("y", 1).attr("width", 20).attr("height", 12).attr("fill", key.colour).attr("opacity", 0.28);
  } else if (key.sign === "block") {
    sign.append("rect").attr("x", 3).attr("y", 1).attr("width", 20).attr("height", 12).attr("fill", key.colour);
  } else if (key.sign === "bars") {
    [[4, 12], [10, 8], [16, 5]].forEach(([x, height]) => sign.append("rect").attr("x", x).attr("width", 5).attr("y", 13 - height).attr("height", height).attr("fill", key.colour).attr("opacity", 0.65));
  } else if (key.sign === "whisker") {
    sign.append("path").attr("d", "M13 0V14M10 0H16M10 14H16").attr("stroke", key.colour).attr("fill", "none");
    sign.append("circle").attr("cx", 13).attr("cy", 7).attr("r", 3).attr("fill", key.colour);
  } else {
    draw_mark(sign, key.mark || 0, 13, 7, key.colour, theme);
  }
}

// Marks of strata: the first, the one that labels reach least, is a cross; the next a dot.
const mark_paths = ["M-3.4-3.4L3.4 3.4M-3.4 3.4L3.4-3.4", null, "M0-4L3.8 3H-3.8Z", "M-3-3H3V3H-3Z", "M0-4.4L4.4 0L0 4.4L-4.4 0Z", "M-4 0H4M0-4V4"];
function draw_mark(g, mark, x, y, colour, theme) {
  const number = mark % mark_paths.length;
  if (number === 1) {
    g.append("circle").attr("cx", x).attr("cy", y).attr("r", 3.4).attr("fill", colour);
    return;
  }
  const is_open = number === 0 || number === 5;
  g.append("path").attr("transform", `translate(${x} ${y})`).attr("d", mark_paths[number])
    .attr("fill", is_open ? "none" : colour).attr("stroke", colour).attr("stroke-width", is_open ? 1.7 : 0.5);
}

function key_list(figure, theme) {
  const keys = figure.keys ? figure.keys(theme) : [];
  if (keys.length === 0) return null;
  const list = element("ul", { class: "keys" });
  if (keys.length > 12) list.setAttribute("tabindex", "0");
  keys.forEach((key) => {
    const svg = d3.create("svg").attr("width", sign_width(key)).attr("height", 14).attr("aria-hidden", "true");
    draw_sign(svg, key, theme);
    const name = element("span", { class: "name" }, key.label);
    if (key.count !== undefined) name.append(element("span", { class: "count" }, ` ${count_text(key.count)}`));
    if (key.label.length > 24) name.setAttribute("title", key.label);
    const content = key.press
      ? element("button", { type: "button", "aria-pressed": String(Boolean(key.pressed)), onclick: key.press }, svg.node(), name)
      : element("span", { style: "display:inline-flex;align-items:center;gap:6px;min-width:0" }, ...(key.before ? [element("span", { class: "name" }, key.before)] : []), svg.node(), name);
    list.append(element("li", {}, content));
  });
  return list;
}

function number_table(table) {
  const head = element("tr", {});
  table.head.forEach((text, i) => head.append(element("th", { scope: "col", class: i === 0 ? "text" : null }, text)));
  const body = element("tbody", {});
  table.rows.forEach((row) => {
    const line = element("tr", {});
    row.forEach((cell, i) => line.append(element(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null }, String(cell))));
    body.append(line);
  });
  return element("div", { class: "scroll numbers", tabindex: "0" }, element("table", {}, element("thead", {}, head), body));
}

const figures = [];

function add_figure(host, figure) {
  const caption = element("figcaption", {}, element("h3", {}, figure.title), element("p", {}, figure.caption));
  const controls = element("div", { class: "controls" });
  const panels = element("div", { class: "panels" });
  const below = element("div", {});
  const keys = element("div", {});
  const numbers = element("div", { hidden: "" });
  const node = element("figure", { id: figure.id }, caption);
  node.append(controls, panels, keys, below);
  const table_button = element("button", { type: "button", "aria-expanded": "false", onclick: () => {
    numbers.hidden = !numbers.hidden;
    table_button.setAttribute("aria-expanded", String(!numbers.hidden));
    table_button.textContent = numbers.hidden ? "Numbers" : "Hide numbers";
    numbers.replaceChildren(...(numbers.hidden ? [] : [number_table(figure.table())]));
  } }, "Numbers");
  node.append(element("div", { class: "tools" },
    element("button", { type: "button", onclick: () => save_svg(figure), "aria-label": `Save as SVG: ${figure.title}` }, "Save SVG"),
    element("button", { type: "button", onclick: () => save_png(figure), "aria-label": `Save as PNG: ${figure.title}` }, "Save PNG"),
    table_button), numbers);
  host.append(node);

  figure.redraw_panels = () => {
    const theme = theme_now();
    const list = figure.panels();
    const columns = Math.max(1, Math.min(list.length, figure.columns(node.clientWidth)));
    panels.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    panels.replaceChildren();
    let group = "";
    const drawn = list.map((panel) => {
      if (panel.group && panel.group !== group) panels.append(element("div", { class: "group" }, panel.group));
      group = panel.group;
      const panel_node = element("div", { class: "panel" });
      if (panel.title) {
        const head = element("h4", {}, panel.title);
        if (panel.note) head.append(" ", element("span", {}, panel.note));
        panel_node.append(head);
      }
      panel_node.append(element("div", { class: "plot" }));
      panels.append(panel_node);
      return panel_node;
    });
    list.forEach((panel, i) => {
      const stage = live_stage(drawn[i], figure, theme);
      stage.g.attr("role", panel.is_list ? "group" : "img").attr("aria-label", panel.label);
      panel.draw(stage);
    });
  };
  figure.redraw = () => {
    const theme = theme_now();
    figure.redraw_panels();
    if (figure.controls) controls.replaceChildren(...figure.controls(figure.redraw));
    if (figure.below) below.replaceChildren(...figure.below(figure.redraw, theme));
    const list_node = key_list(figure, theme);
    keys.replaceChildren(...(list_node ? [list_node] : []));
  };
  figures.push(figure);
  figure.redraw();
  return node;
}
