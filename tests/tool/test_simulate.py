"""lacuna simulate, as a user runs it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from cli_tool import names_in, run


def table(n=2000, seed=5):
    random = np.random.default_rng(seed)
    digit = random.integers(0, 3, n)
    return pd.DataFrame(
        {
            "name, with comma": [f'row "{i}"' for i in range(n)],
            "x": random.normal(size=n) + 3.0 * digit,
            "y": random.normal(size=n),
            "digit": digit,
        }
    )


def simulate(folder, full, *arguments, protocol="strict-mar", rare="0", labeled=200, out="out.csv"):
    full.to_csv(folder / "full.csv", index=False)
    command = ["simulate", "full.csv", "--label", "digit", "--drop", '"name, with comma"', "--protocol", protocol]
    if rare:
        command += ["--rare", rare]
    result = run(*command, "--labeled", labeled, "-o", out, *arguments, cwd=folder)
    return result, pd.read_csv(folder / out)


@pytest.mark.parametrize("protocol", ["mcar", "strict-mar", "authors", "mnar"])
def test_hides_labels_and_nothing_else(tmp_path, protocol):
    full = table()
    _, out = simulate(tmp_path, full, protocol=protocol)
    assert list(out.columns) == [*full.columns, "stratum"]
    pd.testing.assert_frame_equal(out[full.columns[:3]], full[full.columns[:3]])
    kept = out["digit"].notna()
    assert (out["digit"][kept] == full["digit"][kept]).all()
    if protocol == "authors":
        assert 150 < kept.sum() <= 200  # drawn with replacement: some rows come twice
        assert not (full["digit"][kept] == 0).any()
    else:
        assert kept.sum() == 200


def test_strata_are_the_vote_of_the_neighbours(tmp_path):
    full = table()
    _, out = simulate(tmp_path, full, "--neighbours", "51")
    # Asked without queries, it leaves each row out of its own neighbours.
    neighbours = NearestNeighbors(n_neighbors=51).fit(full[["x", "y"]]).kneighbors(return_distance=False)
    vote = (full["digit"].to_numpy()[neighbours] == 0).mean(axis=1) > 0.5
    assert (out["stratum"] == np.where(vote, "rare", "rest")).all()
    # 0.003 against 1: of 200 labels some 0.3 are expected in the rare third. Nine or more happen by chance less
    # than once in 10^9.
    assert (out["digit"].notna() & (out["stratum"] == "rare")).sum() < 9
    assert (out["stratum"] == "rare").sum() > 500


def test_mcar_needs_no_rare_class(tmp_path):
    _, out = simulate(tmp_path, table(), protocol="mcar", rare=None)
    assert set(out["stratum"]) == {"rest"}


def test_one_seed_one_result(tmp_path):
    full = table()
    simulate(tmp_path, full, "--threads", 1, out="a.csv")
    simulate(tmp_path, full, "--threads", 3, out="b.csv")
    simulate(tmp_path, full, "--seed", 1, out="c.csv")
    a, b, c = ((tmp_path / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b and a != c


def test_arrays_get_files_of_labels_and_strata(tmp_path):
    full = table()
    np.save(tmp_path / "x.npy", full[["x", "y"]].to_numpy())
    np.save(tmp_path / "labels.npy", full["digit"].to_numpy())
    run("simulate", "x.npy", "--labels", "labels.npy", "--protocol", "strict-mar", "--rare", "0,1", "--labeled", 100,
        "-o", "hidden.csv", cwd=tmp_path)  # fmt: skip
    hidden = pd.read_csv(tmp_path / "hidden.csv", header=None)[0]
    strata = pd.read_csv(tmp_path / "hidden-strata.csv", header=None)[0]
    assert len(hidden) == len(strata) == len(full)
    assert hidden.notna().sum() == 100
    assert (hidden.dropna() == full["digit"][hidden.notna()]).all()
    run("fit", "x.npy", "--labels", "hidden.csv", "-o", "model.lacuna", cwd=tmp_path)


def test_a_fit_can_follow(tmp_path):
    simulate(tmp_path, table())
    run("fit", "out.csv", "--label", "digit", "--drop", '"name, with comma",stratum', "-o", "m.lacuna", cwd=tmp_path)
    result = run("evaluate", "m.lacuna", "out.csv", "--label", "digit", "--stratum", "stratum", cwd=tmp_path)
    assert "rest" in result.stdout


def test_errors_say_what_to_do(tmp_path):
    full = table(n=50)
    full.to_csv(tmp_path / "full.csv", index=False)
    common = ["simulate", "full.csv", "--label", "digit", "-o", "out.csv", "--labeled", 10]
    wrong = [
        (["--protocol", "mar"], 64, "strict-mar"),
        (["--protocol", "strict-mar"], 64, "at least one class"),
        (["--protocol", "strict-mar", "--rare", "7"], 64, "'0', '1', '2'"),
        (["--protocol", "mcar", "--rare-weight", "2"], 64, "rare-weight"),
        (["--protocol", "mcar", "--drop", "nothing"], 64, "nothing"),
    ]
    for arguments, code, text in wrong:
        assert text in run(*common, *arguments, cwd=tmp_path, code=code).stderr
    full.loc[7, "digit"] = np.nan
    full.to_csv(tmp_path / "full.csv", index=False)
    assert "row 8" in run(*common, "--protocol", "mcar", cwd=tmp_path, code=65).stderr
    table(n=50).assign(stratum=1).to_csv(tmp_path / "full.csv", index=False)
    assert "stratum" in run(*common, "--protocol", "mcar", cwd=tmp_path, code=65).stderr
    assert names_in(tmp_path) == ["full.csv"]
