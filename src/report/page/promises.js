// What promises came to: how large sets of classes are, and what accepted rows were worth.

function promises_figure(subject, prefix) {
  const { promises } = subject;
  const n_classes = subject.class_names.length;
  const rows = [["labels speak", promises.inside], ["labels are silent", promises.outside]].filter(([, part]) => part.n > 0)
    .map(([name, part]) => ({ name, ...part }));
  const n_rows = d3.sum(rows, (row) => row.n);
  const n_answered = d3.sum(rows, (row) => row.n_answered);
  const n_wrong = d3.sum(rows, (row) => row.n_wrong);
  const margin = { left: 10, right: 16, top: 6, bottom: 34 };

  // Sizes 1, 2, 3 and 4, those between, and all classes.
  const sizes = [...d3.range(1, Math.min(5, n_classes)).map((size) => ({ low: size, high: size, name: size === 1 ? "one class" : `${size} classes` })),
    ...(n_classes > 5 ? [{ low: 5, high: n_classes - 1, name: n_classes === 6 ? "5 classes" : `5 to ${n_classes - 1}` }] : []),
    { low: n_classes, high: n_classes, name: n_classes === 2 ? "both classes" : `all ${n_classes} classes` }];
  const shade = (theme, i) => d3.interpolateLab(theme.speaks, i === sizes.length - 1 ? theme.silent : theme.unlabeled)(i === sizes.length - 1 ? 1 : i / sizes.length);
  const count = (row, size) => d3.sum(row.n_of_size.slice(size.low, size.high + 1));
  const row_text = (row) => `where ${row.name}, ${rows_text(row.n)}: the true class in ${percent(row.n_covered / row.n)} of the sets; ${sizes.map((size) => `${size.name} ${percent(count(row, size) / row.n)}`).join(", ")}`;

  function bar(stage, y, height, parts) {
    const { g, theme } = stage;
    const x = d3.scaleLinear().domain([0, 1]).range([margin.left, stage.width - margin.right]);
    let from = 0;
    parts.forEach(({ share, colour, text }) => {
      const width = x(share) - x(0);
      const rect = g.append("rect").attr("x", x(from)).attr("y", y).attr("width", Math.max(0, width - 1)).attr("height", height).attr("fill", colour);
      rect.append("title").text(text);
      if (width > 6.8 * text.length)
        g.append("text").attr("x", x(from) + 6).attr("y", y + height / 2 + 4).attr("font-size", 11.5).attr("fill", d3.lab(colour).l > 60 ? "#14181c" : "#ffffff").text(text);
      from += share;
    });
    return x;
  }

  function draw(stage) {
    const { g, theme } = stage;
    const base = stage.height - margin.bottom;
    const band = (base - margin.top) / (rows.length + 1);
    const head = (i, text) => g.append("text").attr("x", margin.left).attr("y", margin.top + i * band + 14).attr("font-size", 12).attr("font-weight", 600).attr("fill", theme.ink).text(text);
    const place = (i) => margin.top + i * band + 22;
    let x = null;
    rows.forEach((row, i) => {
      head(i, `sets where ${row.name}, ${rows_text(row.n)}`);
      x = bar(stage, place(i), band - 34, sizes.map((size, s) => ({ share: count(row, size) / row.n, colour: d3.rgb(shade(theme, s)).hex(), text: `${size.name} ${percent(count(row, size) / row.n)}` })));
    });
    head(rows.length, `answered at a risk of ${percent(promises.risk)}, of ${rows_text(n_rows)}`);
    bar(stage, place(rows.length), band - 34, [
      { share: (n_answered - n_wrong) / n_rows, colour: theme.speaks, text: `right ${percent((n_answered - n_wrong) / n_rows)}` },
      { share: n_wrong / n_rows, colour: theme.over, text: `wrong ${percent(n_wrong / n_rows)}` },
      { share: 1 - n_answered / n_rows, colour: theme.line, text: `not answered ${percent(1 - n_answered / n_rows)}` }]);
    axis_bottom(g, x, base, "share of the rows", theme, 5, d3.format(".0%"));
  }

  return {
    id: `${prefix}promises`,
    title: "What is promised",
    caption: promises.words,
    columns: () => 1,
    height: (width) => Math.min(320, Math.max(220, 0.6 * width)),
    panels: () => [{ title: "", label: `${rows.map(row_text).join("; ")}; answered ${percent(n_answered / n_rows)}, ${percent(n_answered > 0 ? n_wrong / n_answered : NaN)} of them wrong`, draw }],
    keys: (theme) => [...sizes.map((size, i) => ({ label: size.name, sign: "block", colour: d3.rgb(shade(theme, i)).hex() })), { label: "wrong answer", sign: "block", colour: theme.over }],
    table: () => ({
      head: ["rows", "n", "the true class in", ...sizes.map((size) => size.name), "answered", "wrong of these"],
      rows: rows.map((row) => [`where ${row.name}`, count_text(row.n), percent(row.n_covered / row.n), ...sizes.map((size) => count_text(count(row, size))), count_text(row.n_answered), count_text(row.n_wrong)]),
    }),
  };
}
