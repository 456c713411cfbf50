// Which class was taken for which, one method at a time.

function confusion_figure(subject, prefix) {
  const methods = subject.methods;
  const names = subject.class_names;
  const n = names.length;
  // Ours, when it is there; the last of several, which are its latest settings.
  let chosen = methods.map((method) => method.name).lastIndexOf("mar");
  if (chosen < 0) chosen = methods.length - 1;
  const at = (y, prediction) => methods[chosen].confusion[y * n + prediction];
  const total = (y) => d3.sum(d3.range(n), (prediction) => at(y, prediction));
  const share = (y, prediction) => { const all = total(y); return all > 0 ? at(y, prediction) / all : NaN; };
  const text = (y, prediction) => {
    const head = y === prediction ? `${shortened(names[y], 80)}, rightly predicted` : `${shortened(names[y], 80)}, taken for ${shortened(names[prediction], 80)}`;
    return `${head}\n${count_text(at(y, prediction))} of ${rows_text(total(y))} (${percent(share(y, prediction))})`;
  };
  const label_length = n > 40 ? 0 : Math.min(16, d3.max(names, (name) => name.length) || 1);

  function layout(stage) {
    const left = 30 + (n > 40 ? 12 : 6.2 * label_length);
    const top = 26 + (n > 12 && n <= 40 ? 5.2 * label_length : 0) + 6;
    const side = Math.min(stage.width - left - 6, stage.height - top - 8);
    return { left, top, side, cell: side / n };
  }

  function draw(stage) {
    const { g, theme } = stage;
    const { left, top, side, cell } = layout(stage);
    const totals = d3.range(n).map(total);
    const value = (y, prediction) => (totals[y] > 0 ? at(y, prediction) / totals[y] : 0);
    const right = d3.interpolateLab(theme.paper, theme.calm);
    const wrong = d3.interpolateLab(theme.paper, theme.over);
    const blank = d3.rgb(theme.paper).hex();
    const colour = (y, prediction) => (at(y, prediction) === 0 ? blank
      : d3.rgb((y === prediction ? right : wrong)(Math.sqrt(value(y, prediction)) * 0.85)).hex());
    if (n > 40) {
      stage.cells({ x: left, y: top, width: side, height: side }, n, n, (column, row) => colour(n - 1 - row, column), false);
    } else {
      d3.range(n).forEach((y) => d3.range(n).forEach((prediction) => {
        const gap = cell > 12 ? 1 : 0.3;
        g.append("rect").attr("x", left + prediction * cell).attr("y", top + y * cell).attr("width", cell - gap).attr("height", cell - gap).attr("fill", colour(y, prediction));
        if (cell < 30 || at(y, prediction) === 0) return;
        g.append("text").attr("x", left + (prediction + 0.5) * cell - 0.5).attr("y", top + (y + 0.5) * cell + 4).attr("text-anchor", "middle")
          .attr("font-size", Math.min(13, cell / 3.2)).attr("fill", Math.sqrt(value(y, prediction)) > 0.72 ? theme.paper : theme.ink)
          .text(cell < 46 ? Math.round(100 * value(y, prediction)) : `${(100 * value(y, prediction)).toFixed(1)}`);
      }));
    }
    g.append("rect").attr("x", left).attr("y", top).attr("width", side).attr("height", side).attr("fill", "none").attr("stroke", theme.line);
    if (n <= 40) draw_names(g, theme, left, top, cell);
    g.append("text").attr("x", left).attr("y", 12).attr("font-size", 11.5).attr("fill", theme.soft).text("predicted as →");
    g.append("text").attr("transform", `translate(12 ${top}) rotate(-90)`).attr("text-anchor", "end").attr("font-size", 11.5).attr("fill", theme.soft).text("← true class");
    if (stage.live) add_targets(stage);
  }

  function draw_names(g, theme, left, top, cell) {
    const size = Math.max(7, Math.min(11.5, cell * 0.7));
    const fits = Math.max(2, Math.floor(cell / 6.2));
    names.forEach((name, y) => {
      const short = shortened(name, 16);
      g.append("text").attr("x", left - 6).attr("y", top + (y + 0.5) * cell + 0.35 * size).attr("text-anchor", "end").attr("font-size", size).attr("fill", theme.soft).text(short);
      const above = g.append("text").attr("font-size", size).attr("fill", theme.soft);
      if (n > 12) above.attr("transform", `translate(${left + (y + 0.5) * cell + 0.35 * size} ${top - 5}) rotate(-90)`).text(short);
      else above.attr("x", left + (y + 0.5) * cell).attr("y", top - 6).attr("text-anchor", "middle").text(shortened(name, fits));
    });
  }

  // The cell under the pointer, or moved with the arrow keys.
  function add_targets(stage) {
    const { left, top, side, cell } = layout(stage);
    const frame = stage.g.append("rect").attr("width", cell).attr("height", cell).attr("fill", "none").attr("stroke", stage.theme.ink).attr("stroke-width", 1.5).attr("visibility", "hidden");
    let place = [0, 0];
    const target = stage.g.append("rect").attr("class", "confusion-target").attr("x", left).attr("y", top).attr("width", side).attr("height", side).attr("fill", "transparent")
      .attr("tabindex", 0).attr("role", "application").attr("aria-roledescription", "matrix").attr("aria-label", `Confusion matrix, use the arrow keys. ${text(0, 0)}`);
    const show = (client_x, client_y) => {
      const [y, prediction] = place;
      frame.attr("x", left + prediction * cell).attr("y", top + y * cell).attr("visibility", "visible");
      target.attr("aria-label", text(y, prediction));
      show_tip(text(y, prediction), client_x, client_y);
    };
    const show_here = () => {
      const box = target.node().getBoundingClientRect();
      show(box.left + ((place[1] + 0.5) * box.width) / n, box.top + ((place[0] + 0.5) * box.height) / n);
    };
    const hide = () => { frame.attr("visibility", "hidden"); hide_tip(); };
    const inside = (i) => Math.max(0, Math.min(n - 1, i));
    target.on("mousemove", function () {
      const [x, y] = d3.mouse(this);
      place = [inside(Math.floor((y - top) / cell)), inside(Math.floor((x - left) / cell))];
      show(d3.event.clientX, d3.event.clientY);
    }).on("mouseleave", hide).on("focus", show_here).on("blur", hide).on("keydown", () => {
      const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[d3.event.key];
      if (!move) return;
      d3.event.preventDefault();
      place = [inside(place[0] + move[0]), inside(place[1] + move[1])];
      show_here();
    });
  }

  return {
    id: `${prefix}confusion`,
    title: "What is taken for what",
    caption: "Share of each true class, in percent. The diagonal is right, everything else is taken for another class.",
    columns: () => 1,
    height: (width) => Math.min(520, Math.max(260, n <= 4 ? 0.62 * width : width)),
    controls: methods.length === 1 ? null : (redraw) => {
      if (methods.length <= 4) return [choice(methods.map((method) => method.name), chosen, (i) => { chosen = i; redraw(); })];
      const select = element("select", { "aria-label": "method", onchange: (event) => { chosen = Number(event.target.value); redraw(); } });
      methods.forEach((method, i) => { const option = element("option", { value: i }, full_name(method)); option.selected = i === chosen; select.append(option); });
      return [select];
    },
    panels: () => [{ title: "", is_list: true, label: `Confusion matrix of ${n} classes, method ${methods[chosen].name}`, draw }],
    keys: (theme) => [
      { label: "right", sign: "ramp", ramp: (t) => d3.interpolateLab(theme.paper, theme.calm)(Math.sqrt(t) * 0.85) },
      { label: "wrong", sign: "ramp", ramp: (t) => d3.interpolateLab(theme.paper, theme.over)(Math.sqrt(t) * 0.85) }],
    table: () => {
      const cells = [];
      d3.range(n).forEach((y) => d3.range(n).forEach((prediction) => { if (at(y, prediction) > 0) cells.push([y, prediction]); }));
      cells.sort((a, b) => a[0] - b[0] || at(b[0], b[1]) - at(a[0], a[1]));
      return { head: ["true class", "predicted", "rows", "share of the class"], rows: cells.slice(0, 1000).map(([y, prediction]) => [names[y], names[prediction], count_text(at(y, prediction)), percent(share(y, prediction))]) };
    },
  };
}
