"""A cell of the study: one setting, one seed, one method. Its record is a JSON file that is there completely or not at all."""

import json
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import measures
import ours
import peers
from case import Case
from data_table import Absent
from settings import SETTINGS, prepared

#: Raised when tables, rules, peers or measures change: records of another version are made again.
VERSION = 1


@dataclass(frozen=True)
class Cell:
    setting: str
    seed: int
    method: str
    options: str = None  # JSON, for ours alone

    def path(self, out):
        return Path(out) / "cells" / self.setting / f"seed-{self.seed}" / f"{self.method}.json"

    def __str__(self):
        return f"{self.setting}, seed {self.seed}, {self.method}"

    def identity(self):
        """What must be the same for a record to be this cell's."""
        found = {"study": VERSION, "setting": self.setting, "seed": self.seed, "method": self.method}
        if self.options is not None:
            found |= {"options": json.loads(self.options), "lacuna": ours.build()}
        return found


def is_finished(cell, out, limit):
    """Whether a record is there that a new run would only repeat. What failed or was absent is tried again."""
    record = read(cell.path(out))
    if record is None or any(record.get(name) != value for name, value in cell.identity().items()):
        return False
    return "measures" in record or record.get("over_limit", 0) >= limit


def read(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def write(cell, out, **found):
    path = cell.path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    with open(part, "w", encoding="utf-8") as file:
        json.dump(plain({**cell.identity(), **found}), file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def plain(value):
    """With numbers that JSON has; infinity and what nobody knows as lacuna writes them."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "infinity"
    return value


def run(cell, out, folders):
    """Runs a cell and writes its record. A failure is a record too."""
    try:
        found = _found(cell, out, folders)
    except Absent as error:
        found = {"absent": str(error)}
    except Exception as error:  # whatever a peer stumbles over is a result of the study, not its end
        found = {"failed": f"{type(error).__name__}: {error}"}
    write(cell, out, **found)
    return found


def _found(cell, out, folders):
    setting = SETTINGS[cell.setting]
    table, hidden, shares = prepared(setting, cell.seed, tuple(folders), str(Path(out) / "features"))
    y = np.where(hidden.seen, table.y[hidden.train], -1)
    case = Case(table.X.iloc[hidden.train].reset_index(drop=True), y, table.n_classes, cell.seed)
    n_labeled_classes = len(np.unique(case.labels))
    if n_labeled_classes < 2:
        raise ValueError("fewer than two classes have labels")
    answers, seconds, note = _answers(cell, case, table.X.iloc[hidden.test].reset_index(drop=True))
    _check(*answers)
    return {
        "table": setting.table,
        "rule": setting.rule,
        "severity": setting.severity,
        "shares": shares,
        "counts": {"labeled": len(case.labels), "unlabeled": len(y) - len(case.labels), "test": len(hidden.test),
                   "classes": table.n_classes, "classes_with_labels": n_labeled_classes},
        "measures": measures.measure_parts(hidden.depth[hidden.test], table.y[hidden.test], *answers),
        "seconds": seconds,
        "note": note,
    }  # fmt: skip


def _answers(cell, case, X):
    """Probabilities, predictions and error probabilities; processor seconds, which other programs do not stretch; a note."""
    started = time.process_time()
    if cell.options is not None:
        model, note = ours.fit(json.loads(cell.options), case), None
    else:
        model, note = peers.PEERS[cell.method](case)
    fitted = time.process_time()
    if cell.options is not None:
        answers = ours.answers(model, X)
    else:
        probabilities = peers.probabilities_of(model, X, case.n_classes)
        answers = probabilities, probabilities.argmax(axis=1), 1.0 - probabilities.max(axis=1)
    return answers, {"fit": fitted - started, "predict": time.process_time() - fitted}, note


def _check(probabilities, prediction, error_probability):
    if not (np.isfinite(probabilities).all() and np.abs(probabilities.sum(axis=1) - 1.0).max() < 1e-6):
        raise ValueError("probabilities that do not add up to one")
