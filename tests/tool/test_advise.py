"""lacuna advise, as a user runs it."""

import io
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from cli_tool import BINARY, run


def visitors(n=900, seed=4):
    """Nobody in the harbour was ever asked; names hold what CSV files trip over."""
    random = np.random.default_rng(seed)
    place = random.choice(["north", "south", "harbour"], n, p=[0.4, 0.4, 0.2])
    middle = {"north": -3.0, "south": 3.0, "harbour": 30.0}
    frame = pd.DataFrame(
        {
            "id": [f'id "{i}", {"ä" if i % 2 else "b"}' for i in range(n)],
            "x": [middle[p] for p in place] + random.normal(size=n),
            "size": random.normal(size=n).round(3),
        }
    )
    frame["answer"] = np.where((place != "harbour") & (random.uniform(size=n) < 0.3), np.where(place == "north", "yes", "no"), "")
    return frame, place


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advise")
    frame, _ = visitors()
    frame.to_csv(folder / "train.csv", index=False)
    run("fit", "train.csv", "--label", "answer", "--drop", "id", "-o", "m.lacuna", cwd=folder)
    return folder


def test_a_line_for_each_row_with_the_row_itself(folder):
    frame, place = visitors()
    said = run("advise", "m.lacuna", "train.csv", "-o", "out.csv", "-n", 20, "--force", cwd=folder)
    advice = pd.read_csv(folder / "out.csv", keep_default_na=False, float_precision="round_trip")
    assert list(advice)[:6] == ["row", "why", "prediction", "error_probability", "stands_for", "expected_drop"]
    assert list(advice)[6:] == list(frame)
    assert len(advice) == 20 and advice["row"].is_unique
    for _, line in advice.iterrows():
        row = frame.iloc[line["row"] - 1]
        assert (line["id"], line["x"], line["size"], line["answer"]) == (row["id"], row["x"], row["size"], "")
    unseen = advice["why"] == "labels say nothing about rows like this"
    assert unseen[0] and (place[advice["row"][unseen] - 1] == "harbour").all()
    assert set(advice["why"][~unseen]) <= {"labels speak here, and it may be no or yes", "labels speak here, and it may be yes or no"}
    assert (advice["expected_drop"] >= 0).all() and advice["expected_drop"][0] > 0
    assert advice["stands_for"].between(0, 900, inclusive="neither").all()
    predicted = pd.read_csv(run_predictions(folder))["error_probability"]
    np.testing.assert_allclose(advice["error_probability"], predicted[advice["row"] - 1], rtol=1e-3)
    assert "20 of 692 rows" in said.stderr and "mean error probability" in said.stderr


def run_predictions(folder):
    run("predict", "m.lacuna", "train.csv", "-o", "p.csv", "--force", cwd=folder)
    return folder / "p.csv"


def test_labels_are_found_by_themselves_or_where_it_is_said(folder):
    frame, _ = visitors()
    found = run("advise", "m.lacuna", "train.csv", "-o", "-", "-n", 5, cwd=folder).stdout
    assert run("advise", "m.lacuna", "train.csv", "-o", "-", "-n", 5, "--label", "answer", "--threads", 1, cwd=folder).stdout == found
    frame.rename(columns={"answer": "said"}).to_csv(folder / "renamed.csv", index=False)
    text = run("advise", "m.lacuna", "renamed.csv", "--label", "said", "-o", "-", "-n", 5, cwd=folder).stdout
    assert text.splitlines()[1:] == found.splitlines()[1:]
    frame["answer"].to_csv(folder / "labels.csv", index=False, header=False)
    frame.drop(columns="answer").to_csv(folder / "bare.csv", index=False)
    text = run("advise", "m.lacuna", "bare.csv", "--labels", "labels.csv", "-o", "-", "-n", 5, cwd=folder).stdout
    assert [line + "," for line in text.splitlines()[1:]] == found.splitlines()[1:]
    everything = run("advise", "m.lacuna", "bare.csv", "-o", "-", "-n", 5, cwd=folder).stderr
    assert "of 900 rows without a label" in everything


def test_a_european_table_and_standard_input(folder):
    frame, _ = visitors()
    frame.to_csv(folder / "europe.csv", index=False, sep=";", decimal=",")
    found = run("advise", "m.lacuna", "train.csv", "-o", "-", "-n", 7, cwd=folder).stdout
    rows = pd.read_csv(io.StringIO(found))[["row", "id", "stands_for"]]
    for options, table in (((), "europe.csv"), (("--separator", ";", "--decimal", ","), "europe.csv")):
        text = run("advise", "m.lacuna", table, *options, "-o", "-", "-n", 7, cwd=folder).stdout
        assert pd.read_csv(io.StringIO(text))[["row", "id", "stands_for"]].equals(rows)
    with open(folder / "train.csv") as table:
        assert run("advise", "m.lacuna", "-", "-o", "-", "-n", 7, cwd=folder, stdin=table).stdout == found
    piped = subprocess.run(["bash", "-c", 'cat train.csv | "$0" advise m.lacuna - -o - -n 7', BINARY], cwd=folder, capture_output=True, text=True)
    assert piped.stdout == found
    os.mkfifo(folder / "pipe.csv")
    assert "read several times" in run("advise", "m.lacuna", "pipe.csv", "-o", "-", cwd=folder, code=66).stderr


def test_arrays(folder):
    frame, _ = visitors()
    np.save(folder / "x.npy", frame[["x", "size"]].to_numpy())
    frame["answer"].to_csv(folder / "y.csv", index=False, header=False)
    run("fit", "x.npy", "--labels", "y.csv", "-o", "a.lacuna", "--force", cwd=folder)
    text = run("advise", "a.lacuna", "x.npy", "--labels", "y.csv", "-o", "-", "-n", 3, cwd=folder).stdout
    assert text.splitlines()[0].endswith("expected_drop,c0,c1")
    row, *_, x, size = text.splitlines()[1].split(",")
    assert [float(x), float(size)] == frame[["x", "size"]].iloc[int(row) - 1].tolist()


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (("-n", 0), 64, "-n"),
        (("-n", 1001), 64, "1000"),
        (("-n", "many"), 64, "many"),
        (("--label", "nowhere"), 65, "nowhere"),
        (("--label", "answer", "--labels", "train.csv"), 64, "labels"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder, arguments, code, words):
    result = run("advise", "m.lacuna", "train.csv", "-o", "never.csv", *arguments, cwd=folder, code=code)
    assert words in result.stderr
    assert not (folder / "never.csv").exists()


def test_a_table_whose_rows_all_have_labels(folder):
    frame, _ = visitors()
    frame[frame["answer"] != ""].to_csv(folder / "full.csv", index=False)
    result = run("advise", "m.lacuna", "full.csv", "-o", "-", cwd=folder)
    assert len(result.stdout.splitlines()) == 1 and "every row has a label" in result.stderr
