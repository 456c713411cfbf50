// Puts the page together.

const page = JSON.parse(document.getElementById("page-data").textContent);

const sentence_node = (text) => element("li", {}, ...with_numbers(text));

function add_words(host, subject) {
  if (subject.words.length === 0) return;
  const list = element("dl", {});
  subject.words.forEach((word) => list.append(element("div", {}, element("dt", {}, word.head), element("dd", {}, word.text))));
  host.append(element("section", { class: "words" }, element("h3", {}, "What to trust, and what not"), list));
}

function add_subject(host, subject, number) {
  const prefix = page.subjects.length > 1 ? `${subject.name}-` : "";
  const section = element("section", { class: "subject", id: `subject-${number}` });
  host.append(section);
  if (subject.title) section.append(element("h2", {}, subject.title));
  add_verdicts(section, subject);
  section.append(element("ul", { class: "lead" }, ...subject.sentences.map(sentence_node)));
  const maps = [];
  if (subject.data && subject.data.x.length > 0) maps.push(data_figure);
  if (subject.kappa) maps.push(log_ratio_figure);
  if (subject.trust && subject.trust.gaps.length > 0) maps.push(gaps_figure);
  if (subject.trust && subject.trust.checks.length > 0) maps.push(self_check_figure);
  if (subject.promises) maps.push(promises_figure);
  const answers = [];
  if (subject.test.x.length > 0) answers.push(error_map_figure);
  if (subject.methods.some((method) => method.field)) answers.push(fields_figure);
  // Panels of several methods need the whole width; the figures of one stand two by two.
  const is_single = subject.methods.length === 1;
  const add_pairs = (makers) => {
    for (let i = 0; i < makers.length; i += 2) {
      if (i + 1 === makers.length) { add_figure(section, makers[i](subject, prefix)); return; }
      const row = element("div", { class: "row" });
      section.append(row);
      makers.slice(i, i + 2).forEach((make) => add_figure(row, make(subject, prefix)));
    }
  };
  if (subject.methods.length === 0) {
    add_pairs(maps);
    return;
  }
  if (is_single) {
    add_pairs([...maps, ...answers, reliability_figure, risk_coverage_figure, confusion_figure]);
  } else {
    add_pairs(maps);
    [...answers, reliability_figure].forEach((make) => add_figure(section, make(subject, prefix)));
    add_pairs([risk_coverage_figure, confusion_figure]);
  }
  add_words(section, subject);
  add_metrics_table(section, subject, prefix);
}

function pair_table(pairs) {
  const body = element("tbody", {});
  pairs.forEach(([name, value]) => body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));
  return element("table", {}, body);
}

function add_footer(host) {
  const licence = [...document.childNodes, ...document.body.childNodes].find((node) => node.nodeType === Node.COMMENT_NODE);
  const footer = element("footer", {}, element("p", {}, `Made by ${[...page.versions, ["D3", d3.version]].map((pair) => pair.join(" ")).join(", ")}.`));
  if (page.options.length > 0)
    footer.append(element("details", { id: "options" }, element("summary", {}, "Options that made this"), pair_table(page.options)));
  if (licence) footer.append(element("details", {}, element("summary", {}, "Licence of D3, which draws these figures"), element("pre", {}, licence.textContent.replace(/^.*\n/, ""))));
  host.append(footer);
}

function draw_page() {
  const main = document.getElementById("report");
  main.replaceChildren();
  const header = element("header", {}, element("div", { class: "mark" }, "lacuna"), element("h1", {}, page.title));
  if (page.subtitle) header.append(element("p", { class: "subtitle" }, page.subtitle));
  if (page.subjects.length > 1)
    header.append(element("nav", { "aria-label": "Data sets" }, ...page.subjects.map((subject, i) => element("a", { href: `#subject-${i}` }, subject.title || subject.name))));
  main.append(header);
  if (page.diagnosis) add_diagnosis(main, page.diagnosis);
  page.subjects.forEach((subject, i) => add_subject(main, subject, i));
  add_footer(main);
}

draw_page();

const redraw_all = () => figures.forEach((figure) => figure.redraw());
let drawn_width = document.documentElement.clientWidth;
let is_waiting = false;
window.addEventListener("resize", () => {
  if (is_waiting || document.documentElement.clientWidth === drawn_width) return;
  is_waiting = true;
  requestAnimationFrame(() => { is_waiting = false; drawn_width = document.documentElement.clientWidth; hide_tip(); redraw_all(); });
});
dark_query.addEventListener("change", redraw_all);
window.addEventListener("beforeprint", () => { is_printing = true; redraw_all(); });
window.addEventListener("afterprint", () => { is_printing = false; redraw_all(); });
document.documentElement.dataset.drawn = String(Math.round(performance.now()));
