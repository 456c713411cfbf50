"""Why a row is informative or not: its numbers are those of predict, and those of a computation of its own."""

import json
import struct
import subprocess

import numpy as np
import pandas as pd
import pytest
from cli_tool import run
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

EXACT = 1e-12


def mixed(n=400, seed=1):
    """Numbers, categories, gaps and three classes; labels are missing where `age` is large."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "age": random.normal(size=n) + 2.0 * truth,
            "size": random.normal(size=n) - 1.5 * truth,
            "town": np.where(random.uniform(size=n) < 0.7, np.array(["Ulm", "Bonn", "Jena"])[truth], "Kiel"),
            "noise": random.normal(size=n),
            "answer": np.array(["a", "b", "c"])[truth],
        }
    )
    for column in ("size", "town", "noise"):
        frame.loc[random.uniform(size=n) < 0.15, column] = np.nan
    hidden = random.uniform(size=n) > np.where(frame["age"] > 3.0, 0.03, 0.6)
    frame.loc[hidden, "answer"] = np.nan
    return frame


MODELS = {
    "stack": (),
    "stack, by densities": ("--region", "densities"),
    "stack, by a classifier": ("--region", "classifier"),
    "stack without trust": ("--trust", "none"),
    "stack, random where ignorant": ("--ignorant", "random"),
    "densities": ("--conditional", "densities"),
    "product form": ("--conditional", "densities", "--posterior", "product"),
    "paper": ("--preset", "paper", "--density", "vb-gmm"),
    "no background": ("--conditional", "densities", "--background", "none"),
    "mcar": ("--method", "mcar-em"),
    "supervised": ("--method", "supervised"),
    "no categories": ("--drop", "town", "--conditional", "densities", "--covariance", "diagonal"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    mixed().to_csv(folder / "train.csv", index=False)
    test = mixed(60, seed=2).drop(columns="answer")
    strange = pd.DataFrame({"age": [40.0, -1e6, np.nan], "size": [0.0, 1.0, np.nan], "town": ["Ulm", "Oslo", np.nan], "noise": 0.0})
    pd.concat([test, strange]).to_csv(folder / "test.csv", index=False)
    return folder


def fit(folder, name, *options):
    model = folder / f"{name}.lacuna"
    if not model.exists():
        run("fit", "train.csv", "-o", model.name, "--label", "answer", "--components", "3", *options, cwd=folder)
    return model.name


def predicted(folder, model, table):
    run("predict", model, table, "-o", "p.npy", "--force", cwd=folder)
    columns = ["prediction", "error_probability", "informative", "log_ratio"]
    array = np.load(folder / "p.npy")
    return pd.DataFrame(array[:, :4], columns=columns), array[:, 4:]


def explained(folder, model, table, row, *options):
    return json.loads(run("explain", model, table, "--row", row, "--json", "-", *options, cwd=folder).stdout)


ROWS = (1, 2, 3, 9, 17, 30, 44, 61, 62, 63)


@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_those_of_predict_and_parts_make_them_up(folder, name):
    model = fit(folder, name, *MODELS[name])
    scores, posterior = predicted(folder, model, "test.csv")
    sources = set()
    for row in ROWS:
        found = explained(folder, model, "test.csv", row)
        expected = scores.iloc[row - 1]
        assert found["row"] == row
        assert found["error_probability"] == expected["error_probability"]
        assert list(found["posterior"].values()) == posterior[row - 1].tolist()
        assert list(found["posterior"]).index(found["prediction"]) == expected["prediction"]
        assert found["informative"] == bool(expected["informative"])
        if np.isfinite(expected["log_ratio"]):
            assert found["log_ratio"] == expected["log_ratio"] and found["strangeness"] < 0.5
        elif expected["log_ratio"] < 0:
            assert found["strangeness"] >= 0.5
        weights = [part["weight"] for part in found["parts"]]
        errors = [part["error_probability"] for part in found["parts"]]
        assert min(weights) > 0.0 and all(-EXACT <= error <= 1.0 + EXACT for error in errors)
        assert sum(weights) == pytest.approx(1.0, abs=EXACT)
        assert np.dot(weights, errors) == pytest.approx(expected["error_probability"], abs=EXACT)
        sources |= {part["source"] for part in found["parts"]}
        by_source = {part["source"]: part["weight"] for part in found["parts"]}
        assert by_source.get("strange", 0.0) == pytest.approx(found["strangeness"], abs=EXACT)
        if found["outside"] is not None:
            outside = (1.0 - found["strangeness"]) * found["outside"]
            assert by_source.get("extrapolated", 0.0) + by_source.get("unknown", 0.0) == pytest.approx(outside, abs=EXACT)
    assert "inside" in sources
    if name in ("stack", "stack, random where ignorant"):
        assert sources == {"inside", "extrapolated", "unknown", "strange"}
    if name in ("densities", "product form"):
        assert sources == {"inside", "unknown", "strange"}


@pytest.mark.parametrize("name", ["stack, by densities", "stack, by a classifier", "densities", "no categories"])
def test_a_column_left_out_is_an_empty_cell(folder, name):
    """What a column does is what predict says of a table in which its cell, or all others, are empty."""
    model = fit(folder, name, *MODELS[name])
    table = pd.read_csv(folder / "test.csv")
    used = [column for column in table if not (column == "town" and name == "no categories")]
    for row in (1, 9, 30):
        found = explained(folder, model, "test.csv", row)
        cells = table.iloc[row - 1]
        present = [column for column in used if pd.notna(cells[column])]
        assert sorted(column["name"] for column in found["columns"]) == sorted(present)
        assert found["effects"] == ("gap" if "classifier" in name else "marginal")
        pushes = [abs(column["push"]) for column in found["columns"]]
        assert pushes == sorted(pushes, reverse=True)
        variants = []
        for column in found["columns"]:
            without, alone = cells.copy(), cells.copy()
            without[column["name"]] = np.nan
            alone[[other for other in table if other != column["name"]]] = np.nan
            variants += [without, alone]
        pd.DataFrame(variants).to_csv(folder / "variants.csv", index=False)
        scores, _ = predicted(folder, model, "variants.csv")
        for place, column in enumerate(found["columns"]):
            for what, log_ratio in zip(("without", "alone"), scores["log_ratio"][2 * place : 2 * place + 2]):
                if np.isfinite(log_ratio):  # predict has -inf for a strange row
                    assert column[what] == pytest.approx(log_ratio, abs=EXACT)
            assert column["push"] == pytest.approx(found["log_ratio"] - column["without"], abs=EXACT)


# --- An independent computation


def tensors(path):
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__")
    return {
        name: np.frombuffer(content[8 + size + about["data_offsets"][0] : 8 + size + about["data_offsets"][1]]).reshape(about["shape"])
        for name, about in header.items()
    }


class Mixture:
    """A Gaussian mixture as the model file holds it, in the units of the columns."""

    def __init__(self, all_tensors, prefix):
        def part(name):
            return all_tensors[prefix + name]

        self.weights = part("prior")[1] + part("rows")
        self.weights = self.weights / self.weights.sum()
        d = part("mean").shape[1]
        self.mean = part("center") + part("scale") * part("mean")
        self.covariance = []
        for packed, nu in zip(part("whitener"), part("degrees_of_freedom")):
            whitener = np.zeros((d, d))
            whitener[np.tril_indices(d)] = packed
            self.covariance.append(np.linalg.inv(nu * whitener.T @ whitener) * np.outer(part("scale"), part("scale")))

    def log_density(self, x, columns):
        """The marginal of these columns, in closed form: other rows and columns of each covariance are struck out."""
        if not columns:
            return 0.0
        logs = [
            np.log(weight) + multivariate_normal.logpdf(x[columns], mean[columns], covariance[np.ix_(columns, columns)])
            for weight, mean, covariance in zip(self.weights, self.mean, self.covariance)
        ]
        return logsumexp(logs)


def test_columns_of_a_gaussian_mixture_in_closed_form(tmp_path):
    random = np.random.default_rng(5)
    mixing = random.normal(size=(3, 3))
    truth = random.integers(0, 2, 600)
    x = random.normal(size=(600, 3)) @ mixing + 2.0 * truth[:, None] * [1.0, 0.5, 0.0] + [100.0, -3.0, 0.0]
    frame = pd.DataFrame(x, columns=["u", "v", "w"])
    frame["y"] = np.where((x[:, 0] < 101.0) & (random.uniform(size=600) < 0.6), np.array(["p", "q"])[truth], None)
    frame.to_csv(tmp_path / "train.csv", index=False)
    options = ("--conditional", "densities", "--density-form", "plug-in", "--components", "3", "--column-shapes", "plain")
    run("fit", "train.csv", "-o", "m", "--label", "y", "--background", "none", *options, cwd=tmp_path)
    held = tensors(tmp_path / "m")
    classes = [Mixture(held, f"classifier/initial/class/{y}/") for y in range(2)]
    unlabeled = Mixture(held, "classifier/initial/unlabeled/")

    def log_ratio(row, columns):
        return max(density.log_density(row, columns) for density in classes) - unlabeled.log_density(row, columns)

    for place in (0, 5, 77, 400):
        found = explained(tmp_path, "m", "train.csv", place + 1)
        row = x[place]
        assert found["log_ratio"] == pytest.approx(log_ratio(row, [0, 1, 2]), abs=1e-8)
        for column in found["columns"]:
            j = "uvw".index(column["name"])
            others = [k for k in range(3) if k != j]
            assert column["without"] == pytest.approx(log_ratio(row, others), abs=1e-8)
            assert column["alone"] == pytest.approx(log_ratio(row, [j]), abs=1e-8)
            assert column["push"] == pytest.approx(log_ratio(row, [0, 1, 2]) - log_ratio(row, others), abs=1e-8)


def test_the_column_by_which_labels_are_missing_pushes_most(tmp_path):
    random = np.random.default_rng(6)
    x = random.normal(size=(1500, 4))
    y = np.where(x[:, 0] + 0.5 * x[:, 1] > 0.0, "yes", "no").astype(object)
    y[(x[:, 2] > 0.5) | (random.uniform(size=1500) < 0.3)] = None
    pd.DataFrame(x, columns=list("abcd")).assign(y=y).to_csv(tmp_path / "train.csv", index=False)
    for name, options in {"densities": ("--conditional", "densities"), "classifier": ("--region", "classifier")}.items():
        run("fit", "train.csv", "-o", name, "--label", "y", *options, cwd=tmp_path)
        for place in np.flatnonzero(x[:, 2] > 1.5)[:10]:
            first = explained(tmp_path, name, "train.csv", place + 1)["columns"][0]
            assert first["name"] == "c" and first["push"] < 0.0


# --- The nearest labeled rows


def test_nearest_labeled_rows(folder):
    model = fit(folder, "densities", *MODELS["densities"])
    train, test = pd.read_csv(folder / "train.csv"), pd.read_csv(folder / "test.csv")
    scale = train[["age", "size", "noise"]].std(ddof=0)
    for row in (1, 9, 30):
        found = explained(folder, model, "test.csv", row, "--train", "train.csv")["nearest"]
        cells = test.iloc[row - 1]
        squares = ((train[scale.index] - cells[scale.index].astype(float)) / scale) ** 2
        town = (train["town"] != cells["town"]).astype(float)
        squares["town"] = town.where(train["town"].notna() & pd.notna(cells["town"]))
        distance = np.sqrt(squares.mean(axis=1)).where(train["answer"].notna()).sort_values(kind="stable").head(5)
        assert [near["row"] - 1 for near in found] == distance.index.tolist()
        assert [near["distance"] for near in found] == pytest.approx(distance.tolist(), rel=1e-9)
        assert [near["label"] for near in found] == train["answer"][distance.index].tolist()
        for near in found:
            differences = squares.loc[near["row"] - 1].sort_values(ascending=False)
            assert list(near["differences"]) == differences[differences > 0.0].index[:3].tolist()


def test_without_the_table_of_the_fit_they_are_not_known(folder):
    model = fit(folder, "densities", *MODELS["densities"])
    assert explained(folder, model, "test.csv", 1)["nearest"] is None
    assert "--train" in run("explain", model, "test.csv", "--row", 1, cwd=folder).stdout


def test_labels_of_a_file(folder, tmp_path):
    train = mixed()
    train.drop(columns=["answer", "town"]).to_csv(tmp_path / "x.csv", index=False)
    train[["answer"]].to_csv(tmp_path / "y.csv", index=False, header=False)
    run("fit", "x.csv", "-o", "m", "--labels", "y.csv", "--conditional", "densities", cwd=tmp_path)
    found = explained(tmp_path, "m", "x.csv", 3, "--train", "x.csv", "--train-labels", "y.csv")
    labeled = np.flatnonzero(train["answer"].notna())
    assert {near["row"] - 1 for near in found["nearest"]} <= set(labeled)
    err = run("explain", "m", "x.csv", "--row", 3, "--train", "x.csv", cwd=tmp_path, code=64).stderr
    assert "--train-labels" in err
    model = fit(folder, "densities", *MODELS["densities"])
    err = run("explain", model, "test.csv", "--row", 1, "--train", "train.csv", "--train-labels", tmp_path / "y.csv", cwd=folder, code=64)
    assert "--train-labels" in err.stderr


def test_tables_of_another_style(folder, tmp_path):
    """Semicolons and decimal commas are seen, or said, for both tables."""
    model = folder / fit(folder, "densities", *MODELS["densities"])
    for name in ("train.csv", "test.csv"):
        table = pd.read_csv(folder / name, float_precision="round_trip")
        table.to_csv(tmp_path / name, sep=";", decimal=",", index=False)
    expected = explained(folder, model.name, "test.csv", 3, "--train", "train.csv")
    assert explained(tmp_path, model, "test.csv", 3, "--train", "train.csv") == expected
    told = ("--separator", ";", "--decimal", ",")
    assert explained(tmp_path, model, "test.csv", 3, "--train", "train.csv", *told) == expected


def test_tables_from_standard_input(folder):
    model = fit(folder, "densities", *MODELS["densities"])
    expected = explained(folder, model, "test.csv", 3, "--train", "train.csv")
    for name, arguments in {"test.csv": ("-", "train.csv"), "train.csv": ("test.csv", "-")}.items():
        with subprocess.Popen(["cat", folder / name], stdout=subprocess.PIPE) as pipe:  # which nobody can rewind
            data, train = arguments
            command = ("explain", model, data, "--row", 3, "--train", train, "--json", "-")
            assert json.loads(run(*command, cwd=folder, stdin=pipe.stdout).stdout) == expected


# --- What cannot be said, and what is printed


@pytest.mark.parametrize("options", [("--density", "gmm"), ("--density", "kde")])
def test_densities_that_need_complete_rows_say_so(tmp_path, options):
    train = mixed().drop(columns="town").dropna(subset=["size", "noise"])
    train.to_csv(tmp_path / "train.csv", index=False)
    for conditional in ("stack", "densities"):
        model = conditional
        run("fit", "train.csv", "-o", model, "--label", "answer", "--conditional", conditional, *options, cwd=tmp_path)
        found = explained(tmp_path, model, "train.csv", 4)
        assert found["effects"] == "none" and found["columns"] == []
        assert any("need complete rows" in sentence for sentence in found["words"])
        total = sum(part["weight"] * part["error_probability"] for part in found["parts"])
        assert total == pytest.approx(found["error_probability"], abs=EXACT)


def test_features_of_maps_are_explained_as_such(tmp_path):
    mixed().drop(columns="town").dropna(subset=["size", "noise"]).to_csv(tmp_path / "train.csv", index=False)
    run("fit", "train.csv", "-o", "m", "--label", "answer", "--features", "standardize,pca:2", cwd=tmp_path)
    found = explained(tmp_path, "m", "train.csv", 4)
    assert found["columns_are_mapped"] and {column["name"] for column in found["columns"]} == {"pc1", "pc2"}
    assert "no other feature" in " ".join(found["words"])


def test_no_unlabeled_rows(tmp_path):
    mixed().dropna(subset=["answer"]).to_csv(tmp_path / "train.csv", index=False)
    run("fit", "train.csv", "-o", "m", "--label", "answer", "--conditional", "densities", cwd=tmp_path)
    found = explained(tmp_path, "m", "train.csv", 4)
    assert found["log_ratio"] is None and found["informative"] and found["columns"] == []
    assert "Every training row had a label" in " ".join(found["words"])


def test_words_and_tables_for_people(folder):
    model = fit(folder, "stack")
    for row in ROWS:
        text = run("explain", model, "test.csv", "--row", row, "--train", "train.csv", cwd=folder).stdout
        for word in ("Predicted '", "log ratio", "The error probability ", "push", "without it", "in all", "nearest labeled rows"):
            assert word in text, (row, word)
    # Row 61 is far from all others by its age alone.
    text = run("explain", model, "test.csv", "--row", 61, cwd=folder).stdout
    assert "unlike all training rows" in text and "Without age (40) its strangeness would be" in " ".join(text.split())


def test_rows_that_there_are_not(folder):
    model = fit(folder, "densities", *MODELS["densities"])
    assert "it has 63" in run("explain", model, "test.csv", "--row", 64, cwd=folder, code=64).stderr
    assert "--row" in run("explain", model, "test.csv", "--row", 0, cwd=folder, code=64).stderr
    assert "--row" in run("explain", model, "test.csv", cwd=folder, code=64).stderr
