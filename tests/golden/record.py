"""Records the golden files with a build of lacuna 0.1: record.py TOOL COMMIT, with its Python package in PYTHONPATH.

The files say what version 0.1 did. A later build is compared with them, so it must not write them: another version is
refused. COMMIT is what TOOL was built from; the manifest keeps it. Tables that are there are kept, because another numpy
may draw other numbers; so is everything else unless --force is given.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import golden
import numpy as np
from recording import lasting_json, run, write

SMALL_MIXTURE = ["--components", "3", "--draws", "2"]
SMALL = {
    "vb-gmm": SMALL_MIXTURE,
    "gmm": SMALL_MIXTURE,
    "kde": ["--draws", "2"],
    "dp-gmm": ["--draws", "2", "--dp-iterations", "20", "--dp-burn-in", "10", "--dp-draws", "2"],
}
METHODS = ["mar", "mcar-sampling", "mcar-em", "supervised"]
# A GPU would round otherwise.
SMALL_VAE = ["--vae-epochs", "3", "--vae-batch", "16", "--vae-learning-rate", "0.01", "--device", "cpu", *SMALL_MIXTURE]
MLP = ["--features", "vae:2", "--vae-hidden", "8", *SMALL_VAE]


# --- The tables


def write_table(path, columns):
    """None is an empty cell."""
    lines = [",".join(columns)]
    lines += [",".join("" if cell is None else str(cell) for cell in row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n")


def plane(random, n, has_all_labels):
    """Three clouds in the plane. One in two rows below y = 2 has a label, and one in ten of the others to the left."""
    kind = random.integers(0, 3, n)
    place = np.array([[-1.5, 0.0], [1.5, 0.0], [0.0, 3.0]])[kind] + random.normal(size=(n, 2)) * [1.0, 0.8]
    share = np.where(place[:, 1] < 2.0, 0.5, np.where(place[:, 0] < 0.0, 0.1, 0.0))
    labeled = has_all_labels | (random.uniform(size=n) < share)
    columns = {
        "x": place[:, 0].round(3),
        "y": place[:, 1].round(3),
        "kind": ["abc"[k] if is_labeled else None for k, is_labeled in zip(kind, labeled, strict=True)],
    }
    if has_all_labels:
        columns["region"] = np.where(place[:, 1] < 2.0, "labeled", "not labeled")
    return columns


def mixed(random, n, has_all_labels):
    """Numbers and categories that depend on the class. Weight, pet and zone have gaps, height and town have none."""
    kind = random.integers(0, 2, n)
    height = random.normal(size=n) + 2.5 * kind
    weight = random.normal(size=n) * 10.0 + 70.0 + 5.0 * height
    pets = np.where(random.uniform(size=n) < 0.7, kind, random.integers(0, 3, n))
    labeled = has_all_labels | ((height < 2.0) & (random.uniform(size=n) < 0.6))

    def with_gaps(cells, share):
        return [None if gap else cell for cell, gap in zip(cells, random.uniform(size=n) < share, strict=True)]

    return {
        "height": height.round(3),
        "weight": with_gaps(weight.round(1), 0.15),
        "pet": with_gaps([["cat", "dog", "no pet"][pet] for pet in pets], 0.1),
        "zone": with_gaps(random.integers(1, 4, n), 0.05),
        "town": random.choice(["Aachen", "Bremen", "Ulm"], n),
        "kind": [["no", "yes"][k] if is_labeled else None for k, is_labeled in zip(kind, labeled, strict=True)],
    }


def images(random, n, has_all_labels):
    """Pictures of 8 by 8 pixels: an upright bar or a level bar, somewhere. Bars near the far edge have no label."""
    kind = random.integers(0, 2, n)
    place = random.uniform(1.0, 6.0, n)
    pixel = np.arange(8)
    bar = np.exp(-((pixel[None, :] - place[:, None]) ** 2))
    picture = np.where(kind[:, None, None] == 0, bar[:, None, :], bar[:, :, None]) * np.ones((1, 8, 8))
    picture = np.clip(0.9 * picture + random.uniform(0.0, 0.1, (n, 8, 8)), 0.0, 1.0).reshape(n, 64).round(2)
    labeled = has_all_labels | ((place < 4.5) & (random.uniform(size=n) < 0.7))
    columns = {f"p{j}": picture[:, j] for j in range(64)}
    columns["kind"] = [["upright", "level"][k] if is_labeled else None for k, is_labeled in zip(kind, labeled, strict=True)]
    return columns


TABLES = {"plane": (plane, 150, 40), "mixed": (mixed, 150, 40), "images": (images, 120, 30)}


def record_tables():
    for seed, (name, (make, n_train, n_test)) in enumerate(TABLES.items(), 1):
        random = np.random.default_rng(seed)
        for part, n, has_all_labels in (("train", n_train, False), ("test", n_test, True)):
            path = golden.table(name, part)
            columns = make(random, n, has_all_labels)
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                write_table(path, columns)


# --- The cases


def all_cases():
    """One fit each. Some also keep what `evaluate` and the record of the fit say."""
    cases = {}

    def add(name, table, *options, evaluate=None, record=False):
        assert name not in cases, name
        cases[name] = {"table": table, "options": list(options), "evaluate": evaluate, "record": record}

    add("defaults", "plane", evaluate=[], record=True)
    # One record per method, and per family.
    recorded = {("mar", "dp-gmm"), ("mcar-em", "gmm"), ("supervised", "kde"), ("mcar-sampling", "vb-gmm")}
    for method in METHODS:
        for family, small in SMALL.items():
            record = (method, family) in recorded
            add(f"{method}-{family}", "plane", "--method", method, "--density", family, *small, record=record)

    def add_vb(name, *options, table="plane", **more):
        add(f"vb-{name}", table, *SMALL_MIXTURE, *options, **more)

    for covariance in ("tied", "diagonal", "spherical"):  # above it is full
        add_vb(covariance, "--covariance", covariance)
        add(f"gmm-{covariance}", "plane", "--density", "gmm", *SMALL_MIXTURE, "--covariance", covariance)
    add_vb("stick-breaking", "--weight-prior", "stick-breaking")
    add_vb("plug-in", "--density-form", "plug-in")
    add_vb("expected-log", "--density-form", "expected-log")
    add_vb("product", "--posterior", "product")
    add("vb-soft", "plane", "--components", "3", "--draws", "soft")
    add_vb("kappa", "--kappa", "0.5", table="mixed")
    add_vb("kappa-low", "--kappa", "-2")
    add_vb("kappa-auto", "--kappa", "auto:0.2", "--folds", "3")
    add("vb-auto", "plane", "--draws", "2", "--components", "auto")
    add_vb("own-covariance", "--own-covariance")
    add_vb("priors", "--weight-concentration", "0.1", "--mean-precision", "2", "--degrees-of-freedom", "4",
           "--covariance-scale", "0.5")  # fmt: skip
    add_vb("search", "--restarts", "2", "--max-iterations", "5", "--tolerance", "0.001", "--seed", "7")
    add("vb-paper", "plane", "--preset", "paper", evaluate=["--stratum", "region"])
    add_vb("unseen-class", "--classes", "d,c")
    add_vb("missing-label", "--missing-label", "c")
    add_vb("short-em", "--method", "mcar-em", "--max-em-iterations", "2", "--em-tolerance", "0.01")
    add("gmm-floor", "plane", "--density", "gmm", *SMALL_MIXTURE, "--covariance-floor", "0.01")
    # Above it is likelihood. In the plane the other two rules agree, so they have three features here.
    for bandwidth in ("silverman", "scott"):
        add(f"kde-{bandwidth}", "images", "--features", "pca:3", "--density", "kde", *SMALL["kde"], "--kde-bandwidth", bandwidth)
    add("kde-exact", "plane", "--density", "kde", *SMALL["kde"], "--kde-tolerance", "0")
    add("dp-priors", "plane", "--density", "dp-gmm", *SMALL["dp-gmm"], "--dp-separation", "2", "--dp-concentration", "1")

    for method in METHODS:
        evaluate = ["--stratum", "town"] if method == "mar" else None
        add_vb(f"mixed-{method}", "--method", method, table="mixed", evaluate=evaluate)
    add_vb("mixed-categories", "--categorical", "zone", "--category-concentration", "2", table="mixed")
    add_vb("mixed-diagonal", "--covariance", "diagonal", "--categorical", "zone", table="mixed")
    # Without the columns that have gaps; categories become zeros and ones.
    complete = ["--drop", "weight,pet,zone"]
    add("gmm-one-hot", "mixed", *complete, "--density", "gmm", *SMALL_MIXTURE)
    add_vb("pca-one-hot", *complete, "--features", "pca:2", table="mixed")

    # Above it is standardize. As the last map the density does it itself, before another one it is saved.
    add("vb-no-map", "plane", "--features", "none", "--components", "2", "--draws", "2")
    add_vb("pca", "--features", "pca:0.8")
    calibrate = ["--calibrate", "temperature"]
    for name, maps in {"pca": "pca:2", "pca-share": "pca:0.95", "standardize-pca": "standardize,pca:2"}.items():
        add_vb(f"images-{name}", "--features", maps, table="images", evaluate=calibrate if name == "pca" else None)
    add("vae-mlp", "images", *MLP, record=True)
    add("vae-sample", "images", *MLP, "--encoding", "sample", "--seed", "3")
    add("vae-tanh-gaussian", "images", *MLP, "--vae-activation", "tanh", "--vae-likelihood", "gaussian")
    add("vae-sigmoid-cosine", "images", *MLP, "--vae-activation", "sigmoid", "--vae-schedule", "cosine", "--vae-kl-warmup", "2",
        "--vae-decoder-hidden", "6,8", "--vae-patience", "1", "--vae-validation", "0.1")  # fmt: skip
    add("vae-conv", "images", "--features", "vae:2", "--vae-architecture", "conv", "--vae-channels", "2,3",
        "--vae-hidden", "6", *SMALL_VAE)  # fmt: skip
    add("vae-after-standardize", "plane", "--features", "standardize,vae:2", "--vae-hidden", "4",
        "--vae-likelihood", "gaussian", *SMALL_VAE)  # fmt: skip
    return cases


# --- The recording


def record_case(tool, name, case, folder):
    model = folder / f"{name}.lacuna"
    record = run(tool, [*golden.fit_arguments(case, model), "--json", "-"])
    if case["record"]:
        write(golden.record_file(name), lasting_json(record))
    write(golden.predictions_file(name), run(tool, golden.predict_arguments(case, model)))
    if case["evaluate"] is not None:
        write(golden.evaluation_file(name), lasting_json(run(tool, golden.evaluate_arguments(case, model))))
    golden.model_file(name).parent.mkdir(exist_ok=True)
    shutil.copyfile(model, golden.model_file(name))


def check_that_cases_differ(cases):
    """An option that changes nothing proves nothing: a build that mixed it up with another would pass."""
    seen = {}
    for name in cases:
        other = seen.setdefault(golden.predictions_file(name).read_text(), name)
        if other != name:
            raise SystemExit(f"record: {name} predicts the same as {other}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", type=Path)
    parser.add_argument("commit")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    given = parser.parse_args()
    version = run(given.tool, ["--version"]).split()[1]
    if not version.startswith("0.1."):
        raise SystemExit(f"record: this is lacuna {version}; the golden files are those of 0.1")
    if (golden.FOLDER / "cases.json").exists() and not given.force:
        raise SystemExit("record: the golden files are there; --force replaces them")
    record_tables()
    cases = all_cases()
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases.items():
            record_case(given.tool, name, case, Path(folder))
    check_that_cases_differ(cases)
    lines = ",\n".join(f'  "{name}": {json.dumps(case)}' for name, case in cases.items())
    made_by = {"version": version, "commit": given.commit, "instruction_set": golden.instruction_sets()[-1]}
    head = "".join(f'"{name}": "{value}",\n' for name, value in made_by.items())
    (golden.FOLDER / "cases.json").write_text(f'{{\n{head}"cases": {{\n{lines}\n}}\n}}\n')


if __name__ == "__main__":
    main()
