#!/usr/bin/python3
"""How the cost of a fit and of a prediction grows with rows, columns, components and classes: processor time of one thread.

    /usr/bin/python3 bench/growth.py [--build build/release] [--json FILE]

One of the four changes at a time; the others stay at what USUAL says. The rows are clouds of all classes, a tenth of them
labeled. Processor time does not wait for other programs, but shares caches with them. `power` is that by which the time grows
from the line before.
"""

import argparse
import json
import math
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

USUAL = {"rows": 10_000, "columns": 5, "components": 7, "classes": 3}
STEPS = {
    "rows": [2_500, 10_000, 40_000, 160_000],
    "columns": [5, 10, 20, 40],
    "components": [7, 14, 28],
    "classes": [2, 4, 8],
}
MODELS = {"densities": ["--conditional", "densities"], "stack": []}
N_PREDICTED = 200_000


def make_rows(n, columns, classes, seed):
    centres = np.random.default_rng(0).normal(size=(classes, 3, columns)) * 2
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, n)
    return centres[truth, random.integers(0, 3, n)] + random.normal(size=(n, columns)), truth


def processor_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(tool, folder, shape):
    """Seconds of a fit, and microseconds of a predicted row, by the kind of model. The number of passes is fixed, so that it
    is their cost that grows."""
    rows, truth = make_rows(shape["rows"], shape["columns"], shape["classes"], 1)
    known = np.random.default_rng(2).uniform(size=len(rows)) < 0.1
    np.save(folder / "train.npy", rows)
    (folder / "labels.csv").write_text("".join(f"{y}\n" if k else "\n" for y, k in zip(truth, known)))
    np.save(folder / "rows.npy", make_rows(N_PREDICTED, shape["columns"], shape["classes"], 3)[0])
    found = {}
    for name, options in MODELS.items():
        fit = [tool, "fit", "train.npy", "--labels", "labels.csv", "-o", name, "--force", "--threads", "1", "--device", "cpu",
               "--components", str(shape["components"]), "--max-iterations", "10", *options]
        predict = [tool, "predict", name, "rows.npy", "-o", "out.npy", "--force", "--threads", "1"]
        found[f"fit, {name}"] = processor_seconds(fit, folder)
        found[f"predict, {name}"] = 1e6 / N_PREDICTED * processor_seconds(predict, folder)
    return found


def show(name, results):
    kinds = list(next(iter(results.values())))
    print(f"\n| {name} | " + " | ".join(f"{kind}, {'s' if kind.startswith('fit') else 'us a row'} | power" for kind in kinds) + " |")
    print("|" + "---|" * (1 + 2 * len(kinds)))
    before = None
    for step, of in results.items():
        cells = []
        for kind in kinds:
            power = "" if before is None else f"{math.log(of[kind] / before[1][kind]) / math.log(step / before[0]):.2f}"
            cells += [f"{of[kind]:.3g}", power]
        print(f"| {step:,} | " + " | ".join(cells) + " |", flush=True)
        before = step, of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[1] / "build/release")
    parser.add_argument("--only", nargs="+", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tool = str((arguments.build / "lacuna").resolve())
    found, known = {}, {}

    def measured(shape):
        key = tuple(shape.values())
        if key not in known:
            known[key] = measure(tool, Path(folder), shape)
        return known[key]

    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only:
            found[name] = {step: measured({**USUAL, name: step}) for step in STEPS[name]}
            show(name, found[name])
            if arguments.json:
                arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
