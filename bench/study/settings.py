"""What the study tries: a setting is a table, a rule of missingness and a severity."""

import functools
import zlib
from dataclasses import dataclass
from typing import Optional

import numpy as np

import datasets
import images
import rules
import simulated


@dataclass(frozen=True)
class Setting:
    name: str
    group: str
    table: str
    rule: str  # one of rules.RULES, "lot", "own" (the table's), or the text of a threshold
    severity: str
    threshold: Optional[tuple] = None  # column, side where labels are common, value
    shares: Optional[tuple] = None  # of labels where common and where seldom; None: by severity and size of the table


# The eight settings of real tables that decide first. Labels: 20 % where they are common and 0.2 % elsewhere; by lot 10 %.
_EIGHT = {
    "adult-age": ("adult", ("age", ">=", 38)),
    "adult-edu": ("adult", ("education_num", "<=", 10)),
    "credit-limit": ("credit_default", ("LIMIT_BAL", ">=", 140000)),
    "credit-pay": ("credit_default", ("PAY_0", "<=", 0)),
    "htru2-mean": ("htru2", ("meanprof", "<=", 115)),
    "adult-mcar": ("adult", None),
    "credit-mcar": ("credit_default", None),
    "htru2-mcar": ("htru2", None),
}


def _eight():
    for name, (table, threshold) in _EIGHT.items():
        if threshold is None:
            yield Setting(name, "eight", table, "lot", "lot", None, (0.1, 0.1))
        else:
            yield Setting(name, "eight", table, "{} {} {}".format(*threshold), "strong", threshold, (0.2, 0.002))


#: Labels in the toys: half of the rows that can be labeled (about 250), and by lot 200 or 500 of 2,000 rows.
_TOY_SHARES = {"quadrants": (0.5, 0.0), "coin": (0.5, 0.0), "noise-2": (0.1, 0.1), "noise-8": (0.25, 0.25), "noise-20": (0.25, 0.25)}


def _toys():
    for name, shares in _TOY_SHARES.items():
        rule, severity = ("lot", "lot") if name.startswith("noise") else ("own", "never")
        yield Setting(name, "toys", name, rule, severity, None, shares)


#: How much rarer labels are where they are seldom.
SEVERITIES = {"mild": 0.1, "strong": 0.01, "never": 0.0}
SWEEP_TABLES = (*datasets.FILES, *datasets.BUNDLED, *datasets.R_FILES, *simulated.DRAWN)
MOST_ROWS = 6000  # of a table in the sweep: many tables say more than many rows


def _sweep(group, tables):
    for table in tables:
        for rule in rules.RULES:
            for severity in SEVERITIES:
                yield Setting(f"{table}/{rule}/{severity}", group, table, rule, severity)
        yield Setting(f"{table}/lot", group, table, "lot", "lot")


SETTINGS = {s.name: s for s in (*_eight(), *_toys(), *_sweep("sweep", SWEEP_TABLES), *_sweep("images", images.NAMES))}
GROUPS = ("eight", "toys", "sweep", "images")


# Which cells may choose defaults, and which report (docs/defaults.md). No cell does both.

CHOOSING_SEEDS = (0, 1)
CHOOSING_TABLES = frozenset(
    ("adult", "credit_default", "htru2", "digits", "wine", "pima", "vehicle", "letter", "house_votes", "blobs-3x5", "mixed",
     "glass", "soybean", "musk", "german_credit", "cells", "dhfr", "uneven", "quadrants", "coin", "noise-2", "noise-8", "noise-20", "fashion-mnist-pca")
)  # fmt: skip
REPORTED_FROM_SEED = {"eight": 2, "toys": 2}  # their tables choose as well: other seeds report


def purpose(setting, seed):
    """choosing, reporting, or None: a cell that is for neither."""
    if setting.table in CHOOSING_TABLES and seed in CHOOSING_SEEDS:
        return "choosing"
    if setting.group in REPORTED_FROM_SEED:
        return "reporting" if seed >= REPORTED_FROM_SEED[setting.group] else None
    return None if setting.table in CHOOSING_TABLES else "reporting"


# A setting at a seed

def shares_of(setting, n_train):
    """The shares of labels: those of the setting, or about 150 labels in a small table and 20 % in a large one."""
    if setting.shares is not None:
        return setting.shares
    common = float(np.clip(300 / n_train, 0.2, 0.5))
    return (common / 2, common / 2) if setting.rule == "lot" else (common, common * SEVERITIES[setting.severity])


@functools.lru_cache(maxsize=2)
def prepared(setting, seed, folders, cache):
    """The table, what the rule hid of it, and the shares of labels. Raises data_table.Absent."""
    table = datasets.load(setting.table, seed, folders, cache)
    if setting.group in ("sweep", "images"):
        table = table.some_rows(MOST_ROWS)
    shares = shares_of(setting, table.n_train or len(table.y) // 2)
    return table, rules.hide(_depth(setting, table, seed), shares, seed, table.n_train), shares


def _depth(setting, table, seed):
    if setting.rule == "own":
        return table.depth
    if setting.rule == "lot":
        return rules.by_lot(len(table.y))
    if setting.threshold is not None:
        column, side, value = setting.threshold
        return rules.one_sided(table.X[column], side, value)
    # The same region for every severity.
    key = zlib.crc32(f"{setting.table}/{setting.rule}".encode())
    return rules.draw(setting.rule, table, np.random.default_rng([seed, key]))
