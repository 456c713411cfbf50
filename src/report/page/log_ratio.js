// The log ratio of the test rows, and the slider that moves kappa over it.

function log_ratio_figure(subject, prefix) {
  const kappa = subject.kappa;
  const test = subject.test;
  const last = kappa.positions.length - 1;
  const home = kappa.positions.indexOf(kappa.kappa);
  let at = home;
  const has_plane = test.x.length > 0 && test.step.length > 0;
  // How far a row is from kappa, in a few shades per side.
  const n_shades = 6;
  const sorted_steps = [...test.step].sort((a, b) => a - b);
  // A row is informative at position p when p < step. The farthest tenth of a side has its full colour.
  const shade_at = () => {
    const middle = d3.bisectRight(sorted_steps, at);
    const above = Math.max(3, (d3.quantile(sorted_steps.slice(middle), 0.9) || 0) - at);
    const below = Math.max(3, at - (d3.quantile(sorted_steps.slice(0, middle), 0.1) || 0));
    return (step) => {
      const level = Math.min(n_shades - 1, Math.floor((n_shades * Math.abs(step - at)) / (step > at ? above : below)));
      return step > at ? n_shades + level : n_shades - 1 - level;
    };
  };
  const shades = (theme) => {
    const mix = (end) => d3.interpolateLab(d3.interpolateLab(theme.paper, end)(0.36), end);
    return d3.range(2 * n_shades).map((i) => (i < n_shades ? mix(theme.silent)(1 - i / (n_shades - 1)) : mix(theme.speaks)((i - n_shades) / (n_shades - 1))));
  };
  const kappa_text = () => fixed(kappa.positions[at], 3);

  const figure = {
    id: `${prefix}log-ratio`,
    title: "Where labels say something",
    caption: `The log ratio compares how much a row is like labeled rows with how much it is like unlabeled ones. Above kappa a row is informative: the labels speak about rows like it. Move kappa to be more or less careful.${has_plane ? test_rows_text(test) : ""}`,
    columns: () => 1,
    height: (width) => (has_plane ? plane_height(width) : 110),
    panels: () => [{
      title: "", label: `Scatter plot of test rows by log ratio, kappa ${kappa_text()}`,
      draw: (stage) => {
        if (!has_plane) { draw_histogram(stage, 8, stage.height - 40); return; }
        const dots = placed(stage, test);
        const shade = shade_at();
        stage.dots(dots.map(([x, y, i]) => [x, y, shade(test.step[i])]), shades(stage.theme), dot_size(dots.length) + 0.4, 0.85);
        plane_axes(stage, subject);
        hover_rows(stage, dots, (i) => {
          const step = test.step[i];
          const low = step > 0 ? fixed(kappa.positions[step - 1], 2) : null;
          const high = step <= last ? fixed(kappa.positions[step], 2) : null;
          const range = low === null ? `at most ${high}` : high === null ? `above ${low}` : `${low} to ${high}`;
          return `log ratio ${range}\n${at < step ? "informative" : "labels say nothing here"} at kappa ${kappa_text()}`;
        });
      },
    }],
    below: (redraw, theme) => [slider_node(redraw, theme)],
    keys: (theme) => [
      { label: "informative: above kappa", sign: "ramp", width: 48, ramp: (t) => shades(theme)[n_shades + Math.round(t * (n_shades - 1))] },
      { label: "labels say nothing: at or below kappa", sign: "ramp", width: 48, ramp: (t) => shades(theme)[n_shades - 1 - Math.round(t * (n_shades - 1))] },
    ],
    table: () => ({
      head: ["kappa", ...kappa.counts.map((set) => `informative of ${count_text(set.n_rows)} ${set.rows_name}`)],
      rows: d3.range(0, last + 1, Math.max(1, Math.floor(last / 60))).concat([home]).sort((a, b) => a - b)
        .map((i) => [fixed(kappa.positions[i], 3) + (i === home ? " (the model's)" : ""), ...kappa.counts.map((set) => count_text(set.n_informative[i]))]),
    }),
  };

  // Rows between neighbouring positions, of the last set: the test rows.
  const counts = kappa.counts[kappa.counts.length - 1].n_informative;
  const per_bar = Math.max(1, Math.ceil(last / 75));
  const bars = d3.range(0, last, per_bar).map((from) => {
    const to = Math.min(last, from + per_bar);
    return { from, to, n: counts[from] - counts[to] };
  });

  function draw_histogram(stage, left, height) {
    const x = d3.scaleLinear().domain([0, last]).range([left, stage.width - left]);
    const y = d3.scaleLinear().domain([0, d3.max(bars, (bar) => bar.n) || 1]).range([0, height - 4]);
    stage.g.selectAll("rect.bar").data(bars).enter().append("rect").attr("class", "bar")
      .attr("x", (bar) => x(bar.from)).attr("width", (bar) => Math.max(0.5, x(bar.to) - x(bar.from) - 0.6))
      .attr("y", (bar) => height - y(bar.n)).attr("height", (bar) => y(bar.n));
    const rule = stage.g.append("line").attr("class", "rule").attr("y1", 0).attr("y2", height).attr("stroke", stage.theme.ink);
    const colour = () => {
      stage.g.selectAll("rect.bar").attr("fill", (bar) => (bar.from >= at ? stage.theme.speaks : stage.theme.silent))
        .attr("opacity", (bar) => (bar.from >= at ? 0.75 : 0.6));
      rule.attr("x1", x(at)).attr("x2", x(at));
    };
    colour();
    return colour;
  }

  // Log ratios under the slider, whose scale is wide around kappa and narrow far from it.
  function tick_node(width, left, theme) {
    const svg = d3.create("svg").attr("width", width).attr("height", 16).attr("aria-hidden", "true").style("display", "block");
    const x = d3.scaleLinear().domain(kappa.positions).range(d3.range(last + 1).map((i) => left + ((width - 2 * left) * i) / last));
    const candidates = [0, 1, -1, 2, -2, 5, -5, 10, -10, 3, -3, 20, -20, 50, -50, 100, -100, 300, -300, 1000, -1000];
    const taken = [];
    candidates.forEach((value) => {
      if (value < kappa.positions[0] || value > kappa.positions[last]) return;
      const place = x(value);
      if (place < 10 || place > width - 10 || taken.some((other) => Math.abs(other - place) < 30)) return;
      taken.push(place);
      svg.append("text").attr("x", place).attr("y", 12).attr("text-anchor", "middle").attr("font-size", 10.5).attr("font-family", font).attr("fill", theme.soft).text(String(value).replace("-", "−"));
    });
    return svg.node();
  }

  function slider_node(redraw, theme) {
    const box = element("div", { class: "slider" });
    const width = Math.max(200, document.getElementById(figure.id).clientWidth);
    const left = 8; // half of the slider's handle
    const svg = d3.create("svg").attr("width", width).attr("height", 46).attr("aria-hidden", "true").style("display", "block");
    const colour = draw_histogram({ g: svg, width, theme }, left, 46);
    const input = element("input", { type: "range", min: 0, max: last, step: 1, value: at, "aria-label": "kappa", style: `width:${width}px` });
    const readout = element("div", { class: "readout", "aria-live": "polite" });
    const say = () => {
      input.setAttribute("aria-valuetext", `kappa ${kappa_text()}`);
      input.dataset.kappa = String(kappa.positions[at]);
      readout.replaceChildren(element("span", {}, "kappa ", element("strong", { class: "kappa" }, kappa_text())));
      kappa.counts.forEach((set) => readout.append(element("span", { class: "informative" },
        element("strong", { "data-count": set.n_informative[at] }, count_text(set.n_informative[at])),
        ` of ${count_text(set.n_rows)} ${set.rows_name} informative (${percent(set.n_rows > 0 ? set.n_informative[at] / set.n_rows : NaN)})`)));
      if (at !== home) readout.append(element("button", { type: "button", onclick: () => { at = home; redraw(); document.querySelector(`#${CSS.escape(figure.id)} input`).focus(); } }, `back to the model's ${fixed(kappa.kappa, 3)}`));
    };
    let is_due = false;
    input.addEventListener("input", () => {
      at = Number(input.value);
      say();
      colour();
      if (is_due) return;
      is_due = true;
      requestAnimationFrame(() => { is_due = false; figure.redraw_panels(); });
    });
    say();
    box.append(svg.node(), input, tick_node(width, left, theme), readout);
    return box;
  }
  return figure;
}
