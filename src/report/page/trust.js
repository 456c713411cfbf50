// What extrapolation was worth in gaps that were made on purpose, and whether announced errors came.

const gap_kinds = ["feature", "half-space", "ball", "class", "cluster", "category"];
const kind_number = (kind) => Math.max(0, gap_kinds.indexOf(kind));
const gap_text = (gap) => [`${gap.kind}: ${count_text(gap.n_rows)} labels hidden at a mean depth of ${fixed(gap.depth, 1)}`,
  `announced ${percent(gap.announced)} errors, made ${percent(gap.made)}`, `worth ${percent(gap.worth)} of its certainty`].join("\n");

function trust_text(curve) {
  if (curve.length === 0) return "";
  return curve.length === 1 ? " So nothing is kept of an extrapolation that announces 10 % errors."
    : " The line is the trust that was learned from them: what is kept of an extrapolation that announces 10 % errors, if nothing but its depth speaks against it.";
}

function gaps_figure(subject, prefix) {
  const { gaps, deepest, curve } = subject.trust;
  const margin = { left: 50, right: 10, top: 20, bottom: 34 };
  const depths = gaps.map((gap) => gap.depth).concat([0, deepest].filter(is_number));

  function draw(stage) {
    const { g, theme } = stage;
    const x = d3.scaleLinear().domain(d3.extent(depths)).nice(6).range([margin.left + 8, stage.width - margin.right - 8]);
    const y = d3.scaleLinear().domain([0, 1]).range([stage.height - margin.bottom - 8, margin.top + 6]);
    const [left, right, base] = [margin.left, stage.width - margin.right, stage.height - margin.bottom];
    const ground = g.append("g").attr("aria-hidden", "true");
    y.ticks(4).forEach((tick) => ground.append("line").attr("x1", left).attr("x2", right).attr("y1", y(tick)).attr("y2", y(tick)).attr("stroke", theme.line));
    axis_left(ground, y, left, "share of its certainty it was worth", theme, 4, d3.format(".0%"));
    axis_bottom(ground, x, base, "mean depth of the gap below kappa", theme, 6);
    if (is_number(deepest)) {
      const text = "beyond: no gap was as deep";
      const has_room = right - x(deepest) > 6 * text.length;
      ground.append("rect").attr("x", x(deepest)).attr("width", Math.max(0, right - x(deepest))).attr("y", margin.top).attr("height", base - margin.top).attr("fill", theme.silent).attr("opacity", 0.13);
      ground.append("line").attr("x1", x(deepest)).attr("x2", x(deepest)).attr("y1", margin.top).attr("y2", base).attr("stroke", theme.silent).attr("stroke-width", 1.4).attr("stroke-dasharray", "4 3");
      ground.append("text").attr("x", x(deepest) + (has_room ? 2 : -2)).attr("y", margin.top - 6).attr("text-anchor", has_room ? "start" : "end").attr("font-size", 11).attr("fill", letters_in(theme, theme.silent)).text(text);
    }
    const shown = curve.filter(([depth]) => depth <= x.domain()[1]);
    if (curve.length > 1)
      g.append("path").attr("class", "trust-curve").attr("fill", "none").attr("stroke", theme.corp).attr("stroke-width", 2)
        .attr("d", d3.line().x((d) => x(d[0])).y((d) => y(d[1]))(shown));
    const list = g.append("g").attr("role", "list").attr("aria-label", "Simulated gaps");
    const nodes = gaps.map((gap) => {
      const point = list.append("g").attr("class", "gap").attr("role", "listitem").attr("aria-label", gap_text(gap)).attr("data-kind", gap.kind);
      point.append("circle").attr("cx", x(gap.depth)).attr("cy", y(gap.worth)).attr("r", 8).attr("fill", theme.ink).attr("fill-opacity", 0);
      draw_mark(point, kind_number(gap.kind), x(gap.depth), y(gap.worth), theme.classes[kind_number(gap.kind)], theme);
      return point.node();
    });
    if (stage.live) walk_list(nodes, gaps.map(gap_text), (node, on) => node.firstChild.setAttribute("fill-opacity", on ? 0.15 : 0));
  }

  return {
    id: `${prefix}trust`,
    title: "What extrapolation was worth",
    caption: `${subject.trust.gaps_words}${trust_text(curve)}`,
    columns: () => 1,
    height: (width) => Math.min(380, Math.max(250, 0.62 * width)),
    panels: () => [{ title: "", is_list: true, label: `Simulated gaps: ${subject.trust.gaps_words}`, draw }],
    keys: (theme) => [...gap_kinds.filter((kind) => gaps.some((gap) => gap.kind === kind)).map((kind) => ({
      label: kind, mark: kind_number(kind), colour: theme.classes[kind_number(kind)], count: gaps.filter((gap) => gap.kind === kind).length })),
    ...(curve.length > 1 ? [{ label: "learned trust", sign: "line", colour: theme.corp }] : [])],
    table: () => ({
      head: ["kind", "labels hidden", "depth", "announced", "made", "worth"],
      rows: gaps.map((gap) => [gap.kind, count_text(gap.n_rows), fixed(gap.depth, 2), fixed(gap.announced, 4), fixed(gap.made, 4), fixed(gap.worth, 4)]),
    }),
  };
}

function self_check_figure(subject, prefix) {
  const { checks } = subject.trust;
  const margin = { left: 10, right: 16, top: 10, bottom: 34 };
  const top = d3.max(checks, (check) => Math.max(check.high, check.announced)) || 1;
  const check_text = (check) => `${check.name}, ${rows_text(check.n_rows)}: announced ${percent(check.announced)} errors, made ${percent(check.made)} (95 % interval ${percent(check.low)} to ${percent(check.high)})`;

  function draw(stage) {
    const { g, theme } = stage;
    const base = stage.height - margin.bottom;
    const x = d3.scaleLinear().domain([0, top]).nice(5).range([margin.left, stage.width - margin.right]);
    x.ticks(5).forEach((tick) => g.append("line").attr("x1", x(tick)).attr("x2", x(tick)).attr("y1", margin.top).attr("y2", base).attr("stroke", theme.line));
    axis_bottom(g, x, base, "share of errors", theme, 5, d3.format(".0%"));
    const band = (base - margin.top) / checks.length;
    checks.forEach((check, i) => {
      const y = margin.top + (i + 0.62) * band;
      const colour = check.announced < check.low ? theme.over : theme.calm;
      g.append("text").attr("x", margin.left + 4).attr("y", y - 26).attr("font-size", 12).attr("font-weight", 600).attr("fill", theme.ink).text(`${check.name}, ${rows_text(check.n_rows)}`);
      g.append("path").attr("d", `M${x(check.low)} ${y}H${x(check.high)}M${x(check.low)} ${y - 6}v12M${x(check.high)} ${y - 6}v12`).attr("stroke", theme.ink).attr("stroke-width", 1.4).attr("fill", "none");
      g.append("circle").attr("class", "made").attr("cx", x(check.made)).attr("cy", y).attr("r", 4).attr("fill", theme.ink);
      g.append("path").attr("class", "announced").attr("transform", `translate(${x(check.announced)} ${y})`).attr("d", "M0-9L8 0L0 9L-8 0Z").attr("fill", "none").attr("stroke", colour).attr("stroke-width", 2.2);
    });
  }

  return {
    id: `${prefix}self-check`,
    title: "Do announced errors come?",
    caption: subject.trust.check_words,
    columns: () => 1,
    height: (width) => Math.min(300, Math.max(190, 0.5 * width)),
    panels: () => [{ title: "", label: checks.map(check_text).join("; "), draw }],
    keys: (theme) => [{ label: "made, with its 95 % interval", sign: "whisker", colour: theme.ink },
      { label: "announced", mark: 4, colour: theme.calm }, ...(checks.some((check) => check.announced < check.low) ? [{ label: "announced too few", mark: 4, colour: theme.over }] : [])],
    table: () => ({
      head: ["rows", "n", "announced", "made", "95 % from", "95 % to"],
      rows: checks.map((check) => [check.name, count_text(check.n_rows), fixed(check.announced, 4), fixed(check.made, 4), fixed(check.low, 4), fixed(check.high, 4)]),
    }),
  };
}
