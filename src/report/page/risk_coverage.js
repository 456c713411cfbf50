// Using only the predictions a method is sure of: how many are these, and how often are they wrong?

function risk_at(curve, coverage) {
  const after = curve.findIndex((point) => point[0] >= coverage - 1e-12);
  return after < 0 ? NaN : curve[after][1];
}

function risk_coverage_figure(subject, prefix) {
  const methods = subject.methods.filter((method) => method.risk_coverage.length > 0);
  const inverted = methods.filter((method) => method.inverted).map((method) => ` ${full_name(method)}: ${method.inverted}`).join("");
  const groups = [...new Set(methods.map((method) => method.group))];
  // The first few rows may all be wrong or all be right; they do not decide the scale.
  const most = d3.max(methods, (method) => d3.max(method.risk_coverage.filter((point) => point[0] >= 0.05), (point) => point[1])) || 0.01;
  const margin = { left: 50, right: 8, top: 8, bottom: 34 };
  const colour_of = (theme, method, members) => (methods.length === 1 ? theme.calm : theme.methods[members.indexOf(method) % theme.methods.length]);

  function draw(stage, members) {
    const { g, theme } = stage;
    const label_width = Math.min(150, 14 + 6.2 * d3.max(members, (method) => method.name.length));
    const x = d3.scaleLinear().domain([0, 1]).range([margin.left, stage.width - margin.right - label_width]);
    const y = d3.scaleLinear().domain([0, most]).nice(4).range([stage.height - margin.bottom, margin.top]).clamp(true);
    y.ticks(4).forEach((tick) => g.append("line").attr("x1", x(0)).attr("x2", x(1)).attr("y1", y(tick)).attr("y2", y(tick)).attr("stroke", theme.line));
    axis_left(g, y, margin.left, "error rate among them", theme, 4, d3.format(".0%"));
    axis_bottom(g, x, stage.height - margin.bottom, "share of rows used, the surest first", theme, 4, d3.format(".0%"));
    const labels = [];
    members.forEach((method) => {
      const colour = colour_of(theme, method, members);
      g.append("path").attr("fill", "none").attr("stroke", colour).attr("stroke-width", method.name === "mar" || members.length === 1 ? 2.6 : 1.7)
        .attr("d", d3.line().x((d) => x(d[0])).y((d) => y(d[1])).curve(d3.curveStepAfter)(method.risk_coverage));
      const end = method.risk_coverage[method.risk_coverage.length - 1];
      labels.push({ y: y(end[1]), name: method.name, colour });
    });
    labels.sort((a, b) => a.y - b.y);
    labels.forEach((label, i) => { if (i > 0) label.y = Math.max(label.y, labels[i - 1].y + 13); });
    const over = labels.length > 0 ? Math.max(0, labels[labels.length - 1].y - (stage.height - margin.bottom)) : 0;
    labels.forEach((label) => g.append("text").attr("x", x(1) + 7).attr("y", label.y - over + 4).attr("font-size", 11.5).attr("font-weight", label.name === "mar" ? 600 : 400)
      .attr("fill", letters_in(theme, label.colour)).text(shortened(label.name, 24)));
    if (stage.live) add_rule(stage, members, x, y);
  }

  // A rule that follows the pointer or the arrow keys and tells the risk at that coverage.
  function add_rule(stage, members, x, y) {
    const rule = stage.g.append("line").attr("y1", margin.top).attr("y2", stage.height - margin.bottom).attr("stroke", stage.theme.ink).attr("visibility", "hidden");
    const text = (coverage) => [`the surest ${percent(coverage)} of the rows:`, ...members.map((method) => `${method.name}: ${percent(risk_at(method.risk_coverage, coverage))} wrong`)].join("\n");
    let coverage = 0.8;
    const target = stage.g.append("rect").attr("class", "rule-target").attr("x", x(0)).attr("width", x(1) - x(0)).attr("y", margin.top)
      .attr("height", stage.height - margin.top - margin.bottom).attr("fill", "transparent").attr("tabindex", 0).attr("role", "slider")
      .attr("aria-label", "share of rows used").attr("aria-valuemin", 0).attr("aria-valuemax", 100);
    const show = (client_x, client_y) => {
      rule.attr("x1", x(coverage)).attr("x2", x(coverage)).attr("visibility", "visible");
      target.attr("aria-valuenow", Math.round(100 * coverage)).attr("aria-valuetext", text(coverage));
      show_tip(text(coverage), client_x, client_y);
    };
    const show_here = () => {
      const box = target.node().getBoundingClientRect();
      show(box.left + (box.width * (x(coverage) - x(0))) / (x(1) - x(0)), box.top + 20);
    };
    const hide = () => { rule.attr("visibility", "hidden"); hide_tip(); };
    target.attr("aria-valuenow", 80).attr("aria-valuetext", text(coverage))
      .on("mousemove", function () { coverage = Math.max(0.01, Math.min(1, x.invert(d3.mouse(this)[0]))); show(d3.event.clientX, d3.event.clientY); })
      .on("mouseleave", hide).on("focus", show_here).on("blur", hide)
      .on("keydown", () => {
        const step = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1 }[d3.event.key];
        if (step === undefined) return;
        d3.event.preventDefault();
        coverage = Math.max(0.01, Math.min(1, coverage + step));
        show_here();
      });
  }

  return {
    id: `${prefix}risk-coverage`,
    title: "What it is worth",
    caption: `Use only the rows a method is surest of: the further left, the fewer rows and the fewer errors. A line that stays low means that the error probability puts the rows in the right order.${inverted}`,
    columns: groups.length === 1 ? () => 1 : (width) => (width < 620 ? 1 : 2),
    height: (width) => Math.min(380, Math.max(250, 0.62 * width)),
    panels: () => groups.map((group) => {
      const members = methods.filter((method) => method.group === group);
      return { title: group, label: `Risk-coverage curves of ${members.map((method) => method.name).join(", ")}`, draw: (stage) => draw(stage, members) };
    }),
    table: () => ({
      head: ["method", "aurc", "augrc", "coverage_at_5_percent_risk", "risk_at_80_percent_coverage"],
      rows: methods.map((method) => [full_name(method), fixed(method.metrics.aurc, 4), fixed(method.metrics.augrc, 4),
        fixed(method.metrics.coverage_at_5_percent_risk, 4), fixed(method.metrics.risk_at_80_percent_coverage, 4)]),
    }),
  };
}
