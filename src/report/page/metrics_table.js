// Every metric by name, with its definition on hover and focus, overall and per stratum.

const metric_definitions = [
  ["error_rate", "Share of the test rows whose prediction was wrong. 0 is best."],
  ["mean_error_probability", "Mean of the error probabilities. Best when equal to error_rate."],
  ["overconfidence", "Errors that were not announced: over 20 equal bins of the error probability, the sum of n_b/N max(0, error rate in b − mean error probability in b). The dangerous side; 0 is best."],
  ["underconfidence", "Errors that were announced and did not come: the same sum with the other sign. 0 is best."],
  ["ece", "Expected calibration error: the sum over 20 equal bins of n_b/N |error rate in b − mean error probability in b|. overconfidence and underconfidence add up to it. 0 is best."],
  ["brier_error", "Mean of (error − error probability)², where error is 1 for a wrong prediction. Rewards honesty and knowledge; 0 is best."],
  ["brier", "Mean over the rows of the sum over classes of (probability − [is the true class])². From 0, best, to 2."],
  ["nll", "Mean of −log(probability of the true class). 0 is best; infinite as soon as one true class had probability 0."],
  ["aurc", "Area under the risk-coverage curve: the error rate among the surest rows, averaged over all shares of rows used. 0 is best."],
  ["augrc", "Area under the generalised risk-coverage curve, which counts errors among all rows, used or not. 0 is best."],
  ["coverage_at_5_percent_risk", "The largest share of rows that can be used with an error rate of at most 5 %. 1 is best."],
  ["risk_at_80_percent_coverage", "The error rate when the surest 80 % of the rows are used. 0 is best."],
  ["classwise_calibration_error", "For each class, the mean distance between its probability and its frequency over 20 equal bins of its probability; then the mean over the classes. 0 is best."],
];

function metric_text(value) {
  return value === "infinity" ? "∞" : fixed(value, 4);
}

function metric_cell(name, metrics) {
  const value = metrics[name];
  const cell = element("td", { "data-metric": name }, metric_text(value));
  if (is_number(value)) cell.dataset.value = String(value);
  return cell;
}

function metric_line(kind, name, metrics, columns) {
  const line = element("tr", { class: kind }, element("th", { scope: "row", title: name.length > 30 ? name : null }, name === "" ? "(empty)" : name), element("td", {}, count_text(metrics.n)));
  columns.forEach(([metric]) => line.append(metrics[metric] === undefined ? element("td", {}) : metric_cell(metric, metrics)));
  return line;
}

function add_metrics_table(host, subject, prefix) {
  const columns = metric_definitions.filter(([name]) => subject.methods.some((method) => method.metrics[name] !== undefined));
  const head = element("tr", {}, element("th", { scope: "col" }, "method"), element("th", { scope: "col" }, "rows"));
  columns.forEach(([name, definition]) => {
    const button = element("button", { type: "button", class: "term", "aria-label": `${name}: ${definition}` }, ...name.split("_").reduce((parts, part, i) => (i === 0 ? [part] : [...parts, "_", element("wbr", {}), part]), []));
    button.addEventListener("mousemove", (event) => show_tip(`${name}\n${definition}`, event.clientX, event.clientY));
    button.addEventListener("mouseleave", hide_tip);
    button.addEventListener("focus", () => tip_at(button, `${name}\n${definition}`));
    button.addEventListener("blur", hide_tip);
    head.append(element("th", { scope: "col" }, button));
  });
  const body = element("tbody", {});
  subject.methods.forEach((method, i) => {
    const line = metric_line("whole", full_name(method), method.metrics, columns);
    line.dataset.method = String(i);
    body.append(line);
    method.strata.forEach((stratum) => {
      const part = metric_line("part", stratum.name, stratum.metrics, columns);
      part.dataset.method = String(i);
      part.dataset.stratum = stratum.name;
      body.append(part);
    });
  });
  host.append(element("figure", { id: `${prefix}metrics` },
    element("figcaption", {}, element("h3", {}, "All numbers"), element("p", {}, "Point at a name, or reach it with the tab key, for its definition.")),
    element("div", { class: "scroll metrics", tabindex: "0" }, element("table", {}, element("thead", {}, head), body))));
}
