// Rows as dots on the subject's plane, and everything that map figures share.

const plane_margin = { left: 46, right: 6, top: 6, bottom: 34 };
const plane_height = (width) => Math.min(440, Math.max(230, 0.82 * width));
// Coordinates arrive as whole numbers over the shown range.
const coordinate_steps = 9999;

function plane_box(stage) {
  return {
    x: plane_margin.left, y: plane_margin.top,
    width: stage.width - plane_margin.left - plane_margin.right,
    height: stage.height - plane_margin.top - plane_margin.bottom,
  };
}

function plane_axes(stage, subject) {
  const box = plane_box(stage);
  const plane = subject.plane;
  const x = d3.scaleLinear().domain([plane.x_low, plane.x_high]).range([box.x, box.x + box.width]);
  const y = d3.scaleLinear().domain([plane.y_low, plane.y_high]).range([box.y + box.height, box.y]);
  const g = stage.g.append("g").attr("aria-hidden", "true");
  g.append("rect").attr("x", box.x).attr("y", box.y).attr("width", box.width).attr("height", box.height)
    .attr("fill", "none").attr("stroke", stage.theme.line);
  const format = (low, high) => (Math.max(Math.abs(low), Math.abs(high)) >= 1000 ? d3.format("~s") : null);
  axis_bottom(g, x, box.y + box.height, shortened(plane.x_name, 40), stage.theme, Math.max(3, box.width / 90), format(plane.x_low, plane.x_high));
  axis_left(g, y, box.x, shortened(plane.y_name, 40), stage.theme, Math.max(3, box.height / 70), format(plane.y_low, plane.y_high));
  return box;
}

function axis_bottom(g, scale, y, name, theme, n_ticks, format) {
  const [left, right] = scale.range();
  const text = format || scale.tickFormat(n_ticks);
  scale.ticks(n_ticks).forEach((tick) => {
    g.append("line").attr("x1", scale(tick)).attr("x2", scale(tick)).attr("y1", y).attr("y2", y + 4).attr("stroke", theme.faint);
    g.append("text").attr("x", scale(tick)).attr("y", y + 15).attr("text-anchor", "middle").attr("font-size", 10.5).attr("fill", theme.soft).text(text(tick));
  });
  g.append("text").attr("x", (left + right) / 2).attr("y", y + 31).attr("text-anchor", "middle").attr("font-size", 11.5).attr("fill", theme.soft).text(name);
}

// Percentages are wider than most numbers and push the name out.
function axis_left(g, scale, x, name, theme, n_ticks, format) {
  const [bottom, top] = scale.range();
  const text = format || scale.tickFormat(n_ticks);
  scale.ticks(n_ticks).forEach((tick) => {
    g.append("line").attr("x1", x - 4).attr("x2", x).attr("y1", scale(tick)).attr("y2", scale(tick)).attr("stroke", theme.faint);
    g.append("text").attr("x", x - 6).attr("y", scale(tick) + 3.5).attr("text-anchor", "end").attr("font-size", 10.5).attr("fill", theme.soft).text(text(tick));
  });
  g.append("text").attr("transform", `translate(${x - (format ? 40 : 34)} ${(top + bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").attr("font-size", 11.5).attr("fill", theme.soft).text(name);
}

// Screen positions of rows, with the row's number; rows outside the shown range are left out.
function placed(stage, rows) {
  const box = plane_box(stage);
  const result = [];
  rows.x.forEach((x, i) => {
    const y = rows.y[i];
    if (x < 0 || y < 0) return;
    result.push([box.x + (box.width * x) / coordinate_steps, box.y + box.height - (box.height * y) / coordinate_steps, i]);
  });
  return result;
}

const dot_size = (n) => (n > 6000 ? 2.4 : n > 2000 ? 3 : 3.8);

// Shows what `text` says about the row nearest to the pointer.
function hover_rows(stage, dots, text) {
  if (!stage.live) return;
  let tree = null;
  const box = plane_box(stage);
  const ring = stage.g.append("circle").attr("r", 5).attr("fill", "none").attr("stroke", stage.theme.ink).attr("visibility", "hidden");
  stage.g.append("rect").attr("x", box.x).attr("y", box.y).attr("width", box.width).attr("height", box.height)
    .attr("fill", "transparent")
    .on("mousemove", function () {
      if (!tree) tree = d3.quadtree().x((d) => d[0]).y((d) => d[1]).addAll(dots);
      const [x, y] = d3.mouse(this);
      const found = tree.find(x, y, 12);
      ring.attr("visibility", found ? "visible" : "hidden");
      if (!found) { hide_tip(); return; }
      ring.attr("cx", found[0]).attr("cy", found[1]);
      show_tip(text(found[2]), d3.event.clientX, d3.event.clientY);
    })
    .on("mouseleave", () => { ring.attr("visibility", "hidden"); hide_tip(); });
}

function outside_text(rows) {
  const n_outside = d3.sum(rows.x, (x, i) => (x < 0 || rows.y[i] < 0 ? 1 : 0));
  return (n_outside > 0 ? ` ${rows_text(n_outside)} ${n_outside === 1 ? "lies" : "lie"} beyond the frame.` : "");
}

function test_rows_text(test) {
  const sampled = test.x.length < test.n_rows
    ? ` Shown are ${count_text(test.x.length)} of ${count_text(test.n_rows)} test rows, chosen at random; counts and curves are of all.` : "";
  return sampled + outside_text(test);
}

function choice(names, chosen, press) {
  const group = element("div", { class: "choice", role: "group" });
  names.forEach((name, i) => group.append(element("button", {
    type: "button", "aria-pressed": String(i === chosen), onclick: () => {
      press(i);
      const button = group.isConnected ? group.children[i] : null;
      if (button) button.focus();
    },
  }, shortened(name, 40))));
  return group;
}
