"""Counts of outcomes, and the tables made of them."""

from collections import Counter

from workshop import BAD, GOOD

MOST_SHOWN = 50  # bad runs that are listed


class Tally:
    def __init__(self):
        self.counts = Counter()
        self.bad = []
        self.left_out = []

    def add(self, group, operation, fault, outcome, how):
        """`group`: the kind of fault, for the short table; `how`: what to type to see it again."""
        self.counts[group, operation, fault, outcome] += 1
        if outcome in BAD:
            self.bad.append(f"{operation}, {fault}: {outcome}: {how}")

    def leave_out(self, what):
        if what not in self.left_out:
            self.left_out.append(what)

    def summed(self, *parts):
        """Outcomes by some of (group, operation, fault)."""
        sums = {}
        for (group, operation, fault, outcome), n in self.counts.items():
            every = {"group": group, "operation": operation, "fault": fault}
            sums.setdefault(tuple(every[part] for part in parts), Counter())[outcome] += n
        return sums

    def n_bad(self):
        return len(self.bad)

    def table(self, *parts):
        outcomes = [word for word in (*GOOD, *BAD)]
        lines = ["| " + " | ".join((*parts, "runs", *outcomes)) + " |", "|" + "---|" * len(parts) + "---:|" * (1 + len(outcomes))]
        for key, counts in self.summed(*parts).items():
            numbers = [str(counts[word]) if counts[word] else "" for word in outcomes]
            lines.append("| " + " | ".join((*key, str(sum(counts.values())), *numbers)) + " |")
        return "\n".join(lines)

    def document(self, words):
        total = Counter()
        for (*_, outcome), n in self.counts.items():
            total[outcome] += n
        text = [words, f"{sum(total.values())} runs: " + ", ".join(f"{n} {word}" for word, n in total.most_common()) + "."]
        text += [f"Left out: {what}" for what in self.left_out]
        text += ["## Operation and kind of fault", self.table("operation", "group")]
        text += ["## Every fault", self.table("group", "operation", "fault")]
        if self.bad:
            text += ["## What is bad", "\n".join(f"- {line}" for line in self.bad[:MOST_SHOWN])]
        return "\n\n".join(text) + "\n"
