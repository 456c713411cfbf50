"""What decides (docs/defaults.md), as far as the study measures it: each line a bar, what was found, and whether it holds."""

from typing import NamedTuple, Optional

import peers

#: Where labels went missing by a rule with consequences: the lender sees who pays only among those who got a loan.
LENDER = "credit-pay"
UNSEEN_RULES = ("half-space", "clusters", "class-region")


class Verdict(NamedTuple):
    what: str
    bar: str
    found: str
    holds: Optional[bool]  # None: not measured


def verdicts(results, ours):
    judge = Judge(results, ours)
    return [*judge.eight(), *judge.toys(), *judge.by_lot(), *judge.unseen()]


class Judge:
    def __init__(self, results, ours):
        self.results, self.ours = results, ours

    def _at_most(self, what, bar, measured):
        """A line for {place: number}, all of which must be at most the bar; the worst is named."""
        measured = {place: number for place, number in measured.items() if number is not None}
        if not measured:
            return Verdict(what, f"at most {bar}", "not measured", None)
        worst = max(measured, key=measured.get)
        return Verdict(what, f"at most {bar}", f"{measured[worst]:.3f} ({worst}; {len(measured)} measured)", measured[worst] <= bar)

    def _mean(self, method, setting, part, metric):
        found = self.results.mean(method, setting.name, part, metric) if method in self.results.values else None
        return None if found is None else found[0]

    def _above_best(self, setting, metric):
        """How far ours is above the best of the main peers; None unless all were measured."""
        mine = self._mean(self.ours, setting, "all", metric)
        theirs = [self._mean(peer, setting, "all", metric) for peer in peers.MAIN]
        return None if mine is None or None in theirs else mine - min(theirs)

    def eight(self):
        settings = self.results.settings("eight")
        ruled = [s for s in settings if s.rule != "lot"]
        yield self._at_most("eight settings: brier_error above the best main peer", 0.004,
                            {s.name: self._above_best(s, "brier_error") for s in settings})  # fmt: skip
        for peer in peers.MAIN:
            pair = [self.results.mean_over(m, settings, "all", "brier_error") for m in (self.ours, peer)]
            yield self._at_most(f"eight settings: mean brier_error minus that of {peer}", 0.0,
                                {"mean": None if None in pair else pair[0][0] - pair[1][0]})  # fmt: skip
        yield self._at_most("eight settings, labels common: ece", 0.03,
                            {s.name: self._mean(self.ours, s, "common", "ece") for s in settings})  # fmt: skip
        yield self._at_most("eight settings, labels seldom: overconfidence", 0.03,
                            {s.name: self._mean(self.ours, s, "seldom", "overconfidence") for s in ruled if s.name != LENDER})  # fmt: skip
        yield self._at_most("the lender's case, labels seldom: overconfidence", 0.12,
                            {s.name: self._mean(self.ours, s, "seldom", "overconfidence") for s in ruled if s.name == LENDER})  # fmt: skip

    def toys(self):
        announced = {s.name: (s, self._mean(self.ours, s, "seldom" if s.rule == "own" else "all", "mean_error_probability"))
                     for s in self.results.settings("toys")}  # fmt: skip
        announced = {name: (s, q) for name, (s, q) in announced.items() if q is not None}
        yield self._at_most("never labeled toys: 1/2 minus the mean error probability", 0.05,
                            {name: 0.5 - q for name, (s, q) in announced.items() if s.rule == "own"})  # fmt: skip
        yield self._at_most("noise labels: mean error probability off 1/2", 0.02,
                            {name: abs(0.5 - q) for name, (s, q) in announced.items() if s.rule == "lot"})  # fmt: skip

    def by_lot(self):
        settings = [s for s in self.results.settings() if s.rule == "lot" and s.group != "toys"]
        for metric in ("error_rate", "brier_error"):
            yield self._at_most(f"by lot: {metric} above the best main peer", 0.003,
                                {s.name: self._above_best(s, metric) for s in settings})  # fmt: skip

    def unseen(self):
        settings = [s for s in self.results.settings() if s.rule in UNSEEN_RULES]
        for part, metric, bar in (("seldom", "brier_error", 0.18), ("seldom", "overconfidence", 0.06), ("all", "brier_error", 0.105),
                                  ("all", "ece", 0.06)):  # fmt: skip
            mean = self.results.mean_over(self.ours, settings, part, metric) if self.ours in self.results.values else None
            yield self._at_most(f"half-space, clusters, class regions, {part} rows: mean {metric}", bar,
                                {"mean": None if mean is None else mean[0]})  # fmt: skip
