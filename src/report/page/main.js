// Puts the page together.

const page = JSON.parse(document.getElementById("data").textContent);

// The numbers of a sentence stand out, so that one can read the page in ten seconds.
function sentence_node(text) {
  const parts = text.split(/(\d[\d,]*(?:\.\d+)?(?: %)?)/);
  return element("li", {}, ...parts.map((part, i) => (i % 2 === 1 ? element("strong", {}, part) : part)));
}

function add_words(host, subject) {
  if (subject.words.length === 0) return;
  const list = element("dl", {});
  subject.words.forEach((word) => list.append(element("dt", {}, word.head), element("dd", {}, word.text)));
  host.append(element("section", { class: "words" }, element("h3", {}, "What to trust, and what not"), list));
}

function add_subject(host, subject, number) {
  const prefix = page.subjects.length > 1 ? `${subject.name}-` : "";
  const section = element("section", { class: "subject", id: `subject-${number}` });
  host.append(section);
  if (subject.title) section.append(element("h2", {}, subject.title));
  section.append(element("ul", { class: "lead" }, ...subject.sentences.map(sentence_node)));
  const has_rows = subject.test.x.length > 0;
  const top = [];
  if (subject.data && subject.data.x.length > 0) top.push(data_figure);
  if (subject.kappa) top.push(log_ratio_figure);
  const host_of = (n) => {
    if (n < 2) return section;
    const row = element("div", { class: "row" });
    section.append(row);
    return row;
  };
  const top_host = host_of(top.length);
  top.forEach((make) => add_figure(top_host, make(subject, prefix)));
  if (has_rows) add_figure(section, error_map_figure(subject, prefix));
  if (subject.methods.some((method) => method.field)) add_figure(section, fields_figure(subject, prefix));
  add_figure(section, reliability_figure(subject, prefix));
  const row = host_of(2);
  add_figure(row, risk_coverage_figure(subject, prefix));
  add_figure(row, confusion_figure(subject, prefix));
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
