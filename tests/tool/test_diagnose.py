"""lacuna diagnose, as a user runs it."""

import json

import numpy as np
import pandas as pd
from cli_tool import blobs, run


def lenders_table(n=1500, seed=2):
    """Who has a label is decided by a limit, and in one branch nobody was asked."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "limit": random.integers(10, 500, n) * 1000,
            "branch": random.choice(["north", "south", "harbour"], n),
            "age": np.where(random.uniform(size=n) < 0.1, np.nan, random.integers(20, 70, n)),
        }
    )
    truth = np.where(frame["limit"] / 1000 + random.normal(0, 100, n) > 250, "paid", "default")
    known = (frame["branch"] != "harbour") & (random.uniform(size=n) < np.where(frame["limit"] > 200_000, 0.6, 0.1))
    frame["outcome"] = np.where(known, truth, "")
    return frame


def test_words_and_document(tmp_path):
    lenders_table().to_csv(tmp_path / "loans.csv", index=False)
    text = run("diagnose", "loans.csv", "--label", "outcome", "--json", "d.json", cwd=tmp_path).stdout
    document = json.loads((tmp_path / "d.json").read_text())
    assert {column["name"] for column in document["labeling"]["columns"]} == {"limit", "branch"}
    assert document["labeling"]["p_value"] == 0.0001
    gap = document["labeling"]["gap"]
    assert "branch is 'harbour'" in gap["where"] and gap["n_labeled"] == 0
    assert gap["where"] in " ".join(text.split())
    total = document["error"]["total"]
    assert document["overlap"]["outside_share"] <= total["high"] <= 1 and 0 <= total["low"] < total["high"]
    for column in document["labeling"]["columns"]:
        assert sum(part["n_rows"] for part in column["parts"]) == 1500
        assert sum(part["n_labeled"] for part in column["parts"]) == document["n_labeled"]
    assert [finding["topic"] for finding in document["findings"]] == [
        "labeling", "columns", "overlap", "error", "classes", "limits",
    ]  # fmt: skip
    assert text.startswith("! labeling\n") and "--drop" in text and "(MNAR)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_same_for_any_number_of_threads_and_twice(tmp_path):
    lenders_table(600).to_csv(tmp_path / "loans.csv", index=False)
    documents = {
        run("diagnose", "loans.csv", "--label", "outcome", "--json", "-", "--threads", threads, cwd=tmp_path).stdout
        for threads in (1, 2, 2)
    }
    assert len(documents) == 1


def test_by_lot(tmp_path):
    blobs(400).drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    text = run("diagnose", "train.csv", "--label", "answer", cwd=tmp_path).stdout
    assert text.startswith("  labeling\n  found  Labels may be missing by lot")
    assert "* columns" not in text


def test_features_are_told_by_their_names_behind_a_map(tmp_path):
    lenders_table(500)[["limit", "age", "outcome"]].fillna(40).to_csv(tmp_path / "loans.csv", index=False)
    out = run(
        "diagnose", "loans.csv", "--label", "outcome", "--features", "standardize,pca:2", "--json", "-", cwd=tmp_path
    ).stdout
    names = {column["name"] for column in json.loads(out)["labeling"]["columns"]}
    assert names <= {"pc1", "pc2"} and names


def test_larger_than_memory(tmp_path):
    lenders_table(6000).to_csv(tmp_path / "loans.csv", index=False)
    out = run("diagnose", "loans.csv", "--label", "outcome", "--memory", "1M", "--json", "-", cwd=tmp_path).stdout
    document = json.loads(out)
    assert document["n_labeled"] + document["n_unlabeled"] == 6000
    assert document["labeling"]["p_value"] == 0.0001


def test_what_cannot_be_diagnosed(tmp_path):
    frame = lenders_table(200)
    frame["outcome"] = ""
    frame.to_csv(tmp_path / "none.csv", index=False)
    assert "no row has a label" in run("diagnose", "none.csv", "--label", "outcome", cwd=tmp_path, code=65).stderr
    assert "TRAIN" in run("diagnose", cwd=tmp_path, code=64).stderr
    assert "--json" in run("diagnose", "none.csv", "--label", "outcome", "--json", "none.csv", cwd=tmp_path, code=64).stderr
    names = frame.assign(outcome=np.where(np.arange(200) % 3 == 0, "a\x1b[31m", ""))
    names.loc[1, "outcome"] = "b"
    names.to_csv(tmp_path / "hostile.csv", index=False)
    assert "\x1b" not in run("diagnose", "hostile.csv", "--label", "outcome", cwd=tmp_path).stdout
