// Colours and the spelling of numbers. Figures are drawn with attributes, never with style rules, so that a
// saved figure looks the same without this page; a theme holds every colour they use.

const themes = {
  light: {
    paper: "#ffffff", ink: "#1c2126", soft: "#5c6670", faint: "#8a939c", line: "#dfe3e7", unlabeled: "#aeb5bc",
    // Blue and orange lead: with two classes they are the ends of the probability map.
    classes: ["#2166ac", "#e06008", "#0f9d76", "#c86a9c", "#4fb0e0", "#dba200", "#6a4fa3", "#7f5a36", "#8a9a00", "#c7284f"],
    other: "#77706a",
    doubt: ["#cdd8e2", "#f0bd7c", "#e2703a", "#b0264f", "#560f5c"],
    over: "#d1490c", under: "#2b6ca8", calm: "#0b6e75", speaks: "#0b7f83", silent: "#a5671c", corp: "#7a4fb5",
    methods: ["#8a939c", "#c86a9c", "#dba200", "#0b6e75", "#2166ac", "#e06008", "#6a4fa3", "#7f5a36"],
  },
  dark: {
    paper: "#14181c", ink: "#e8ebee", soft: "#a9b2ba", faint: "#69737c", line: "#2d343b", unlabeled: "#808a94",
    classes: ["#5ba3e6", "#ff9142", "#35c79c", "#e993c0", "#8ad4f7", "#f2c230", "#a992e8", "#c29468", "#bccb3c", "#ff6d8d"],
    other: "#a59c94",
    doubt: ["#31465a", "#7d3f6c", "#c94f5a", "#f28a45", "#ffe08a"],
    over: "#ff8a4a", under: "#6db3f2", calm: "#5cc4c4", speaks: "#4cc0bd", silent: "#d69a52", corp: "#c3a2f2",
    methods: ["#8d98a3", "#e993c0", "#f2c230", "#5cc4c4", "#5ba3e6", "#ff9142", "#a992e8", "#c29468"],
  },
};

const dark_query = window.matchMedia("(prefers-color-scheme: dark)");
let is_printing = false;
const theme_now = () => (dark_query.matches && !is_printing ? themes.dark : themes.light);

const font = "Helvetica Neue, Liberation Sans, Arial, sans-serif";

// With more classes than colours the frequent ones get them; the others share one, and the legend can single
// any of them out.
function class_colours(subject, theme) {
  const n = subject.class_names.length;
  if (n <= theme.classes.length) return theme.classes.slice(0, n);
  const rows = subject.class_names.map(() => 0);
  const counts = subject.data ? subject.data.class_counts : [];
  counts.forEach((count, y) => { rows[y] += count; });
  if (d3.sum(rows) === 0) subject.test.label.forEach((y) => { rows[y] += 1; });
  const order = d3.range(n).sort((a, b) => rows[b] - rows[a] || a - b);
  const colours = d3.range(n).map(() => theme.other);
  order.slice(0, theme.classes.length).forEach((y, i) => { colours[y] = theme.classes[i]; });
  return colours;
}

// A colour of lines, dark or light enough for small letters.
function letters_in(theme, colour) {
  const lab = d3.lab(colour);
  lab.l = theme === themes.dark ? Math.max(lab.l, 65) : Math.min(lab.l, 48);
  return d3.rgb(lab).hex();
}

const doubt_scale = (theme) => d3.piecewise(d3.interpolateLab, theme.doubt);
// The error probability of someone who knows nothing gets the end of the scale.
const most_doubt = (subject) => 1 - 1 / Math.max(2, subject.class_names.length);

const is_number = (value) => typeof value === "number" && isFinite(value);
const count_text = d3.format(",");
const percent = (value) => (is_number(value) ? `${(100 * value).toFixed(1)} %` : "–");
const fixed = (value, digits) => (is_number(value) ? value.toFixed(digits).replace("-", "−") : "–");
const rows_text = (n) => `${count_text(n)} ${n === 1 ? "row" : "rows"}`;
const full_name = (method) => (method.group ? `${method.name} (${method.group})` : method.name);
const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
