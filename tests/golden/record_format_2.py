"""Records models of format 2 and what they predict: record_format_2.py TOOL. Once there, a case is never recorded again: a later build
must read it. Cases may be added."""

import argparse
import json
import os
import tempfile
from pathlib import Path

import golden
import numpy as np
from record import MLP, write_table
from recording import run, write

CASES = {
    "defaults": ("plane", []),
    "mixed-defaults": ("mixed", []),
    "worst": ("mixed", ["--trust", "worst", "--draws", "2"]),
    "region-classifier": ("mixed", ["--region", "classifier"]),
    "gaps-filled-by-lot": ("plane", ["--ignorant", "random", "--trust", "none"]),
    "shapes": ("tailed", ["--draws", "2"]),
    "shrunk": ("plane", ["--conditional", "densities", "--shrinkage", "0.3", "--components", "3"]),
    "gmm": ("plane", ["--density", "gmm", "--components", "3"]),
    "kde": ("plane", ["--density", "kde"]),
    "dp-gmm": ("plane", ["--density", "dp-gmm", "--dp-iterations", "20", "--dp-burn-in", "10", "--dp-draws", "2"]),
    "pca": ("images", ["--features", "pca:3"]),
    "vae": ("images", MLP),
}


def tailed(random, n, has_all_labels):
    """Two classes, a number with a long tail, one that is often zero, and one category among many."""
    kind = random.integers(0, 2, n)
    income = np.exp(random.normal(size=n) * 1.2 + kind)
    gain = np.where(random.uniform(size=n) < 0.7, 0.0, np.exp(random.normal(size=n) + 2.0 * kind))
    labeled = has_all_labels | ((income < 3.0) & (random.uniform(size=n) < 0.7))
    return {
        "income": income.round(3),
        "gain": gain.round(3),
        "street": [f"s{number}" for number in random.integers(0, 25, n)],
        "kind": [["no", "yes"][k] if is_labeled else None for k, is_labeled in zip(kind, labeled, strict=True)],
    }


def record_tables():
    random = np.random.default_rng(4)
    for part, n, has_all_labels in (("train", 200, False), ("test", 40, True)):
        columns = tailed(random, n, has_all_labels)
        if not golden.table("tailed", part).exists():
            write_table(golden.table("tailed", part), columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", type=Path)
    tool = parser.parse_args().tool
    os.environ.update(golden.recorded_environment())
    record_tables()
    cases = golden.format_2_cases() if golden.FORMAT_2.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (table, options) in CASES.items():
            if name in cases:
                continue
            cases[name] = {"table": table, "options": options}
            model = Path(folder) / f"{name}.lacuna"
            run(tool, golden.fit_arguments(cases[name], model))
            write(golden.format_2_file(name, "csv"), run(tool, golden.predict_arguments(cases[name], model)))
            golden.format_2_file(name, "lacuna").write_bytes(model.read_bytes())
    lines = ",\n".join(f'"{name}": {json.dumps(case)}' for name, case in cases.items())
    write(golden.FORMAT_2, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
