// Before there is a model: who has a label, about whom labels say something, and how large the error can be.

const concern_tones = { none: "kept", note: "note", warning: "broken" };
const topic_names = { labeling: "Missing by lot?", columns: "Who has a label", overlap: "Whom labels reach", error: "How wrong", classes: "Classes", limits: "Not to be known" };

function add_findings(host, diagnosis) {
  const { overlap, error } = diagnosis;
  const by_lot = diagnosis.findings.find((finding) => finding.topic === "labeling").concern;
  const told = { warning: " Labels are not missing by lot.", none: " Labels may be missing by lot." }[by_lot] || "";
  const headline = diagnosis.n_unlabeled === 0 ? "Every row has a label."
    : `A model errs on ${percent(error.total.low)} to ${percent(error.total.high)} of the rows without a label; ${percent(overlap.outside_share)} of them cannot be judged.${told}`;
  add_verdict_list(host, headline, "", diagnosis.findings.map((finding) => ({
    name: topic_names[finding.topic] || finding.topic, tone: concern_tones[finding.concern], text: finding.found,
    asked: finding.remedy === "Nothing." ? "Why it matters" : "Why it matters, and what to try",
    more: finding.remedy === "Nothing." ? [finding.why] : [finding.why, `Try: ${finding.remedy}`],
  })));
}

// The share of rows with a label, by the values of each column that tells it.
function columns_figure(diagnosis) {
  const { columns } = diagnosis.labeling;
  const all = diagnosis.n_labeled / (diagnosis.n_labeled + diagnosis.n_unlabeled);
  const most_parts = 12;
  const shown = columns.map((column) => {
    const largest = [...column.parts].sort((a, b) => b.n_rows - a.n_rows).slice(0, most_parts);
    return { ...column, parts: column.parts.filter((part) => largest.includes(part)) };
  });
  const share = (part) => part.n_labeled / part.n_rows;
  const top = d3.max(shown, (column) => d3.max(column.parts, share)) || 1;
  const lines = d3.max(shown, (column) => column.parts.length);
  const short_name = (part) => shortened(part.where.replace(/^between (\S+) and (\S+)$/, "$1 to $2"), 24);
  const longest = d3.max(shown, (column) => d3.max(column.parts, (part) => short_name(part).length)) || 1;
  const margin = { left: 12 + 6.3 * longest, right: 58, top: 4, bottom: 34 };
  const text_of = (column, part) => `${column.name}: ${part.where}, ${count_text(part.n_labeled)} of ${rows_text(part.n_rows)} have a label (${percent(share(part))})`;

  function draw(stage, column) {
    const { g, theme } = stage;
    const base = margin.top + 22 * column.parts.length;
    const x = d3.scaleLinear().domain([0, top]).range([margin.left, stage.width - margin.right]);
    const list = g.append("g").attr("role", "list").attr("aria-label", column.name);
    const nodes = column.parts.map((part, i) => {
      const y = margin.top + 22 * i;
      const item = list.append("g").attr("class", "part").attr("role", "listitem").attr("aria-label", text_of(column, part));
      item.append("rect").attr("x", 0).attr("width", stage.width).attr("y", y).attr("height", 22).attr("fill", theme.ink).attr("fill-opacity", 0);
      item.append("rect").attr("x", x(0)).attr("width", Math.max(1, x(share(part)) - x(0))).attr("y", y + 3).attr("height", 16).attr("fill", share(part) < 0.5 * all ? theme.silent : theme.speaks);
      item.append("text").attr("x", margin.left - 6).attr("y", y + 15).attr("text-anchor", "end").attr("font-size", 11.5).attr("fill", theme.soft).text(short_name(part));
      item.append("text").attr("x", x(share(part)) + 5).attr("y", y + 15).attr("font-size", 11).attr("fill", theme.ink).text(percent(share(part)));
      return item.node();
    });
    g.append("line").attr("x1", x(all)).attr("x2", x(all)).attr("y1", margin.top).attr("y2", base).attr("stroke", theme.ink).attr("stroke-width", 1.2).attr("stroke-dasharray", "4 3");
    axis_bottom(g, x, base, "share of rows with a label", theme, 3, d3.format(top < 0.03 ? ".1%" : ".0%"));
    if (stage.live) walk_list(nodes, column.parts.map((part) => text_of(column, part)), (node, on) => node.firstChild.setAttribute("fill-opacity", on ? 0.07 : 0));
  }

  return {
    id: "columns",
    title: "Who has a label",
    caption: `The share of rows with a label, by the columns that tell it best; the dashed line is that of all rows, ${percent(all)}.`,
    columns: (width) => Math.min(columns.length, width < 620 ? 1 : width < 900 ? 2 : 3),
    height: () => margin.top + 22 * lines + margin.bottom,
    panels: () => shown.map((column, i) => ({
      title: column.name, note: `AUC lost without it: ${fixed(column.importance, 3)}${column.parts.length < columns[i].parts.length ? `; the ${most_parts} largest of ${columns[i].parts.length} parts` : ""}`,
      is_list: true, label: `Share of rows with a label by ${column.name}`, draw: (stage) => draw(stage, column),
    })),
    keys: (theme) => [{ label: "share with a label", sign: "block", colour: theme.speaks }, { label: "less than half of that of all rows", sign: "block", colour: theme.silent },
      { label: "all rows", sign: "dash", colour: theme.ink, thin: true }],
    table: () => ({
      head: ["column", "part", "rows", "with a label", "share"],
      rows: [].concat(...columns.map((column) => column.parts.map((part) => [column.name, part.where, count_text(part.n_rows), count_text(part.n_labeled), percent(share(part))]))),
    }),
  };
}

// Of all rows: those with a label, those that labels reach, and the others.
function overlap_figure(diagnosis) {
  const { n_labeled, n_unlabeled, overlap } = diagnosis;
  const n_outside = Math.round(overlap.outside_share * n_unlabeled);
  const parts = [["have a label", n_labeled], ["no label, but labels speak about them", n_unlabeled - n_outside], ["labels are silent about them", n_outside]];
  const n = n_labeled + n_unlabeled;
  const margin = { left: 10, right: 16, top: 4, bottom: 34 };
  const colour = (theme) => [theme.calm, theme.under, theme.silent];

  function draw(stage) {
    const { g, theme } = stage;
    const x = d3.scaleLinear().domain([0, 1]).range([margin.left, stage.width - margin.right]);
    const base = stage.height - margin.bottom;
    const band = (base - margin.top) / parts.length;
    parts.forEach(([name, count], i) => {
      const y = margin.top + i * band;
      g.append("text").attr("x", margin.left).attr("y", y + 14).attr("font-size", 12).attr("fill", theme.ink).text(`${name}: ${count_text(count)} (${percent(count / n)})`);
      g.append("rect").attr("x", x(0)).attr("width", Math.max(1, x(count / n) - x(0))).attr("y", y + 21).attr("height", Math.min(24, band - 30)).attr("fill", colour(theme)[i]);
    });
    axis_bottom(g, x, base, "share of all rows", theme, 5, d3.format(".0%"));
  }

  return {
    id: "overlap",
    title: "Whom labels reach",
    caption: `Rows about which labels say nothing cannot be judged by any held-out label. For the others, ${count_text(n_labeled)} labels count like ${count_text(Math.round(overlap.effective_labels))}, because they lie elsewhere.`,
    columns: () => 1,
    height: () => 230,
    panels: () => [{ title: "", label: parts.map(([name, count]) => `${name}: ${count_text(count)}`).join("; "), draw }],
    table: () => ({ head: ["rows", "n", "share"], rows: parts.map(([name, count]) => [name, count_text(count), percent(count / n)]) }),
  };
}

// What is known of the error without any assumption about where nobody looked.
function error_figure(diagnosis) {
  const { inside, inside_interval, total } = diagnosis.error;
  const bars = [
    { name: "all rows without a label", low: total.low, high: total.high, colour: (theme) => theme.silent },
    ...(is_number(inside) ? [{ name: "those about which labels speak", ...inside_interval, at: inside, colour: (theme) => theme.calm }] : []),
  ];
  const margin = { left: 10, right: 16, top: 4, bottom: 34 };
  const text = (bar) => `${bar.name}: ${percent(bar.low)} to ${percent(bar.high)}`;

  function draw(stage) {
    const { g, theme } = stage;
    const x = d3.scaleLinear().domain([0, 1]).range([margin.left, stage.width - margin.right]);
    const base = stage.height - margin.bottom;
    x.ticks(5).forEach((tick) => g.append("line").attr("x1", x(tick)).attr("x2", x(tick)).attr("y1", margin.top).attr("y2", base).attr("stroke", theme.line));
    bars.forEach((bar, i) => {
      const y = margin.top + i * 84;
      g.append("text").attr("x", margin.left).attr("y", y + 16).attr("font-size", 12).attr("font-weight", 600).attr("fill", theme.ink).text(text(bar));
      g.append("rect").attr("x", x(bar.low)).attr("width", Math.max(2, x(bar.high) - x(bar.low))).attr("y", y + 26).attr("height", 24).attr("fill", bar.colour(theme)).attr("opacity", 0.75);
      if (is_number(bar.at)) g.append("line").attr("x1", x(bar.at)).attr("x2", x(bar.at)).attr("y1", y + 22).attr("y2", y + 54).attr("stroke", theme.ink).attr("stroke-width", 2);
    });
    axis_bottom(g, x, base, "share of wrong predictions", theme, 5, d3.format(".0%"));
  }

  return {
    id: "error",
    title: "Between what limits a model errs",
    caption: "Where labels speak, by labels that were held out (95 % interval; the line is the estimate). Where they are silent all may be right or all wrong, and no assumption makes that narrower.",
    columns: () => 1,
    height: () => 230,
    panels: () => [{ title: "", label: bars.map(text).join("; "), draw }],
    table: () => ({ head: ["rows", "from", "to"], rows: bars.map((bar) => [bar.name, percent(bar.low), percent(bar.high)]) }),
  };
}

function add_diagnosis(host, diagnosis) {
  const section = element("section", { class: "subject" });
  host.append(section);
  add_findings(section, diagnosis);
  if (diagnosis.labeling.columns.length > 0) add_figure(section, columns_figure(diagnosis));
  if (diagnosis.n_unlabeled === 0) return;
  const row = element("div", { class: "row" });
  section.append(row);
  add_figure(row, overlap_figure(diagnosis));
  add_figure(row, error_figure(diagnosis));
}
