"""What Python users send by mistake: the exception they expect, a text that helps, and a process that lives on."""

import numpy as np
import pytest
import scipy.sparse
from conftest import clouds
from sklearn.exceptions import NotFittedError

import lacuna

X, Y, _ = clouds(60)
ESTIMATORS = [
    lacuna.ReliableClassifier(draws=1),
    lacuna.ReliableClassifier(draws=1, density="kde"),
    lacuna.VariationalGaussianMixture(),
    lacuna.GaussianMixture(),
    lacuna.KernelDensity(),
]
infinite = X.copy()
infinite[3, 1] = -np.inf
huge = X.copy()
huge[3, 1] = 1e200

BAD_X = [
    (X[:, 0], ValueError, "Expected 2D array, got 1D array"),
    (X.reshape(-1, 2, 1), ValueError, "dim 3|3D|expected <= 2"),
    (np.float64(3.0), ValueError, "Expected 2D array, got scalar"),
    (np.empty((0, 2)), ValueError, "0 sample"),
    (np.empty((60, 0)), ValueError, "0 feature"),
    (infinite, ValueError, "infinity"),
    (huge, ValueError, "row 4, column .*got 1e\\+200, expected a feature within"),
    (scipy.sparse.csr_matrix(X), TypeError, "[Ss]parse"),
    (np.full((60, 2), "a"), ValueError, "could not convert string to float|Unable to convert"),
    (np.array([[object(), 1.0]] * 60, dtype=object), TypeError, "argument must be|not 'object'"),
    (X + 1j, ValueError, "Complex data not supported"),
    ([[1.0, 2.0], [3.0]] * 30, ValueError, "inhomogeneous|sequence"),
    (None, ValueError, "Expected 2D array, got scalar"),
    (np.ma.masked_greater(X, 1.0), ValueError, "X is a masked array.*filled"),
    ("X.csv", ValueError, "Expected 2D array, got scalar|could not convert"),
    ({"a": [1.0]}, (TypeError, ValueError), ""),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize(("bad", "kind", "text"), BAD_X, ids=[text for _, _, text in BAD_X])
def test_bad_rows(estimator, bad, kind, text):
    with pytest.raises(kind, match=text):
        estimator.fit(bad, Y)
    ask = estimator.fit(X, Y).predict if hasattr(estimator, "predict") else estimator.fit(X).score_samples
    if not isinstance(bad, np.ndarray) or bad is not huge:  # a row far from all data gets an answer
        with pytest.raises(kind, match=text):
            ask(bad)
    assert len(ask(X)) == 60


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_spread_too_small_to_square(estimator):
    with pytest.raises(ValueError, match="column .*differ by at most .*e-1[0-9][0-9].*1e-100 or more.*rescale"):
        estimator.fit(X * [1.0, 1e-180], Y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_tiny_weights(estimator):
    model = estimator.fit(X, Y, sample_weight=np.full(60, 1e-30))
    assert np.isfinite(model.predict_proba(X) if hasattr(model, "predict") else model.score_samples(X)).all()


@pytest.mark.parametrize(
    "X_like", [X.tolist(), X.astype(np.float32), np.asfortranarray(X), X.astype(object), X[::-1][::-1]]
)
def test_other_forms_of_the_same_rows(X_like):
    model = lacuna.ReliableClassifier(draws=1).fit(X_like, Y.tolist())
    rows = np.ascontiguousarray(X_like, dtype=np.float64)
    expected = lacuna.ReliableClassifier(draws=1).fit(rows, Y)
    np.testing.assert_array_equal(model.error_probability(X_like), expected.error_probability(rows))


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (np.ones(59), "inconsistent|shape"),
        (-np.ones(60), "[Nn]egative|weights must be finite and not negative"),
        (np.full(60, np.nan), "NaN"),
        (np.full(60, np.inf), "infinity"),
        (np.ones((60, 2)), "1D"),
        (["a"] * 60, "could not convert"),
        (np.zeros(60), "all weights are zero"),
        (np.full(60, 1e300), "row 1: got the weight 1e\\+300, expected at most 1e\\+12.*; divide"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_bad_weights(estimator, weights, text):
    with pytest.raises(ValueError, match=text):
        estimator.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_other_misuse(estimator):
    new = estimator.__class__()
    for method in ("predict", "score_samples", "error_probability", "sample", "save"):
        if hasattr(new, method):
            with pytest.raises(NotFittedError):
                getattr(new, method)(X)
    with pytest.raises((ValueError, AttributeError)):
        new.set_params(nonsense=1)
    with pytest.raises(TypeError):
        estimator.__class__(nonsense=1)
    if hasattr(estimator, "sample"):
        with pytest.raises(ValueError, match="n_samples: got 0"):
            estimator.fit(X).sample(0)


def test_few_rows():
    assert lacuna.ReliableClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.1]]).tolist() == [0]
    assert np.isfinite(lacuna.VariationalGaussianMixture().fit([[3.0]]).score_samples([[3.0], [1e9]])).all()
    with pytest.raises(ValueError, match="one class"):
        lacuna.ReliableClassifier().fit([[0.0]], [0])


def test_the_compiled_part_refuses_what_the_package_never_sends():
    from lacuna import _core

    options = [("density", ["kde"])]
    with pytest.raises(TypeError):
        _core.fit_density(X.astype(np.float32), None, options, None)
    with pytest.raises(TypeError):
        _core.fit_density(np.asfortranarray(X), None, options, None)
    with pytest.raises(TypeError, match="two axes"):
        _core.fit_density(X[:, 0].copy(), None, options, None)
    with pytest.raises(ValueError, match="nonsense: there is no such option"):
        _core.fit_density(X, None, [("nonsense", ["1"])], None)
    with pytest.raises(ValueError, match="59 labels but 60 rows"):
        columns = [("a", None, False), ("b", None, False)]
        _core.fit_models(["mar"], X, Y[:-1].astype(np.int32), ["0", "1"], None, columns, options, None, [], "int", None)
    with pytest.raises(ValueError, match="1 feature names but 2 columns"):
        _core.fit_models(["mar"], X, Y.astype(np.int32), ["0", "1"], None, [("a", None, False)], options, None, [], "int", None)
    density = _core.fit_density(X, None, options, None)
    with pytest.raises(ValueError, match="the rows have 1 features"):
        density.log_density(X[:, :1].copy(), 1, None)


def test_a_mask_is_never_dropped():
    y = np.ma.masked_equal(Y, -1)
    model = lacuna.ReliableClassifier(draws=1)
    with pytest.raises(ValueError, match="y is a masked array.*missing_label"):
        model.fit(X, y)
    model.fit(X, y.filled(-1))
    with pytest.raises(ValueError, match="y is a masked array"):
        model.score(X, y)
    with pytest.raises(ValueError, match="X is a masked array"):
        model.predict(np.ma.masked_greater(X, 1.0))
    with pytest.raises(ValueError, match="X is a masked array"):
        lacuna.ReliableClassifier(draws=1, categorical=[0]).fit(np.ma.masked_greater(np.round(X), 1.0), Y)
    with pytest.raises(ValueError, match="sample_weight is a masked array"):
        lacuna.GaussianMixture().fit(X, sample_weight=np.ma.ones(len(X)))
    with pytest.raises(ValueError, match="probabilities is a masked array"):
        lacuna.reliability(Y, probabilities=np.ma.array(model.predict_proba(X)))
