"""Tables with categories and missing values through the tool, and what is said about them."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_tool import blobs, run


def holes(frame, seed=0, share=0.3):
    random = np.random.default_rng(seed)
    frame = frame.copy()
    for column in ("height", "weight", "town"):
        frame.loc[random.uniform(size=len(frame)) < share, column] = np.nan
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    holes(blobs()).to_csv(folder / "train.csv", index=False)
    run("fit", "train.csv", "-o", "model", "--label", "answer", "--drop", "group", cwd=folder)
    return folder


def predict(folder, text, code=0, model="model"):
    (folder / "rows.csv").write_text(text)
    done = run("predict", model, "rows.csv", "-o", "out.csv", "--force", cwd=folder, code=code)
    return done, pd.read_csv(folder / "out.csv") if code == 0 else None


def test_fit_tells_of_gaps_and_info_of_categories(folder):
    told = run("fit", "train.csv", "-o", "again", "--label", "answer", "--drop", "group", cwd=folder).stderr
    assert "feature cells are missing, in 'height', 'weight', 'town'" in told
    assert "'town' holds 3 categories" in told
    text = run("info", "model", cwd=folder).stdout
    assert "town: one of" in text and "one-hot" not in text
    assert "columns (3 features)" in text


def test_a_row_is_judged_by_what_is_there(folder):
    _, found = predict(folder, "height,weight,town\n4,,\n0,,\n,,Aachen\n,,\n")
    assert list(found["prediction"][:2]) == ["yes", "no"]
    assert (found["error_probability"][:2] < 0.1).all()
    assert (found["error_probability"][2:] > 0.3).all()


def test_a_row_without_values_gets_the_class_probabilities(folder):
    run("fit", "train.csv", "-o", "supervised", "--label", "answer", "--drop", "group", "--method", "supervised",
        "--force", cwd=folder)
    _, found = predict(folder, "height,weight,town\n,NA,?\n", model="supervised")
    share = (pd.read_csv(folder / "train.csv")["answer"].dropna() == "yes").mean()
    assert found["p_yes"][0] == pytest.approx(share, abs=1e-12)


def test_an_unseen_category_counts_as_missing_and_is_told(folder):
    done, found = predict(folder, "height,weight,town\n3.5,0.2,Atlantis\n3.5,0.2,\n")
    assert "1 cell holds a category that the training table did not have" in done.stderr
    assert found.iloc[0].equals(found.iloc[1])


def test_maps_that_need_complete_rows_say_so(folder):
    done = run("fit", "train.csv", "-o", "reduced", "--label", "answer", "--drop", "group", "--features", "pca:2",
               cwd=folder, code=65)
    assert "column 'height'" in done.stderr and "pca" in done.stderr and "fill it in" in done.stderr
    blobs().to_csv(folder / "complete.csv", index=False)
    run("fit", "complete.csv", "-o", "reduced", "--label", "answer", "--drop", "group", "--features",
        "standardize,pca:2", cwd=folder)
    assert "one-hot encoded" in run("info", "reduced", cwd=folder).stdout
    done, _ = predict(folder, "height,weight,town\n1,2,Aachen\n1,,Aachen\n", code=65, model="reduced")
    assert "row 2, column 'weight'" in done.stderr and "pca" in done.stderr


def test_complete_rows_do_not_depend_on_rows_with_gaps_beside_them(folder):
    rows = ["1.5,0.3,Aachen", "0.2,-1,Köln"]
    _, alone = predict(folder, "height,weight,town\n" + "\n".join(rows) + "\n")
    _, mixed = predict(folder, "height,weight,town\n,1,\n" + "\n,,Köln\n".join(rows) + "\n")
    assert mixed.iloc[[1, 3]].reset_index(drop=True).equals(alone)


def test_pages_of_mixed_tables_with_gaps(tmp_path):
    """Pictures and words take categories as flags and gaps as means; the numbers do not."""
    rng = np.random.default_rng(1)
    n = 1200
    colour = rng.choice(["red", "green", "<b>blue</b>"], n)
    is_red = colour == "red"
    table = pd.DataFrame({"x1": rng.normal(size=n) + 2 * is_red, "x2": rng.normal(size=n), "colour": colour,
                          "label": np.where(is_red, "yes", "no")})
    table["region"] = np.where(table.x2 > 1, "far", "near")
    for column in ("x1", "x2", "colour"):
        table.loc[rng.random(n) < 0.2, column] = np.nan
    train, test = table[:800].copy(), table[800:].copy()
    train.loc[(train.region == "far") | (rng.random(800) < 0.5), "label"] = np.nan
    train.drop(columns="region").to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    run("compare", "train.csv", "test.csv", "--label", "label", "--stratum", "region", "--out", "comparison",
        cwd=tmp_path)
    page = (tmp_path / "comparison" / "report.html").read_text()
    assert "<b>blue</b>" not in page
    metrics = json.loads((tmp_path / "comparison" / "metrics.json").read_text())
    assert "NaN" not in json.dumps(metrics)


def test_fit_and_info_tell_which_columns_have_another_shape(tmp_path):
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"gain": np.where(random.uniform(size=400) < 0.5, 0, np.exp(2 * random.normal(size=400)))})
    frame["age"] = random.normal(size=400)
    frame["answer"] = np.where(frame["gain"] > 1, "yes", "no")
    frame.loc[200:, "answer"] = np.nan
    frame.to_csv(tmp_path / "train.csv", index=False)
    fit = ("fit", "train.csv", "-o", "model", "--label", "answer", "--conditional", "densities", "--force")
    note = "note: columns taken as a spike and a number: gain (0); columns on a log-like scale: gain\n"
    assert note in run(*fit, cwd=tmp_path).stderr
    assert note in run("info", "model", cwd=tmp_path).stdout
    run("predict", "model", "train.csv", "-o", "out.csv", cwd=tmp_path)
    assert "note" not in run(*fit, "--column-shapes", "plain", cwd=tmp_path).stderr
