// Labeled rows by class over unlabeled ones.

function data_figure(subject, prefix) {
  const data = subject.data;
  const n_labeled = d3.sum(data.class_counts);
  let highlighted = -1;
  const n_drawn = data.label.filter((label) => label >= 0).length;
  const part = (drawn, all) => (drawn < all ? `${count_text(drawn)} of ${count_text(all)}` : `all ${count_text(all)}`);
  const sampled = data.label.length < data.n_rows
    ? ` Shown are ${part(n_drawn, n_labeled)} labeled and ${part(data.label.length - n_drawn, data.n_rows - n_labeled)} unlabeled rows, chosen at random.` : "";
  const note = subject.plane.note ? ` ${subject.plane.note}` : "";
  const figure = {
    id: `${prefix}data`,
    title: "The data",
    caption: `${rows_text(n_labeled)} with a label, coloured by class, over ${rows_text(data.n_rows - n_labeled)} without one, in grey.${note}${sampled}${outside_text(data)}`,
    columns: () => 1,
    height: plane_height,
    panels: () => [{
      title: "", label: `Scatter plot of ${rows_text(data.n_rows)}, ${count_text(n_labeled)} of them labeled`,
      draw: (stage) => {
        const colours = class_colours(subject, stage.theme);
        const dots = placed(stage, data);
        const size = dot_size(dots.length);
        stage.dots(dots.filter((dot) => data.label[dot[2]] < 0).map(([x, y]) => [x, y, 0]), [stage.theme.unlabeled], size, 0.55);
        const labeled = dots.filter((dot) => data.label[dot[2]] >= 0);
        const is_shown = (dot) => highlighted < 0 || data.label[dot[2]] === highlighted;
        stage.dots(labeled.filter((dot) => !is_shown(dot)).map((dot) => [dot[0], dot[1], data.label[dot[2]]]), colours, size, 0.12);
        stage.dots(labeled.filter(is_shown).map((dot) => [dot[0], dot[1], data.label[dot[2]]]),
          highlighted < 0 ? colours : colours.map(() => (colours[highlighted] === stage.theme.other ? stage.theme.over : colours[highlighted])), size + 0.8, 0.9);
        plane_axes(stage, subject);
        hover_rows(stage, dots, (i) => (data.label[i] < 0 ? "no label" : `class ${shortened(subject.class_names[data.label[i]], 120)}`));
      },
    }],
    keys: (theme) => {
      const colours = class_colours(subject, theme);
      const keys = subject.class_names.map((name, y) => ({
        label: name === "" ? "(empty)" : name, count: data.class_counts[y], colour: colours[y], mark: 1, pressed: y === highlighted,
        press: () => { highlighted = highlighted === y ? -1 : y; figure.redraw(); },
      }));
      return [...keys, { label: "no label", count: data.n_rows - n_labeled, colour: theme.unlabeled, mark: 1 }];
    },
    table: () => ({
      head: ["class", "labeled rows"],
      rows: [...subject.class_names.map((name, y) => [name, count_text(data.class_counts[y])]), ["no label", count_text(data.n_rows - n_labeled)]],
    }),
  };
  return figure;
}
