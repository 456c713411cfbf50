"""What is run: commands that each write files, and the tables they read."""

import random
from dataclasses import dataclass

# Small densities, and no boosting: XGBoost's own threads are not ours to keep alive where memory ends.
SMALL = "--label answer --conditional densities --density gmm --components 1 --draws 1 --folds 2 --threads 1".split()
PROMISES = "--sets 0.9 --risk 0.2 --confidence 0.9 --threads 1".split()
VAE = "--features standardize,vae:1 --vae-likelihood gaussian --vae-hidden 8 --vae-epochs 40".split()


@dataclass(frozen=True)
class Operation:
    name: str
    arguments: tuple
    outputs: tuple  # in the folder out
    checkpoint: str = ""  # a file that the next run goes on from, and then removes
    prints: bool = False  # what it makes goes to standard output


def operation(name, words, *outputs, **more):
    arguments = [part for word in words for part in ([word] if isinstance(word, str) else word)]
    return Operation(name, tuple(arguments), outputs, **more)


MODELS = tuple(f"{method}.lacuna" for method in ("supervised", "mcar-em", "mcar-sampling", "mar"))
OPERATIONS = {
    each.name: each
    for each in (
        operation("fit", ["fit", "train.csv", "-o", "out/m", "--json", "out/m.json", SMALL], "m", "m.json"),
        operation("fit-stream", ["fit", "train-*.csv", "-o", "out/m", "--memory", "1M", SMALL], "m"),
        operation("fit-stack", ["fit", "train.csv", "-o", "out/m", "--label", "answer", "--threads", "2"], "m"),
        operation("fit-vae", ["fit", "train.csv", "-o", "out/m", SMALL, VAE], "m", checkpoint="m.checkpoint"),
        operation("predict", ["predict", "model", "test.csv", "-o", "out/p.csv", "--threads", "1"], "p.csv"),
        operation("predict-sets", ["predict", "stack", "test.csv", "-o", "out/p.csv", PROMISES], "p.csv"),
        operation("predict-print", ["predict", "model", "test.csv", "-o", "-"], prints=True),
        operation("diagnose", ["diagnose", "train.csv", "--label", "answer", "--json", "out/d.json"], "d.json"),
        operation("advise", ["advise", "model", "train.csv", "-n", "5", "-o", "out/a.csv"], "a.csv"),
        operation("explain", ["explain", "model", "test.csv", "--row", "3", "--train", "train.csv", "--json", "out/x.json"], "x.json"),
        operation("evaluate", ["evaluate", "model", "test.csv", "--label", "answer", "--json", "out/e.json"], "e.json"),
        operation(
            "report",
            ["evaluate", "model", "test.csv", "--label", "answer", "--json", "out/e.json", "--report", "out/e.html"],
            *("e.json", "e.html"),
        ),
        operation(
            "compare",
            ["compare", "train.csv", "test.csv", "--out", "out", "--models", SMALL],
            *("metrics.json", "report.html", *MODELS),
        ),
        operation(
            "simulate",
            "simulate x.csv --labels y.txt --protocol mcar --labeled 20 --rare yes -o out/s.csv".split(),
            *("s.csv", "s-strata.csv"),
        ),
    )
}


def table(n_rows, seed, labeled):
    """Two numbers and a class, which is missing in some rows."""
    source = random.Random(seed)
    lines = ["height,weight,answer"]
    for _ in range(n_rows):
        truth = source.randrange(2)
        label = ("no", "yes")[truth] if source.random() < labeled else ""
        lines.append(f"{source.gauss(3.0 * truth, 1.0):.6f},{source.gauss(0.0, 1.0):.6f},{label}")
    return "\n".join(lines) + "\n"


def write_inputs(folder, n_rows):
    train = table(n_rows, 1, 0.5)
    (folder / "train.csv").write_text(train)
    header, *rows = train.splitlines(keepends=True)
    for name, part in (("1", rows[: n_rows // 2]), ("2", rows[n_rows // 2 :])):
        (folder / f"train-{name}.csv").write_text(header + "".join(part))
    full = table(n_rows, 2, 1.0)
    (folder / "test.csv").write_text(full)
    features, labels = zip(*(line.rsplit(",", 1) for line in full.splitlines()))
    (folder / "x.csv").write_text("\n".join(features) + "\n")
    (folder / "y.txt").write_text("\n".join(labels[1:]) + "\n")
