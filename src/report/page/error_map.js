// The error probability of the test rows, one panel per method.

const panel_columns = (n) => (width) => (width < 520 ? 1 : width < 820 ? 2 : Math.min(4, n));

function error_map_figure(subject, prefix) {
  const test = subject.test;
  const n_shades = 24;
  const most = most_doubt(subject);
  const shades = (theme) => d3.range(n_shades).map((i) => doubt_scale(theme)(i / (n_shades - 1)));
  const shade = (q) => Math.max(0, Math.min(n_shades - 1, Math.round(((n_shades - 1) * q) / 1000 / most)));
  const methods = subject.methods;
  return {
    id: `${prefix}error-probability`,
    title: "Where it may be wrong",
    caption: `The error probability of every test row${methods.length > 1 ? ", by method" : ""}. Strongly coloured are the rows where a method admits that it does not know; the end of the scale, ${percent(most)}, is knowing nothing.${test_rows_text(test)}`,
    columns: methods.length === 1 ? () => 1 : panel_columns(methods.length),
    height: plane_height,
    panels: () => methods.map((method) => ({
      title: methods.length > 1 ? method.name : "", group: method.group,
      note: methods.length > 1 ? `mean ${percent(method.metrics.mean_error_probability)}` : "",
      label: `Scatter plot of test rows by error probability, method ${method.name}`,
      draw: (stage) => {
        const dots = placed(stage, test);
        stage.dots(dots.map(([x, y, i]) => [x, y, shade(method.error_probability[i])]), shades(stage.theme), dot_size(dots.length) - (stage.width < 400 ? 0.4 : 0), 0.9);
        plane_axes(stage, subject);
        hover_rows(stage, dots, (i) => {
          const name = (y) => shortened(subject.class_names[y], 80);
          return `predicted ${name(method.prediction[i])}, is ${name(test.label[i])}\nerror probability ${percent(method.error_probability[i] / 1000)}`;
        });
      },
    })),
    keys: (theme) => [{ label: `error probability 0 to ${percent(most)}`, sign: "ramp", width: 80, ramp: (t) => doubt_scale(theme)(t) }],
    table: () => ({
      head: ["method", "mean error probability", "below 5 %", "5 to 20 %", "20 to 50 %", "50 % and more (rows drawn)"],
      rows: methods.map((method) => {
        const share = (low, high) => count_text(method.error_probability.filter((q) => q >= low && q < high).length);
        return [method.name, percent(method.metrics.mean_error_probability), share(0, 50), share(50, 200), share(200, 500), share(500, 1001)];
      }),
    }),
  };
}
