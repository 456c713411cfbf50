"""The numbers of `lacuna evaluate` against numpy, scipy and scikit-learn, and tables of probabilities."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_tool import blobs, names_in, run
from scipy.optimize import minimize, minimize_scalar
from scipy.special import betaln, expit, logsumexp
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import confusion_matrix, roc_auc_score

CLASSES = ["ant", "bee", "cat"]
CLOSE = dict(rel=1e-9, abs=1e-11)


def probabilities(n, seed, digits=None):
    """A tool that is too sure: three classes, the truth drawn from flatter probabilities."""
    random = np.random.default_rng(seed)
    logits = random.normal(size=(n, 3)) * 1.2
    true = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    said = np.exp(2.2 * logits)
    said /= said.sum(axis=1, keepdims=True)
    if digits is not None:  # many ties, and rows that still add up to one
        said = np.round(said, digits)
        said[:, 2] = np.round(1.0 - said[:, 0] - said[:, 1], digits)
        said = np.clip(said, 0.0, 1.0)
    frame = pd.DataFrame(said, columns=CLASSES)
    frame["label"] = [CLASSES[random.choice(3, p=row)] for row in true]
    frame["area"] = random.choice(["east", "west", "far north"], n)
    return frame


class Rows:
    """What the numbers are made from, computed anew."""

    def __init__(self, frame):
        self.p = frame[CLASSES].to_numpy()
        self.label = np.array([CLASSES.index(name) for name in frame["label"]])
        self.prediction = self.p.argmax(axis=1)
        self.q = 1.0 - self.p.max(axis=1)
        self.e = (self.prediction != self.label).astype(float)

    def with_errors(self, q):
        """The same predictions with other error probabilities, shared among the other classes as before."""
        result = object.__new__(Rows)
        result.label, result.prediction, result.e, result.q = self.label, self.prediction, self.e, q
        chosen = np.arange(len(q)), self.prediction
        others = self.p.copy()
        others[chosen] = 0.0
        result.p = others / others.sum(axis=1, keepdims=True) * q[:, None]
        result.p[chosen] = 1.0 - q
        return result

    def with_temperature(self, temperature):
        result = object.__new__(Rows)
        result.label, result.prediction, result.e = self.label, self.prediction, self.e
        logs = np.log(self.p) / temperature
        result.p = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        result.q = 1.0 - result.p[np.arange(len(self.e)), self.prediction]
        return result


def equal_width(p):
    return np.minimum(np.searchsorted(np.arange(21) / 20, p + 1e-12, side="right") - 1, 19)


def metrics(rows):
    bins = equal_width(rows.q)
    gap = np.array([(rows.e - rows.q)[bins == b].sum() for b in range(20)]) / len(rows.q)
    target = np.eye(3)[rows.label]
    with np.errstate(divide="ignore"):
        nll = -np.log(rows.p[np.arange(len(rows.q)), rows.label]).mean()
    return {
        "n": len(rows.q),
        "error_rate": rows.e.mean(),
        "mean_error_probability": rows.q.mean(),
        "ece": np.abs(gap).sum(),
        "overconfidence": gap[gap > 0].sum(),
        "underconfidence": -gap[gap < 0].sum(),
        "brier_error": ((rows.e - rows.q) ** 2).mean(),
        "brier": ((rows.p - target) ** 2).sum(axis=1).mean(),
        "nll": nll,
    }


def check_metrics(found, rows, **tolerance):
    for name, value in metrics(rows).items():
        assert float(found[name]) == pytest.approx(value, **(tolerance or CLOSE)), name


def evaluate(folder, frame, *arguments, name="p.csv"):
    if "--stratum" not in arguments:
        frame = frame.drop(columns="area", errors="ignore")
    frame.to_csv(folder / name, index=False)
    return json.loads(run("evaluate", "--probabilities", name, "--json", "-", *arguments, cwd=folder).stdout)


# --- Curves


@pytest.mark.parametrize("digits", [None, 2])
def test_metrics_and_equal_width_curve(tmp_path, digits):
    frame = probabilities(3000, 1, digits)
    found = evaluate(tmp_path, frame, "--stratum", "area")
    rows = Rows(frame)
    check_metrics(found, rows)
    assert found["model"] is None and found["classes"] == CLASSES
    curve = found["reliability"]
    assert (curve["bin_kind"], curve["n_bins"], curve["interval_level"]) == ("equal-width", 20, 0.95)
    assert curve["calibration_error"] == pytest.approx(found["ece"], **CLOSE)
    bins = equal_width(rows.q)
    check_bins(curve["bins"], rows, bins, frame["area"])
    check_murphy(found, rows, bins)
    for name in ("east", "west", "far north"):
        check_metrics(found["strata"][name], Rows(frame[frame["area"] == name].reset_index(drop=True)))


@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.parametrize("n_bins", [1, 7, 50])
def test_equal_mass_curve(tmp_path, digits, n_bins):
    frame = probabilities(2000, 2, digits)
    found = evaluate(tmp_path, frame, "--stratum", "area", "--bins", n_bins, "--bin-kind", "equal-mass")
    rows = Rows(frame)
    check_metrics(found, rows)
    # The bin of a row follows the middle rank of all rows with its error probability.
    below = np.array([(rows.q < q).sum() for q in rows.q])
    tied = np.array([(rows.q == q).sum() for q in rows.q])
    place = n_bins * (2 * below + tied) // (2 * len(rows.q))
    bins = np.unique(place, return_inverse=True)[1]
    curve = found["reliability"]
    assert len(curve["bins"]) == bins.max() + 1
    check_bins(curve["bins"], rows, bins, frame["area"])
    check_murphy(found, rows, bins)
    for b, entry in enumerate(curve["bins"]):
        assert entry["low"] == rows.q[bins == b].min() and entry["high"] == rows.q[bins == b].max()


def check_bins(entries, rows, bins, strata):
    for b, entry in enumerate(entries):
        inside = bins == b
        n, k = inside.sum(), int(rows.e[inside].sum())
        assert (entry["n"], entry["n_errors"]) == (n, k)
        if n == 0:
            assert entry["error_rate"] is None and (entry["interval_low"], entry["interval_high"]) == (0, 1)
            continue
        assert entry["error_rate"] == pytest.approx(k / n, **CLOSE)
        assert entry["mean_error_probability"] == pytest.approx(rows.q[inside].mean(), **CLOSE)
        low = beta.ppf(0.025, k, n - k + 1) if k > 0 else 0.0
        high = beta.ppf(0.975, k + 1, n - k) if k < n else 1.0
        assert entry["interval_low"] == pytest.approx(low, **CLOSE)
        assert entry["interval_high"] == pytest.approx(high, **CLOSE)
        for name, share in entry["contributions"].items():
            assert share == pytest.approx(rows.e[inside & (strata == name)].sum() / n, **CLOSE)
        assert sum(entry["contributions"].values()) == pytest.approx(entry["error_rate"], **CLOSE)


def check_murphy(found, rows, bins):
    mean = rows.e.mean()
    reliability = resolution = within = 0.0
    for b in np.unique(bins):
        q, e = rows.q[bins == b], rows.e[bins == b]
        share = len(q) / len(rows.q)
        reliability += share * (q.mean() - e.mean()) ** 2
        resolution += share * (e.mean() - mean) ** 2
        within += share * (q.var() - 2 * ((q - q.mean()) * (e - e.mean())).mean())
    wanted = {"reliability": reliability, "resolution": resolution, "uncertainty": mean * (1 - mean), "within_bins": within}
    for name, value in wanted.items():
        assert found["murphy"][name] == pytest.approx(value, **CLOSE), name
    assert reliability - resolution + mean * (1 - mean) + within == pytest.approx(found["brier_error"], **CLOSE)


@pytest.mark.parametrize("digits", [None, 2])
def test_corp_against_scikit_learn(tmp_path, digits):
    frame = probabilities(3000, 3, digits)
    found = evaluate(tmp_path, frame)
    rows = Rows(frame)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(rows.q, rows.e)
    mended = isotonic.predict(rows.q)
    uncertainty = rows.e.mean() * (1 - rows.e.mean())
    recalibrated = ((rows.e - mended) ** 2).mean()
    corp = found["corp"]
    assert corp["uncertainty"] == pytest.approx(uncertainty, **CLOSE)
    assert corp["miscalibration"] == pytest.approx(((rows.e - rows.q) ** 2).mean() - recalibrated, **CLOSE)
    assert corp["discrimination"] == pytest.approx(uncertainty - recalibrated, **CLOSE)
    assert corp["n_blocks"] == len(np.unique(mended)) == len(corp["curve"])
    for block in corp["curve"]:
        inside = (rows.q >= block["low"]) & (rows.q <= block["high"])
        assert block["n"] == inside.sum()
        assert mended[inside] == pytest.approx(np.full(inside.sum(), block["error_rate"]), **CLOSE)
        assert block["mean_error_probability"] == pytest.approx(rows.q[inside].mean(), **CLOSE)


def test_risk_and_coverage(tmp_path):
    frame = probabilities(3000, 4)
    found = evaluate(tmp_path, frame)["risk_coverage"]
    rows = Rows(frame)
    errors = rows.e[np.argsort(rows.q)].cumsum()
    n = np.arange(1, len(errors) + 1)
    risk = errors / n
    assert found["aurc"] == pytest.approx(risk.mean(), **CLOSE)
    assert found["coverage_at_5_percent_risk"] == pytest.approx(n[risk <= 0.05].max(initial=0) / 3000, **CLOSE)
    assert found["risk_at_80_percent_coverage"] == pytest.approx(risk[2400 - 1], **CLOSE)
    curve = pd.DataFrame(found["curve"])
    assert 500 <= len(curve) <= 512
    places = np.round(curve["coverage"] * 3000).astype(int) - 1
    np.testing.assert_allclose(curve["risk"], risk[places], atol=1e-12)
    np.testing.assert_allclose(curve["error_probability"], np.sort(rows.q)[places], atol=1e-15)


@pytest.mark.parametrize("digits", [None, 2])
def test_generalised_risk_follows_from_the_roc_curve(tmp_path, digits):
    frame = probabilities(3000, 5, digits)
    rows = Rows(frame)
    rate = rows.e.mean()
    wanted = (1 - roc_auc_score(rows.e, rows.q)) * rate * (1 - rate) + rate**2 / 2
    assert evaluate(tmp_path, frame)["risk_coverage"]["augrc"] == pytest.approx(wanted, **CLOSE)


def test_risk_with_ties(tmp_path):
    """Rows that tie: the mean over many random orders, with the spread of that mean."""
    frame = probabilities(400, 6, 1)
    rows = Rows(frame)
    random = np.random.default_rng(0)
    areas = []
    for _ in range(4000):
        order = np.lexsort((random.uniform(size=400), rows.q))
        areas.append((rows.e[order].cumsum() / np.arange(1, 401)).mean())
    found = evaluate(tmp_path, frame)["risk_coverage"]
    # Six standard errors: two false alarms in 10^9.
    assert abs(found["aurc"] - np.mean(areas)) < 6 * np.std(areas) / np.sqrt(4000)
    thresholds = np.unique(rows.q)
    coverage = np.array([(rows.q <= t).mean() for t in thresholds])
    risk = np.array([rows.e[rows.q <= t].mean() for t in thresholds])
    assert found["coverage_at_5_percent_risk"] == pytest.approx(coverage[risk <= 0.05].max(initial=0), **CLOSE)
    assert found["risk_at_80_percent_coverage"] == pytest.approx(risk[coverage >= 0.8][0], **CLOSE)


def test_classes(tmp_path):
    frame = probabilities(2000, 7)
    found = evaluate(tmp_path, frame)
    rows = Rows(frame)
    assert found["confusion_matrix"] == confusion_matrix(rows.label, rows.prediction).tolist()
    errors = []
    for k in range(3):
        bins = equal_width(rows.p[:, k])
        gap = (rows.label == k) - rows.p[:, k]
        errors.append(sum(abs(gap[bins == b].sum()) for b in range(20)) / len(gap))
    assert found["classwise_calibration_error"] == pytest.approx(np.mean(errors), **CLOSE)


def test_the_order_of_rows_and_columns_does_not_matter(tmp_path):
    frame = probabilities(500, 8, 2)
    first = evaluate(tmp_path, frame)
    order = np.random.default_rng(0).permutation(500)
    second = evaluate(tmp_path, frame.iloc[order])
    for name in ("reliability", "corp", "risk_coverage", "murphy", "confusion_matrix"):
        assert first[name] == second[name], name
    frame = probabilities(500, 8)  # no class ties with another, where the first column would win
    turned = evaluate(tmp_path, frame[["area", "cat", "label", "bee", "ant"]], "--stratum", "area")
    assert turned["classes"] == ["cat", "bee", "ant"]
    check_metrics(turned, Rows(frame))


# --- Calibrators


def calibrate(folder, method, held_out, test, *arguments):
    held_out.to_csv(folder / "held-out.csv", index=False)
    return evaluate(folder, test, "--calibrate", method, "--calibration-data", "held-out.csv", *arguments)


def log_odds(q):
    q = np.clip(q, 1e-12, 1 - 1e-12)
    return np.log(q) - np.log1p(-q)


def platt(rows):
    n_errors = rows.e.sum()
    target = np.where(rows.e == 1, (n_errors + 1) / (n_errors + 2), 1 / (len(rows.e) - n_errors + 2))
    x = log_odds(rows.q)

    def loss(at):
        z = at[0] * x + at[1]
        return (np.logaddexp(0.0, z) - target * z).mean()

    def slope(at):
        gap = expit(at[0] * x + at[1]) - target
        return np.array([(gap * x).mean(), gap.mean()])

    return minimize(loss, [0.0, 0.0], jac=slope, method="BFGS", options={"gtol": 1e-11}).x


def bbq(rows):
    """Bayesian binning, model by model; returns the new error probability as a function."""
    n = len(rows.q)
    values, n_tied = np.unique(rows.q, return_counts=True)
    middle = 2 * (np.cumsum(n_tied) - n_tied) + n_tied
    root = n ** (1 / 3)
    cuts = {}
    for n_bins in range(max(1, int(root / 10)), int(np.ceil(root * 10)) + 1):
        place = n_bins * middle // (2 * n)
        cuts[tuple(np.flatnonzero(np.diff(place)) + 1)] = None
    scores, models = [], []
    for cut in cuts:
        edges = np.array([(values[i - 1] + values[i]) / 2 for i in cut])
        bounds = np.concatenate([[0.0], edges, [1.0]])
        weight = 2 / (len(edges) + 1)
        alpha = weight * (bounds[:-1] + bounds[1:]) / 2
        place = np.searchsorted(edges, rows.q, side="right")
        size = np.bincount(place, minlength=len(alpha))
        errors = np.bincount(place, weights=rows.e, minlength=len(alpha))
        scores.append((betaln(errors + alpha, size - errors + weight - alpha) - betaln(alpha, weight - alpha)).sum())
        models.append((edges, (errors + alpha) / (size + weight)))
    weights = np.exp(np.array(scores) - logsumexp(scores))
    return lambda q: sum(w * value[np.searchsorted(edges, q, side="right")] for w, (edges, value) in zip(weights, models))


@pytest.mark.parametrize("digits", [None, 2])
def test_platt_against_scipy(tmp_path, digits):
    held_out, test = probabilities(1500, 11, digits), probabilities(2000, 12)
    found = calibrate(tmp_path, "platt", held_out, test)
    slope, intercept = platt(Rows(held_out))
    assert found["calibration"]["parameters"]["slope"] == pytest.approx(slope, rel=1e-6)
    assert found["calibration"]["parameters"]["intercept"] == pytest.approx(intercept, rel=1e-6)
    rows = Rows(test)
    check_metrics(found, rows.with_errors(expit(slope * log_odds(rows.q) + intercept)), rel=1e-6, abs=1e-7)
    check_metrics(found["calibration"]["before"], rows)


@pytest.mark.parametrize("digits", [None, 2])
def test_isotonic_against_scikit_learn(tmp_path, digits):
    held_out, test = probabilities(1500, 13, digits), probabilities(2000, 14)
    found = calibrate(tmp_path, "isotonic", held_out, test)
    fitted, rows = Rows(held_out), Rows(test)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(fitted.q, fitted.e)
    mended = rows.with_errors(isotonic.predict(rows.q))
    check_metrics(found, mended)
    check_metrics(found["calibration"]["before"], rows)


@pytest.mark.parametrize("digits", [None, 2])
def test_bbq_against_its_definition(tmp_path, digits):
    held_out, test = probabilities(1500, 15, digits), probabilities(2000, 16)
    found = calibrate(tmp_path, "bbq", held_out, test)
    rows = Rows(test)
    check_metrics(found, rows.with_errors(bbq(Rows(held_out))(rows.q)), rel=1e-8, abs=1e-9)


def test_temperature_against_scipy(tmp_path):
    held_out, test = probabilities(1500, 17), probabilities(2000, 18)
    found = calibrate(tmp_path, "temperature", held_out, test, "--stratum", "area")
    fitted = Rows(held_out)

    def loss(log_t):
        rows = fitted.with_temperature(np.exp(log_t))
        return -np.log(rows.p[np.arange(len(rows.e)), rows.label]).mean()

    temperature = np.exp(minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10}).x)
    calibration = found["calibration"]
    assert calibration["parameters"]["temperature"] == pytest.approx(temperature, rel=1e-6)
    assert calibration["n_rows"] == 1500
    check_metrics(found, Rows(test).with_temperature(temperature), rel=1e-5, abs=1e-7)
    # The tool multiplies the logits of the truth by 2.2. Six standard errors: two false alarms in 10^9.
    truth = fitted.with_temperature(2.2).p
    spread = (truth * np.log(fitted.p) ** 2).sum(axis=1) - (truth * np.log(fitted.p)).sum(axis=1) ** 2
    assert abs(1 / temperature - 1 / 2.2) < 6 / np.sqrt(spread.sum())
    assert set(calibration["after"]["strata"]) == {"east", "west", "far north"}
    after = calibration["after"]
    for name, numbers in after.pop("strata").items():
        assert numbers.items() <= found["strata"][name].items(), "the document tells more of each stratum"
    for name, value in after.items():
        assert found[name] == value, "the document is about what came out"
    assert found["nll"] < calibration["before"]["nll"]


def test_calibration_columns_may_come_in_another_order(tmp_path):
    held_out, test = probabilities(500, 19), probabilities(500, 20)
    first = calibrate(tmp_path, "temperature", held_out, test)
    assert calibrate(tmp_path, "temperature", held_out[["cat", "label", "ant", "bee"]], test) == first


def test_calibration_with_arrays_and_their_labels(tmp_path):
    held_out, test = probabilities(500, 19), probabilities(500, 20)
    wanted = calibrate(tmp_path, "bbq", held_out, test)
    for name, frame in (("c", held_out), ("t", test)):
        np.save(tmp_path / f"{name}.npy", frame[CLASSES].to_numpy())
        np.save(tmp_path / f"{name}-y.npy", Rows(frame).label)
    arrays = ("--probabilities", "t.npy", "--labels", "t-y.npy")
    calibration = ("--calibrate", "bbq", "--calibration-data", "c.npy", "--calibration-labels", "c-y.npy")
    found = json.loads(run("evaluate", *arrays, *calibration, "--json", "-", cwd=tmp_path).stdout)
    assert {**found, "classes": CLASSES} == wanted


@pytest.mark.parametrize("method", ["platt", "isotonic", "bbq", "temperature"])
def test_one_calibration_row(tmp_path, method):
    found = calibrate(tmp_path, method, probabilities(1, 21), probabilities(50, 22))
    assert found["calibration"]["n_rows"] == 1
    assert 0 <= found["mean_error_probability"] <= 1


# --- Tables of probabilities


def test_what_predict_writes_can_be_read_again(tmp_path):
    blobs().drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    test = blobs(seed=2, labeled=0.9)
    test.to_csv(tmp_path / "test.csv", index=False)
    run("fit", "train.csv", "-o", "m", "--label", "answer", cwd=tmp_path)
    run("predict", "m", "test.csv", "-o", "p.csv", cwd=tmp_path)
    of_model = run("evaluate", "m", "test.csv", "--label", "answer", "--stratum", "group", "--json", "-", cwd=tmp_path)
    wanted = json.loads(of_model.stdout)
    joined = pd.concat([test, pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")], axis=1)
    found = evaluate(tmp_path, joined, "--label", "answer", "--stratum", "group", name="joined.csv")
    assert wanted.pop("model") is not None and found.pop("model") is None
    assert wanted.pop("promises")["inside"]["n"] > 0  # a table of predictions promises nothing
    assert found == wanted
    assert found["n_unlabeled"] == test["answer"].isna().sum()

    joined["answer"].to_csv(tmp_path / "y.csv", index=False, header=False)
    apart = json.loads(run("evaluate", "--probabilities", "p.csv", "--labels", "y.csv", "--json", "-", cwd=tmp_path).stdout)
    assert apart["nll"] == found["nll"]


def test_forms_of_the_table(tmp_path):
    frame = probabilities(300, 31)
    wanted = evaluate(tmp_path, frame)
    assert evaluate(tmp_path, frame.rename(columns={name: "p_" + name for name in CLASSES})) == wanted
    assert evaluate(tmp_path, frame.rename(columns={"label": "truth"}), "--label", "truth", "--stratum", "area")["nll"] == wanted["nll"]
    frame["id"] = range(300)
    assert evaluate(tmp_path, frame, "--classes", "ant,bee,cat") == wanted
    frame.drop(columns=["id", "area"]).to_csv(tmp_path / "index.csv")  # pandas puts an index before the rows
    assert json.loads(run("evaluate", "--probabilities", "index.csv", "--json", "-", cwd=tmp_path).stdout) == wanted

    # An array from predict_proba, with labels 0, 1, 2 beside it.
    np.save(tmp_path / "p.npy", frame[CLASSES].to_numpy())
    np.save(tmp_path / "y.npy", np.array([CLASSES.index(name) for name in frame["label"]]))
    array = json.loads(run("evaluate", "--probabilities", "p.npy", "--labels", "y.npy", "--json", "-", cwd=tmp_path).stdout)
    assert array["classes"] == ["0", "1", "2"]
    assert {**array, "classes": CLASSES} == wanted


def test_columns_that_are_no_class_are_asked_about(tmp_path):
    frame = probabilities(300, 31)  # with a column "area" that nobody explained
    frame.to_csv(tmp_path / "p.csv", index=False)
    error = run("evaluate", "--probabilities", "p.csv", cwd=tmp_path, code=65).stderr
    for word in ("p.csv", "line 2", "'area'", "--classes"):
        assert word in error


def test_own_prediction_and_error_probability(tmp_path):
    (tmp_path / "p.csv").write_text(
        "label,no,yes,prediction,error_probability\nno,0.6,0.4,yes,0.25\nyes,0.5,0.5,no,1\nno,0.9,0.1,no,0\n"
    )
    found = json.loads(run("evaluate", "--probabilities", "p.csv", "--json", "-", cwd=tmp_path).stdout)
    assert found["error_rate"] == pytest.approx(2 / 3)
    assert found["mean_error_probability"] == pytest.approx(1.25 / 3)
    assert found["confusion_matrix"] == [[1, 1], [1, 0]]
    assert found["nll"] == pytest.approx(-np.log(0.6 * 0.5 * 0.9) / 3)


def test_ties_go_to_the_first_class(tmp_path):
    (tmp_path / "p.csv").write_text("label,b,a\na,0.5,0.5\n")
    found = json.loads(run("evaluate", "--probabilities", "p.csv", "--json", "-", cwd=tmp_path).stdout)
    assert found["error_rate"] == 1 and found["mean_error_probability"] == 0.5


def test_infinity_is_told_from_what_nobody_knows(tmp_path):
    (tmp_path / "p.csv").write_text("label,a,b,part\na,0,1,x\na,1,0,y\n")
    result = run("evaluate", "--probabilities", "p.csv", "--stratum", "part", "--json", "-", cwd=tmp_path)
    found = json.loads(result.stdout)
    assert found["nll"] == found["strata"]["x"]["nll"] == "infinity"
    assert found["strata"]["y"]["nll"] == 0
    assert found["bins"][7]["error_rate"] is None
    assert "inf" in result.stderr


def test_many_classes_and_odd_names(tmp_path):
    names = [f"<b>&\"{k}, ü" for k in range(200)]
    random = np.random.default_rng(0)
    p = random.dirichlet(np.full(200, 0.1), 500)
    frame = pd.DataFrame(p, columns=names)
    frame["label"] = random.choice(names, 500)
    found = evaluate(tmp_path, frame)
    assert found["classes"] == names
    assert np.sum(found["confusion_matrix"]) == 500


def test_the_text_names_what_it_shows(tmp_path):
    probabilities(1500, 41).to_csv(tmp_path / "p.csv", index=False)
    probabilities(1500, 42).to_csv(tmp_path / "c.csv", index=False)
    base = ("evaluate", "--probabilities", "p.csv", "--stratum", "area", "--classes", "ant,bee,cat")
    out = run(*base, cwd=tmp_path).stdout
    for word in ("miscalibration", "classwise_calibration_error", "aurc", "augrc", "risk_at_80_percent_coverage", "95 % interval"):
        assert word in out
    assert len(out.splitlines()) < 45
    out = run(*base, "--calibrate", "platt", "--calibration-data", "c.csv", cwd=tmp_path).stdout
    assert out.startswith("calibrated by platt on 1,500 rows: slope")
    assert "far north" in out and "after calibration:" in out
    assert names_in(tmp_path) == ["c.csv", "p.csv"]


# --- What cannot be


BAD = {
    "sum": ("label,a,b\na,0.6,0.4\nb,0.6,0.3\n", ["line 3", "0.9", "1e-06"]),
    "negative": ("label,a,b\na,1.5,-0.5\n", ["line 2", "'a'", "'1.5'"]),
    "nan": ("label,a,b\na,nan,1\n", ["line 2", "'a'", "'nan'"]),
    "infinite": ("label,a,b\na,inf,1\n", ["line 2", "'inf'"]),
    "huge": ("label,a,b\na,1e300,1\n", ["line 2", "'1e300'"]),
    "word": ("label,a,b\na,much,1\n", ["line 2", "'much'", "--classes"]),
    "empty": ("label,a,b\na,,1\n", ["line 2", "'a'"]),
    "label": ("label,a,b\na,1,0\nc,1,0\n", ["line 3", "'label'", "'c'", "'a', 'b'"]),
    "prediction": ("label,a,b,prediction\na,1,0,z\n", ["line 2", "'prediction'", "'z'"]),
    "error_probability": ("label,a,b,error_probability\na,1,0,2\n", ["line 2", "'error_probability'", "'2'"]),
    "one class": ("label,a\na,1\n", ["1 column", "expected 2"]),
    "same class": ("label,1,1.0\n1,1,0\n", ["'1'", "two columns"]),
    "no rows": ("label,a,b\n", ["none of its 0 rows"]),
    "no labels": ("label,a,b\n,1,0\n", ["none of its 1 rows"]),
    "ragged": ("label,a,b\na,1\n", ["line 2", "2 cells"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_of_probabilities(tmp_path, name):
    content, words = BAD[name]
    (tmp_path / "p.csv").write_text(content)
    error = run("evaluate", "--probabilities", "p.csv", "--json", "out", cwd=tmp_path, code=65).stderr
    for word in ["p.csv", *words]:
        assert word in error, error
    assert names_in(tmp_path) == ["p.csv"]


def test_bad_use(tmp_path):
    frame = probabilities(50, 51).drop(columns="area")
    for name in ("p.csv", "c.csv"):
        frame.to_csv(tmp_path / name, index=False)
    (tmp_path / "link.csv").symlink_to("p.csv")
    np.savetxt(tmp_path / "y.csv", np.zeros(50), fmt="%d")
    base = ["evaluate", "--probabilities", "p.csv"]
    for arguments, words in [
        (["evaluate"], ["MODEL", "--probabilities"]),
        (["evaluate", "m"], ["MODEL", "DATA"]),
        (["evaluate", "m", "d", "--probabilities", "p.csv"], ["MODEL", "--probabilities"]),
        ([*base, "--calibrate", "platt"], ["--calibration-data"]),
        ([*base, "--calibration-data", "c.csv"], ["--calibrate"]),
        ([*base, "--calibrate", "magic", "--calibration-data", "c.csv"], ["'magic'", "isotonic"]),
        ([*base, "--calibrate", "platt", "--calibration-data", "p.csv"], ["p.csv", "test table itself"]),
        ([*base, "--calibrate", "platt", "--calibration-data", "./p.csv"], ["test table itself"]),
        ([*base, "--calibrate", "platt", "--calibration-data", "link.csv"], ["test table itself"]),
        ([*base, "--calibrate", "bbq", "--calibration-data", "c.csv", "--calibration-labels", "y.csv"], ["--labels"]),
        ([*base, "--bins", "0"], ["--bins"]),
        ([*base, "--bins", "1001"], ["--bins"]),
        ([*base, "--bin-kind", "round"], ["'round'", "equal-mass"]),
        ([*base, "--classes", '"open'], ["--classes", "quote"]),
        ([*base, "--labels", "y.csv", "--label", "label"], ["--label", "--labels"]),
    ]:
        error = run(*arguments, cwd=tmp_path, code=64).stderr
        for word in words:
            assert word in error, error
    frame.drop(columns="label").to_csv(tmp_path / "bare.csv", index=False)
    assert "--label" in run("evaluate", "--probabilities", "bare.csv", cwd=tmp_path, code=64).stderr
    missing = run(*base, "--calibrate", "platt", "--calibration-data", "nowhere.csv", cwd=tmp_path, code=66)
    assert "nowhere.csv" in missing.stderr
    bare = frame.assign(label="")
    bare.to_csv(tmp_path / "unlabeled.csv", index=False)
    error = run(*base, "--calibrate", "platt", "--calibration-data", "unlabeled.csv", cwd=tmp_path, code=65).stderr
    assert "unlabeled.csv" in error
    run(*base, "--json", "p.csv", "--force", cwd=tmp_path, code=64)
    run(*base, "--calibrate", "platt", "--calibration-data", "c.csv", "--json", "c.csv", "--force", cwd=tmp_path, code=64)


def test_an_unknown_label_is_found_in_its_line(tmp_path):
    blobs().drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    run("fit", "train.csv", "-o", "m", "--label", "answer", cwd=tmp_path)
    test = blobs(n=20, seed=2, labeled=1.0)
    test.loc[3, "town"] = "two\nlines"
    test.loc[7, "answer"] = "maybe"
    test.to_csv(tmp_path / "t.csv", index=False)
    error = run("evaluate", "m", "t.csv", "--label", "answer", cwd=tmp_path, code=65).stderr
    assert "'t.csv', row 8 (line 10), column 'answer'" in error and "'maybe'" in error
    test["answer"].to_csv(tmp_path / "y.csv", index=False, header=False)
    error = run("evaluate", "m", "t.csv", "--labels", "y.csv", cwd=tmp_path, code=65).stderr
    assert "'y.csv', row 8 (line 8)" in error


# --- The paper's argument


@pytest.fixture(scope="module")
def quadrants(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quadrants")
    run("demo", "--out", "demo", cwd=folder)
    test = pd.read_csv(folder / "demo/quadrants-test.csv")
    # Calibration data can only come from where labels exist.
    where_labels_are = test[test["region"] == "labeled"]
    where_labels_are[:2000].to_csv(folder / "held-out.csv", index=False)
    test.drop(where_labels_are.index[:2000]).to_csv(folder / "test.csv", index=False)
    # What others do knows no background, which would mend a part of it.
    plain = ("--background", "none", "--shrinkage", "0")
    for method, options in (("supervised", plain), ("mar", ())):
        run("fit", "demo/quadrants-train.csv", "-o", method, "--label", "label", "--method", method, *options, cwd=folder)
    return folder


@pytest.mark.parametrize("method", ["platt", "isotonic", "bbq", "temperature"])
def test_calibration_cannot_help_where_labels_are_missing(quadrants, method):
    base = ("evaluate", "supervised", "test.csv", "--label", "label", "--stratum", "region", "--json", "-")
    found = json.loads(run(*base, "--calibrate", method, "--calibration-data", "held-out.csv", cwd=quadrants).stdout)
    before, after = found["calibration"]["before"]["strata"], found["calibration"]["after"]["strata"]
    # Where labels are, calibration does its work.
    assert after["labeled"]["ece"] < 0.02
    # Where they are not: half of the predictions are wrong, and the calibrated model still hardly expects it.
    assert before["never labeled"]["overconfidence"] > 0.4
    assert after["never labeled"]["overconfidence"] > 0.4
    assert after["never labeled"]["error_rate"] > 0.4


def test_mar_knows_it_without_calibration(quadrants):
    base = ("evaluate", "mar", "test.csv", "--label", "label", "--stratum", "region", "--json", "-")
    found = json.loads(run(*base, cwd=quadrants).stdout)["strata"]
    assert found["never labeled"]["overconfidence"] < 0.1
    assert found["labeled"]["ece"] < 0.05
