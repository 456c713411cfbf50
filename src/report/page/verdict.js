// Whether each method keeps its word: one sentence each, before any figure. The sign says what the colour says.

const tones = {
  kept: ["✓", "good"], careful: ["−", "too careful"], unsure: ["?", "cannot be told"], note: ["i", "to be known"], broken: ["!", "attention"],
};

// The numbers of a sentence stand out, so that one can read the page in ten seconds.
function with_numbers(text) {
  const parts = text.replace(/ %/g, "\u00a0%").split(/((?<![\w<>=.-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:\u00a0%)?(?!\w))/);
  return parts.map((part, i) => (i % 2 === 1 ? element("strong", {}, part) : part));
}

// verdicts: {tone, name, text, asked, more}; `more` are lines that explain, for those who ask.
function add_verdict_list(host, headline, primer, verdicts) {
  const list = element("ul", {}, ...verdicts.map((verdict) => {
    const [sign, meaning] = tones[verdict.tone];
    const more = verdict.more ? [element("details", {}, element("summary", {}, verdict.asked), ...verdict.more.map((line) => element("p", {}, ...with_numbers(line))))] : [];
    return element("li", { class: verdict.tone },
      element("span", { class: "sign", role: "img", "aria-label": meaning }, sign),
      element("span", { class: "who" }, verdict.name), element("div", { class: "what" }, ...with_numbers(verdict.text), ...more));
  }));
  const section = element("section", { class: "verdict", "aria-label": "Verdict" });
  if (headline) section.append(element("p", { class: "headline" }, headline));
  if (primer) section.append(element("p", { class: "primer" }, primer));
  section.append(list);
  host.append(section);
}

function add_verdicts(host, subject) {
  if (subject.verdicts.length === 0) return;
  add_verdict_list(host, subject.headline, "Announced: how often a method expects to be wrong. Made: how often it was.", subject.verdicts);
}
