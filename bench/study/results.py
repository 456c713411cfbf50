"""Records of cells as numbers: means over seeds, means over settings, differences of pairs."""

import math
import statistics
from collections import defaultdict
from pathlib import Path

import cells
from settings import SETTINGS, purpose


class Results:
    """All finished cells of a folder: values[method][setting, seed] is the record."""

    def __init__(self, out, wanted=None, seeds=None):
        self.values = defaultdict(dict)
        self.troubles = []  # (cell, what)
        self.builds = set()
        for path in sorted(Path(out).glob("cells/**/seed-*/*.json")):
            record = cells.read(path)
            if record is None or record.get("study") != cells.VERSION or record["setting"] not in SETTINGS:
                continue
            place = record["setting"], record["seed"]
            if wanted in (None, purpose(SETTINGS[place[0]], place[1])) and (seeds is None or place[1] in seeds):
                self._add(record, place)

    def _add(self, record, place):
        if "measures" in record:
            self.values[record["method"]][place] = record
            if "lacuna" in record:
                self.builds.add((record["lacuna"]["version"], record["lacuna"]["sum"]))
        else:
            what = next((f"{name}: {record[name]}" for name in ("absent", "failed", "over_limit") if name in record), "unreadable")
            self.troubles.append((f"{place[0]}, seed {place[1]}, {record['method']}", what))

    @property
    def methods(self):
        return list(self.values)

    def settings(self, group=None):
        """Those that have a finished cell, in the order of the study."""
        there = {setting for records in self.values.values() for setting, _ in records}
        return [s for s in SETTINGS.values() if s.name in there and group in (None, s.group)]

    def seeds(self, method, setting):
        return sorted(seed for name, seed in self.values[method] if name == setting)

    def mean(self, method, setting, part, metric):
        """(mean over seeds, its standard error); None where nothing was measured."""
        found = [value(self.values[method][setting, seed], part, metric) for seed in self.seeds(method, setting)]
        return mean_of([x for x in found if x is not None])

    def spread(self, method, setting, part, metric):
        """The standard deviation over seeds."""
        found = self.mean(method, setting, part, metric)
        return math.nan if found is None else found[1] * math.sqrt(len(self.seeds(method, setting)))

    def mean_over(self, method, settings, part, metric):
        """The mean over settings of the means over seeds; None unless all of them were measured."""
        found = [self.mean(method, setting.name, part, metric) for setting in settings]
        found = [x[0] for x in found if x is not None]
        return mean_of(found) if found else None

    def difference(self, method, other, settings, part, metric):
        """The mean difference to another method on the same settings and seeds, and its standard error over settings."""
        by_setting = []
        for setting in settings:
            both = set(self.seeds(method, setting.name)) & set(self.seeds(other, setting.name))
            pairs = [[value(self.values[m][setting.name, seed], part, metric) for m in (method, other)] for seed in both]
            pairs = [a - b for a, b in pairs if a is not None and b is not None]
            if pairs:
                by_setting.append(statistics.fmean(pairs))
        return mean_of(by_setting)


def value(record, part, metric):
    """A number of a record; None where there is none. `part` "seconds" holds those of fit and predict."""
    if part == "seconds":
        return record["seconds"][metric]
    found = record["measures"].get(part, {}).get(metric)
    return math.inf if found == "infinity" else found


def mean_of(values):
    if not values:
        return None
    if math.inf in values:
        return math.inf, math.nan
    spread = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), spread


def seeds(text):
    """0-4 or 0,3,5."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
