// What each method says over the whole plane: p(y | x) or the error probability as filled maps.

const field_levels = 64;
const field_value = (text, cell) => (text.charCodeAt(cell) - 40 - (text.charCodeAt(cell) > 92 ? 1 : 0) - (text.charCodeAt(cell) > 60 ? 1 : 0)) / (field_levels - 1);

function fields_figure(subject, prefix) {
  const methods = subject.methods.filter((method) => method.field);
  const classes = methods[0].field.classes;
  const is_binary = subject.class_names.length === 2;
  const name = (y) => shortened(subject.class_names[y], 40);
  // View 0: the probabilities; view 1: the error probability. `single` is a class, or -1 for all at once.
  let view = 0;
  let single = is_binary ? classes[0] : -1;

  const colour_of = (field, theme) => {
    const colours = class_colours(subject, theme);
    const cache = new Map();
    const kept = (key, make) => { if (!cache.has(key)) cache.set(key, d3.rgb(make()).hex()); return cache.get(key); };
    const most = most_doubt(subject);
    if (view === 1) return (cell) => kept(field.error_probability.charCodeAt(cell), () => doubt_scale(theme)(Math.min(1, field_value(field.error_probability, cell) / most)));
    if (single < 0) {
      return (cell) => kept(field.prediction[cell] * 200 + field.error_probability.charCodeAt(cell), () => {
        const certainty = 1 - Math.min(1, field_value(field.error_probability, cell) / most);
        return d3.interpolateLab(theme.paper, colours[field.prediction[cell]])(certainty);
      });
    }
    const text = field.probability[classes.indexOf(single)];
    if (is_binary) {
      return (cell) => kept(text.charCodeAt(cell), () => {
        const p = field_value(text, cell);
        return d3.interpolateLab(theme.paper, colours[p > 0.5 ? single : 1 - single])(Math.abs(2 * p - 1));
      });
    }
    return (cell) => kept(text.charCodeAt(cell), () => d3.interpolateLab(theme.paper, colours[single])(field_value(text, cell)));
  };

  const figure = {
    id: `${prefix}fields`,
    title: "What it says everywhere",
    caption: "The same over the whole plane, also where there is no row. Blank means: does not know.",
    columns: methods.length === 1 ? () => 1 : panel_columns(methods.length),
    height: plane_height,
    controls: (redraw) => {
      const nodes = [choice(["p(y | x)", "error probability"], view, (i) => { view = i; redraw(); })];
      if (view === 0 && !is_binary) {
        const select = element("select", { "aria-label": "class", onchange: (event) => { single = Number(event.target.value); redraw(); } });
        [-1, ...classes].forEach((y) => {
          const option = element("option", { value: y }, y < 0 ? "the most probable class" : `class ${name(y)}`);
          option.selected = y === single;
          select.append(option);
        });
        nodes.push(select);
      }
      return nodes;
    },
    panels: () => methods.map((method) => ({
      title: methods.length > 1 ? method.name : "", group: method.group,
      label: `Map of ${view === 1 ? "the error probability" : "class probabilities"} over the plane, method ${method.name}`,
      draw: (stage) => {
        const field = method.field;
        const colour = colour_of(field, stage.theme);
        const box = plane_box(stage);
        stage.cells(box, field.n_columns, field.n_rows, (column, row) => colour(row * field.n_columns + column), true);
        if (subject.data) {
          const dots = placed(stage, subject.data).filter((dot) => subject.data.label[dot[2]] >= 0);
          stage.dots(dots.map(([x, y]) => [x, y, 0]), [stage.theme.ink], 1.8, 0.5);
        }
        plane_axes(stage, subject);
        if (!stage.live) return;
        stage.g.append("rect").attr("x", box.x).attr("y", box.y).attr("width", box.width).attr("height", box.height).attr("fill", "transparent")
          .on("mousemove", function () {
            const [x, y] = d3.mouse(this);
            const column = Math.max(0, Math.min(field.n_columns - 1, Math.floor((field.n_columns * (x - box.x)) / box.width)));
            const row = Math.max(0, Math.min(field.n_rows - 1, Math.floor((field.n_rows * (box.y + box.height - y)) / box.height)));
            const cell = row * field.n_columns + column;
            show_tip(`predicts ${name(field.prediction[cell])}\nerror probability about ${percent(field_value(field.error_probability, cell))}`, d3.event.clientX, d3.event.clientY);
          })
          .on("mouseleave", hide_tip);
      },
    })),
    keys: (theme) => {
      const colours = class_colours(subject, theme);
      const labels = subject.data ? [{ label: "labeled row", colour: theme.ink, mark: 1 }] : [];
      if (view === 1) return [{ label: `error probability 0 to ${percent(most_doubt(subject))}`, sign: "ramp", width: 80, ramp: (t) => doubt_scale(theme)(t) }, ...labels];
      if (is_binary) {
        const ramp = (t) => d3.interpolateLab(theme.paper, colours[t < 0.5 ? single : 1 - single])(Math.abs(2 * t - 1));
        return [{ before: `sure of ${name(single)}`, label: `sure of ${name(1 - single)}`, sign: "ramp", width: 110, ramp }, ...labels];
      }
      const shown = single < 0 ? d3.range(subject.class_names.length) : [single];
      return [...shown.map((y) => ({ label: name(y), sign: "ramp", ramp: (t) => d3.interpolateLab(theme.paper, colours[y])(t) })), ...labels];
    },
    table: () => ({
      head: ["method", "share of the plane with error probability below 5 %", "5 to 20 %", "20 % and more"],
      rows: methods.map((method) => {
        const n = method.field.n_columns * method.field.n_rows;
        const share = (low, high) => percent(d3.range(n).filter((cell) => { const q = field_value(method.field.error_probability, cell); return q >= low && q < high; }).length / n);
        return [method.name, share(0, 0.05), share(0.05, 0.2), share(0.2, 2)];
      }),
    }),
  };
  return figure;
}
