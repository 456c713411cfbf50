"""Any classifier as a member of the stack: weights, seeds, threads, errors, pickles, scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import lacuna
from lacuna._any_classifier import AnyClassifier

QUICK = {"density": lacuna.VariationalGaussianMixture(1), "draws": 1}


def waves(n=450, labeled=150, seed=0):
    """Stripes that no other member sees: features, labels (-1: none), true classes, of which one in twenty is flipped."""
    random = np.random.default_rng(seed)
    X = random.uniform(-30.0, 30.0, size=(n, 2))
    truth = (np.floor(X[:, 0]) % 2 == 1).astype(int) ^ (random.uniform(size=n) < 0.05)
    return X, np.where(np.arange(n) < labeled, truth, -1), truth


X, Y, TRUTH = waves()


class Stripes(ClassifierMixin, BaseEstimator):
    """Knows the stripes, and has nothing to learn but their names."""

    def __init__(self, how=None):
        self.how = how

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        odd = np.floor(X[:, 0]) % 2 == 1
        return np.where(np.stack([~odd, odd], axis=1), 0.9, 0.1)


class Noise(Stripes):
    """Believes in stripes that are not there."""

    def predict_proba(self, X):
        return super().predict_proba(X * 7.3)


class Plain:
    """No estimator at all."""

    def fit(self, X, y):
        self.model = Stripes().fit(X, y)
        self.classes_ = self.model.classes_

    def predict_proba(self, X):
        return self.model.predict_proba(X).tolist()


class Shares(BaseEstimator):
    """The classes' shares, whatever there are of them."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


def weights_of(model):
    return {member["name"]: member["weight"] for member in model.record_["summary"]["stack"]["members"]}


def test_a_member_that_is_right_has_most_of_the_weight_and_noise_has_little():
    members = [Stripes(), Noise(), "stack"]
    model = lacuna.ReliableClassifier(conditional=members, **QUICK).fit(X, Y)
    weights = weights_of(model)
    assert list(weights)[0] == "densities" and list(weights)[-2:] == ["Stripes", "Noise"]
    assert weights["Stripes"] > 0.8 and weights["Noise"] < 0.1
    without = lacuna.ReliableClassifier(conditional="stack", **QUICK).fit(X, Y)
    unseen = Y == -1
    assert (model.predict(X) == TRUTH)[unseen].mean() > 0.9 > 0.7 > (without.predict(X) == TRUTH)[unseen].mean()
    # It is right in nineteen of twenty rows and says nine of ten: the calibration mends that.
    assert abs(model.error_probability(X)[unseen].mean() - 0.05) < 0.04
    assert all(not hasattr(member, "classes_") for member in members), "the user's objects are never fitted themselves"


def test_a_forest_on_a_real_table():
    table = load_breast_cancer(as_frame=True)
    rows = table.frame.sample(400, random_state=0)
    names = np.array(["malignant", "benign"])[rows["target"]]
    features = rows[["mean radius", "mean texture", "mean smoothness", "mean concavity", "worst area"]]
    random = np.random.default_rng(0)
    y = np.where(random.uniform(size=400) < 0.4, names, "?")
    forest = RandomForestClassifier(60)
    model = lacuna.ReliableClassifier(conditional=[forest], missing_label="?", draws=1).fit(features, y)
    weights = weights_of(model)
    assert weights["RandomForestClassifier"] > 0.05 and abs(sum(weights.values()) - 1.0) < 1e-9
    unseen = y == "?"
    assert (model.predict(features) == names)[unseen].mean() > 0.88
    assert abs(model.error_probability(features)[unseen].mean() - (model.predict(features) != names)[unseen].mean()) < 0.04


@pytest.mark.parametrize("member", [RandomForestClassifier(20), Plain()], ids=lambda member: type(member).__name__)
def test_one_seed_one_result_for_any_number_of_threads_and_a_pickle(member):
    one = lacuna.ReliableClassifier(conditional=[member], threads=1, **QUICK).fit(X, Y)
    two = lacuna.ReliableClassifier(conditional=[member], threads=2, **QUICK).fit(X, Y)
    expected = one.predict_proba(X)
    np.testing.assert_array_equal(two.predict_proba(X), expected)
    restored = pickle.loads(pickle.dumps(two))
    np.testing.assert_array_equal(restored.predict_proba(X), expected)
    np.testing.assert_array_equal(restored.fit(X, Y).predict_proba(X), expected)


def test_it_cannot_be_saved(tmp_path):
    model = lacuna.ReliableClassifier(conditional=[Stripes()], **QUICK).fit(X, Y)
    with pytest.raises(ValueError, match="own members of the stack are Python objects.*keep the model with pickle"):
        model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


class Listener(Stripes):
    """Keeps what it was given."""

    heard = []

    def fit(self, X, y, sample_weight=None):
        type(self).heard.append((X, y, sample_weight))
        return super().fit(X, y)


def listen(X, y, **options):
    Listener.heard.clear()
    weights = options.pop("sample_weight", None)
    lacuna.ReliableClassifier(conditional=[Listener()], **QUICK, **options).fit(X, y, sample_weight=weights)
    return Listener.heard


def test_it_sees_labeled_rows_with_the_users_classes():
    names = np.where(Y == -1, "?", np.where(Y == 1, "odd", "even"))
    heard = listen(X, names, missing_label="?")
    name_of = dict(zip(X[:, 0], names, strict=True))
    assert len(heard) > 6  # folds, the whole, gaps
    for rows, labels, weights in heard:
        assert rows.dtype == np.float64 and rows.flags.c_contiguous and weights is None
        assert set(labels) == {"odd", "even"} and labels.tolist() == [name_of[x] for x in rows[:, 0]]
    whole = [rows for rows, _, _ in heard if len(rows) == 150]
    assert len(whole) == 1  # all others had labels hidden
    np.testing.assert_array_equal(whole[0], X[:150])  # not scaled


def test_weights_reach_a_member_that_takes_them():
    weights = np.linspace(0.5, 2.0, len(X))
    heard = listen(X, Y, sample_weight=weights)
    whole = [given for rows, _, given in heard if len(rows) == 150]
    np.testing.assert_array_equal(whole[0], weights[:150])


def test_others_get_rows_resampled_by_weight():
    class Counter(Stripes):
        def fit(self, X, y):
            self.rows_ = X[:, 0].astype(int)
            return super().fit(X, y)

    rows = np.arange(1000.0).reshape(-1, 1)
    codes = np.arange(1000) % 2
    bridge = AnyClassifier(Counter(), "Counter", np.array([0, 1]))
    weights = np.where(np.arange(1000) < 500, 3.0, 1.0)
    counts = np.bincount(bridge.fit(rows, codes, weights, 5).model.rows_, minlength=1000)
    assert counts.sum() == 1000 and set(counts[:500]) <= {1, 2} and set(counts[500:]) <= {0, 1}
    np.testing.assert_array_equal(bridge.fit(rows, codes, np.full(1000, 7.0), 5).model.rows_, np.arange(1000))


def test_categories_are_numbers_and_gaps_are_nan():
    table = pd.DataFrame({"x": X[:, 0], "color": np.resize(["red", "blue", None, "green"], len(X))})
    table.loc[::5, "x"] = np.nan
    rows = max((rows for rows, _, _ in listen(table, Y)), key=len)
    np.testing.assert_array_equal(rows[:, 0], table["x"][:150])
    np.testing.assert_array_equal(rows[:, 1], np.resize([2.0, 0.0, np.nan, 1.0], 150))  # blue, green, red


def test_gaps_need_a_member_that_takes_them():
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    with pytest.raises(ValueError, match="(?s)LogisticRegression could not be fitted to .* rows: .*imputer in a pipeline"):
        lacuna.ReliableClassifier(conditional=[LogisticRegression()], **QUICK).fit(gaps, Y)
    assert not lacuna.ReliableClassifier(conditional=[LogisticRegression()])._more_tags()["allow_nan"]
    assert lacuna.ReliableClassifier(conditional=[HistGradientBoostingClassifier()])._more_tags()["allow_nan"]
    imputed = make_pipeline(SimpleImputer(), LogisticRegression())
    lacuna.ReliableClassifier(conditional=[imputed], **QUICK).fit(gaps, Y).predict(gaps)


class Broken(Stripes):
    def fit(self, X, y):
        if self.how == "fit":
            raise ZeroDivisionError("no luck")
        if self.how == "few":
            raise ValueError("too few rows")
        super().fit(X, y)
        if self.how == "no classes":
            del self.classes_
        if self.how == "other classes":
            self.classes_ = np.array(["a", "b"])
        if self.how == "twice":
            self.classes_ = np.array([0, 0])
        return self

    def predict_proba(self, X):
        p = super().predict_proba(X)
        if self.how == "predict":
            raise KeyError("column")
        return {
            "nan": np.full_like(p, np.nan),
            "negative": p * [[-1.0, 1.0]],
            "shape": p[:, :1],
            "rows": p[1:],
            "sum": 2.0 * p,
            "text": np.full(p.shape, "a"),
        }.get(self.how, p)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        ("fit", RuntimeError, "could not be fitted to .* rows: ZeroDivisionError: no luck"),
        ("few", ValueError, "could not be fitted to .* rows: ValueError: too few rows"),
        ("no classes", ValueError, "has no classes_ after fit"),
        ("other classes", ValueError, r"has classes_ .*; y has only array\(\[0, 1\]\)"),
        ("twice", ValueError, "expected each class once"),
        ("predict", RuntimeError, "predict_proba failed for .* rows: KeyError: 'column'"),
        ("nan", ValueError, "predict_proba returned NaN or infinity"),
        ("negative", ValueError, "predict_proba returned -0.9, which is negative"),
        ("shape", ValueError, r"predict_proba returned shape .*, expected \(.*, 2\)"),
        ("rows", ValueError, "predict_proba returned shape"),
        ("sum", ValueError, "sums to 2, expected 1"),
        ("text", ValueError, "predict_proba failed for .* could not convert"),
    ],
)
def test_errors_name_the_member(how, kind, text, threads):
    model = lacuna.ReliableClassifier(conditional=[Stripes(), Broken(how)], threads=threads, **QUICK)
    with pytest.raises(kind, match=f"conditional: Broken .*{text}") as caught:
        model.fit(X, Y)
    if "failed" in text or "could not be fitted" in text:
        assert caught.value.__cause__ is not None


@pytest.mark.parametrize("members", [[Stripes], [KNeighborsClassifier], ["densities"], [5], [object()], LogisticRegression()])
def test_what_is_no_member_is_a_type_error(members):
    with pytest.raises(TypeError, match="^conditional: got "):
        lacuna.ReliableClassifier(conditional=members).fit(X, Y)


def test_an_empty_list_is_the_stack():
    plain = lacuna.ReliableClassifier(conditional="stack", **QUICK).fit(X, Y).predict_proba(X)
    for members in ([], ["stack"], ()):
        listed = lacuna.ReliableClassifier(conditional=members, **QUICK).fit(X, Y)
        np.testing.assert_array_equal(listed.predict_proba(X), plain)


def test_members_of_one_kind_have_names_of_their_own():
    members = [KNeighborsClassifier(1), KNeighborsClassifier(9)]
    weights = weights_of(lacuna.ReliableClassifier(conditional=members, **QUICK).fit(X, Y))
    assert list(weights)[-2:] == ["KNeighborsClassifier", "KNeighborsClassifier-2"]


def test_a_class_with_one_label_and_one_with_none():
    random = np.random.default_rng(1)
    y = np.array([*[0, 1] * 20, 2, *[-1] * 60])
    rows = random.normal(size=(len(y), 2)) + 4.0 * np.array([*[0, 1] * 20, 2, *random.integers(0, 3, 60)])[:, None]
    model = lacuna.ReliableClassifier(conditional=[LogisticRegression(), Shares()], classes=[0, 1, 2, 3], **QUICK)
    found = model.fit(rows, y).predict_proba(rows)
    assert found.shape == (101, 4) and np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_scikit_learns_tools():
    model = lacuna.ReliableClassifier(conditional=[KNeighborsClassifier(3), Stripes()], **QUICK)
    copy = clone(model)
    assert copy.conditional is not model.conditional and copy.conditional[0].n_neighbors == 3
    assert model.get_params()["conditional"] is model.conditional and "KNeighborsClassifier" in repr(model)
    assert model.set_params(conditional="stack").conditional == "stack"
    search = GridSearchCV(
        lacuna.ReliableClassifier(threads=1, trust="none", **QUICK),
        {"conditional": ["stack", [Stripes()], [Noise(), KNeighborsClassifier()]]},
        cv=lacuna.SemiSupervisedKFold(2),
        n_jobs=2,
        error_score="raise",
    ).fit(X, Y)
    assert isinstance(search.best_params_["conditional"], list) and isinstance(search.best_params_["conditional"][0], Stripes)
    assert search.best_score_ > 0.85


def test_all_methods_at_once():
    rows, y, truth = clouds(300)
    estimator = lacuna.ReliableClassifier(conditional=[LogisticRegression()], **QUICK)
    result = lacuna.compare(rows, y, rows, truth, estimator=estimator)
    assert "LogisticRegression" in weights_of(result.models["mar"])
    assert result["mar"].error_rate < 0.3


def test_a_member_may_be_lacuna_itself():
    rows, y, _ = clouds(200)
    inner = lacuna.ReliableClassifier(conditional=[LogisticRegression()], trust="none", **QUICK)
    model = lacuna.ReliableClassifier(conditional=[inner], threads=2, **QUICK).fit(rows, y)
    assert "ReliableClassifier" in weights_of(model)
