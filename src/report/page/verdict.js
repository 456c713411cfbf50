// Whether each method keeps its word: one sentence each, before any figure. The sign says what the colour says.

const tones = {
  kept: ["✓", "keeps its word"], careful: ["−", "too careful"], unsure: ["?", "cannot be told"], broken: ["!", "do not trust it"],
};

// The numbers of a sentence stand out, so that one can read the page in ten seconds.
function with_numbers(text) {
  const parts = text.replace(/ %/g, "\u00a0%").split(/(\d[\d,]*(?:\.\d+)?(?:\u00a0%)?)/);
  return parts.map((part, i) => (i % 2 === 1 ? element("strong", {}, part) : part));
}

function add_verdicts(host, subject) {
  if (subject.verdicts.length === 0) return;
  const list = element("ul", {}, ...subject.verdicts.map((verdict) => {
    const [sign, meaning] = tones[verdict.tone];
    return element("li", { class: verdict.tone },
      element("span", { class: "sign", role: "img", "aria-label": meaning }, sign),
      element("span", { class: "who" }, verdict.name), element("span", { class: "what" }, ...with_numbers(verdict.text)));
  }));
  const section = element("section", { class: "verdict", "aria-label": "Verdict" });
  if (subject.headline) section.append(element("p", { class: "headline" }, subject.headline));
  section.append(element("p", { class: "primer" }, "Announced: how often a method expects to be wrong. Made: how often it was."), list);
  host.append(section);
}
