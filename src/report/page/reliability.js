// Error rate against error probability, per method, with intervals and what each stratum contributes.

const reliability_histogram = 46;

function stratum_colours(theme, n) {
  return [theme.over, theme.under, ...theme.classes.slice(2)].slice(0, Math.max(2, n));
}

function bin_text(method, bin) {
  const lines = [`error probability ${fixed(bin.low, 2)} to ${fixed(bin.high, 2)}: ${rows_text(bin.n)}`];
  if (bin.n === 0) return lines[0];
  lines.push(`expected to be wrong: ${percent(bin.mean_error_probability)}`);
  lines.push(`were wrong: ${percent(bin.error_rate)} (${count_text(bin.n_errors)})`);
  lines.push(`95 % interval: ${percent(bin.interval[0])} to ${percent(bin.interval[1])}`);
  if (method.stratum_names.length > 1)
    method.stratum_names.slice(0, 6).forEach((name, s) => lines.push(`from ${shortened(name, 60)}: ${percent(bin.contributions[s])}`));
  return lines.join("\n");
}

// A bin with few rows scatters widely: the fewer, the paler and the smaller it is drawn, so that single rows do not
// outshine those that count. Two in a hundred have their full weight.
const weight = (method, bin) => Math.max(0.12, Math.min(1, Math.sqrt(bin.n / (0.02 * method.metrics.n))));

function reliability_figure(subject, prefix) {
  const methods = subject.methods;
  const strata = methods[0].stratum_names;
  const has_parts = strata.length > 1;
  // Who knows nothing says 1 - 1/K, and nobody has reason to say more.
  const filled = [].concat(...methods.map((method) => method.bins.filter((bin) => bin.n > 0).map((bin) => ({ ...bin, weight: weight(method, bin) }))));
  const x_high = Math.max(most_doubt(subject), d3.max(filled, (bin) => bin.mean_error_probability) || 0);
  // Bins of a few rows do not stretch the scale; what lies beyond is drawn at its edge.
  const y_high = Math.min(1, Math.max(x_high, 1.08 * (d3.max(filled.filter((bin) => bin.weight > 0.5), (bin) => bin.error_rate) || 0)));
  const margin = { left: 50, right: 8, top: 8, bottom: 34 };

  const scales = (stage) => {
    const bottom = stage.height - margin.bottom - reliability_histogram - 12;
    return {
      x: d3.scaleLinear().domain([0, x_high]).range([margin.left, stage.width - margin.right]),
      y: d3.scaleLinear().domain([0, y_high]).range([bottom, margin.top]).clamp(true),
    };
  };

  function draw_ground(stage, { x, y }) {
    const { g, theme } = stage;
    const ground = g.append("g").attr("aria-hidden", "true");
    y.ticks(4).forEach((tick) => ground.append("line").attr("x1", x(0)).attr("x2", x(x_high)).attr("y1", y(tick)).attr("y2", y(tick)).attr("stroke", theme.line));
    ground.append("line").attr("x1", x(0)).attr("y1", y(0)).attr("x2", x(x_high)).attr("y2", y(x_high)).attr("stroke", theme.faint).attr("stroke-width", 1.2).attr("stroke-dasharray", "4 3");
    axis_left(ground, y, margin.left, "error rate", theme, 4, d3.format(".0%"));
    axis_bottom(ground, x, stage.height - margin.bottom, "error probability", theme, 4, d3.format(".0%"));
    ground.append("line").attr("x1", x(0)).attr("x2", x(x_high)).attr("y1", stage.height - margin.bottom).attr("y2", stage.height - margin.bottom).attr("stroke", theme.faint);
  }


  // Between the curve and the diagonal, from one bin to the next: what was not announced, and what was announced
  // and did not come.
  function draw_gap(g, [from, to], { x, y }, theme, opacity) {
    const [a, b] = [from, to].map((bin) => ({ q: bin.mean_error_probability, e: bin.error_rate }));
    const points = [a, b];
    const t = (a.e - a.q) / (a.e - a.q - (b.e - b.q));
    if (t > 0 && t < 1) { const cross = a.q + t * (b.q - a.q); points.splice(1, 0, { q: cross, e: cross }); }
    const area = (end) => d3.area().x((d) => x(d.q)).y0((d) => y(d.q)).y1((d) => y(end(d.q, d.e)))(points);
    g.append("path").attr("d", area(Math.max)).attr("fill", theme.over).attr("opacity", 0.17 * opacity);
    g.append("path").attr("d", area(Math.min)).attr("fill", theme.under).attr("opacity", 0.13 * opacity);
  }

  function draw_curve(stage, method, s) {
    const { g, theme } = stage;
    const { x, y } = s;
    const bins = method.bins.filter((bin) => bin.n > 0);
    const q = (bin) => x(bin.mean_error_probability);
    const steps = d3.pairs(bins.filter((bin) => weight(method, bin) > 0.3)).map((pair) => ({ pair, opacity: Math.min(weight(method, pair[0]), weight(method, pair[1])) }));
    const line = (height, colour, width, opacity) => steps.forEach((step) => g.append("path").attr("fill", "none").attr("stroke", colour)
      .attr("stroke-width", width).attr("stroke-linecap", "round").attr("opacity", opacity * step.opacity).attr("d", d3.line().x(q).y(height)(step.pair)));
    steps.forEach((step) => draw_gap(g, step.pair, s, theme, step.opacity));
    if (has_parts) {
      const colours = stratum_colours(theme, strata.length);
      d3.range(Math.min(6, strata.length)).reverse().forEach((part) => {
        const height = (bin) => y(bin.contributions[part]);
        line(height, colours[part], 1, 0.5);
        bins.forEach((bin) => draw_mark(g.append("g").attr("opacity", weight(method, bin)), part, q(bin), height(bin), colours[part], theme));
      });
    }
    draw_corp(g, method, s, theme);
    line((bin) => y(bin.error_rate), theme.ink, 1.8, 1);
    bins.forEach((bin) => {
      const dot = g.append("g").attr("opacity", weight(method, bin));
      const [low, high] = bin.interval.map((end) => y(end));
      dot.append("path").attr("stroke", theme.ink).attr("stroke-width", 1).attr("fill", "none")
        .attr("d", `M${q(bin)} ${low}V${high}M${q(bin) - 2.5} ${low}h5M${q(bin) - 2.5} ${high}h5`);
      dot.append("circle").attr("cx", q(bin)).attr("cy", y(bin.error_rate)).attr("r", 1.2 + 1.8 * weight(method, bin)).attr("fill", theme.ink);
    });
  }

  // The curve without bins: what a rising function of the error probability can make of the errors.
  function draw_corp(g, method, { x, y }, theme) {
    const points = [].concat(...method.corp.map(([low, high, rate]) => [[low, rate], [high, rate]]));
    g.append("path").attr("class", "corp").attr("fill", "none").attr("stroke", theme.corp).attr("stroke-width", 1.6)
      .attr("d", d3.line().x((d) => x(d[0])).y((d) => y(d[1]))(points));
  }

  function draw_histogram(stage, method, { x }) {
    const base = stage.height - margin.bottom;
    const most = d3.max(method.bins, (bin) => bin.n) || 1;
    const y = d3.scaleSqrt().domain([0, most]).range([0, reliability_histogram]);
    method.bins.filter((bin) => bin.n > 0).forEach((bin) => {
      const low = x(Math.min(bin.low, x_high)) + 0.5;
      stage.g.append("rect").attr("x", low).attr("width", Math.max(1, x(Math.min(bin.high, x_high)) - low - 0.5))
        .attr("y", base - Math.max(1, y(bin.n))).attr("height", Math.max(1, y(bin.n))).attr("fill", stage.theme.faint).attr("opacity", 0.65);
    });
  }

  function add_bins(stage, method, { x }) {
    if (!stage.live) return;
    const shown = method.bins.filter((bin) => bin.n > 0 || bin.high <= x_high + 1e-9);
    const list = stage.g.append("g").attr("role", "list").attr("aria-label", `Bins, method ${method.name}`);
    const nodes = shown.map((bin) => list.append("rect").attr("class", "bin").attr("role", "listitem")
      .attr("x", x(Math.min(bin.low, x_high))).attr("width", Math.max(2, x(Math.min(bin.high, x_high)) - x(Math.min(bin.low, x_high))))
      .attr("y", margin.top).attr("height", stage.height - margin.top - margin.bottom)
      .attr("fill", stage.theme.ink).attr("fill-opacity", 0)
      .attr("aria-label", bin_text(method, bin)).node());
    const light = (node, on) => node.setAttribute("fill-opacity", on ? 0.07 : 0);
    walk_list(nodes, shown.map((bin) => bin_text(method, bin)), light);
  }

  return {
    id: `${prefix}reliability`,
    title: "Is the error probability true?",
    caption: `Rows are grouped by error probability; the line is how many of them were wrong, with its exact 95 % interval. On the diagonal a method keeps its word, above it is overconfident. The fewer rows a bin has, the paler it is.${has_parts ? ` ${subject.stratum_note}` : ""}`,
    columns: methods.length === 1 ? () => 1 : panel_columns(methods.length),
    height: (width) => Math.min(470, Math.max(330, 1.05 * width)),
    panels: () => methods.map((method) => ({
      title: method.name, group: method.group, is_list: true,
      note: `overconfidence ${fixed(method.metrics.overconfidence, 3)}`,
      label: `Reliability diagram, method ${method.name}: error rate ${percent(method.metrics.error_rate)}, mean error probability ${percent(method.metrics.mean_error_probability)}`,
      draw: (stage) => {
        const s = scales(stage);
        draw_ground(stage, s);
        draw_curve(stage, method, s);
        draw_histogram(stage, method, s);
        add_bins(stage, method, s);
      },
    })),
    keys: (theme) => {
      const keys = [{ label: "error rate and its 95 % interval", sign: "whisker", colour: theme.ink }];
      if (has_parts) {
        const colours = stratum_colours(theme, strata.length);
        strata.slice(0, 6).forEach((name, part) => keys.push({ label: `of this, from ${name === "" ? "(empty)" : name}`, mark: part, colour: colours[part] }));
      }
      keys.push({ label: "isotonic, without bins", sign: "line", colour: theme.corp }, { label: "as announced", sign: "dash", colour: theme.faint, thin: true },
        { label: "overconfident", sign: "area", colour: theme.over }, { label: "too careful", sign: "area", colour: theme.under },
        { label: "rows per bin (square root)", sign: "bars", colour: theme.faint });
      return keys;
    },
    table: () => ({
      head: ["method", "from", "to", "rows", "mean error probability", "error rate", "95 % from", "95 % to", ...(has_parts ? strata.slice(0, 6).map((name) => `from ${shortened(name, 40)}`) : [])],
      rows: [].concat(...methods.map((method) => method.bins.filter((bin) => bin.n > 0).map((bin) => [
        full_name(method), fixed(bin.low, 2), fixed(bin.high, 2), count_text(bin.n), fixed(bin.mean_error_probability, 4), fixed(bin.error_rate, 4),
        fixed(bin.interval[0], 4), fixed(bin.interval[1], 4), ...(has_parts ? bin.contributions.slice(0, 6).map((part) => fixed(part, 4)) : [])]))),
    }),
  };
}
