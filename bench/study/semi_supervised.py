"""Peers that learn from unlabeled rows as well. Those whose cost grows with the square of the rows get a sample of them."""

import numpy as np
from scipy.sparse import csgraph
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold
from sklearn.neighbors import kneighbors_graph
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from data_table import Absent
from encoding import as_points

# Most training rows, labeled and unlabeled; at least half of them unlabeled.
MOST_ROWS_SPREADING = 6000
MOST_ROWS_SVM = 3000
MOST_ROWS_LAPLACIAN = 2500
N_NEIGHBOURS = 10


class Encoded:
    """A classifier behind an encoder; both are fitted."""

    def __init__(self, encoder, model):
        self.encoder, self.model, self.classes_ = encoder, model, model.classes_

    def predict_proba(self, X):
        return self.model.predict_proba(self.encoder.transform(X))


def _note(case, used):
    return None if used is case else f"{len(used.y)} of {len(case.y)} training rows, by lot"


def self_training(model, case, most_rows=None):
    """scikit-learn's, with its threshold of 0.75: sure answers become labels, round by round.

    Around an SVM it is the nearest to a transductive SVM that Debian packages offer: both let the machine label the rows
    that it is then fitted to.
    """
    used = case if most_rows is None else case.thinned(most_rows)
    encoder, classifier = model[:-1], model[-1]
    points = encoder.fit_transform(used.X)
    return Encoded(encoder, SelfTrainingClassifier(classifier).fit(points, used.y)), _note(case, used)


def label_spreading(case):
    """scikit-learn's, on the graph of ten nearest neighbours. A row whose neighbours got no label: uniform."""
    used = case.thinned(MOST_ROWS_SPREADING)
    encoder = as_points()
    points = encoder.fit_transform(used.X)
    return Encoded(encoder, LabelSpreading(kernel="knn", n_neighbors=N_NEIGHBOURS).fit(points, used.y)), _note(case, used)


class LaplacianLeastSquares:
    """Regularised least squares that is smooth along the graph of all rows (Belkin, Niyogi and Sindhwani 2006).

    The sibling of the Laplacian SVM, with a square instead of a hinge, which makes it one linear system; no Debian package has
    either. Scores become probabilities by a logistic regression on scores of rows that were not fitted.
    """

    def __init__(self, ridge=0.01, smoothness=0.1):
        self.ridge, self.smoothness = ridge, smoothness

    def fit(self, points, y, seed):
        labeled = np.flatnonzero(y >= 0)
        self.points, self.classes_ = points, np.unique(y[labeled])
        self.gamma = 1.0 / max(points.shape[1] * points.var(), 1e-12)
        self.kernel = rbf_kernel(points, gamma=self.gamma)
        graph = kneighbors_graph(points, min(N_NEIGHBOURS, len(points) - 1))
        self.laplacian = csgraph.laplacian(graph.maximum(graph.T), normed=True)
        held_out = np.zeros((len(labeled), len(self.classes_)))
        for train, test in KFold(3, shuffle=True, random_state=seed).split(labeled):
            held_out[test] = self.kernel[labeled[test]] @ self._solve(labeled[train], y)
        self.scale = LogisticRegression(C=10.0, max_iter=500).fit(held_out, y[labeled])
        self.alpha = self._solve(labeled, y)
        del self.kernel, self.laplacian
        return self

    def _solve(self, labeled, y):
        n, n_labeled = len(self.points), len(labeled)
        is_labeled = np.zeros(n)
        is_labeled[labeled] = 1.0
        targets = np.zeros((n, len(self.classes_)))
        targets[labeled] = y[labeled, None] == self.classes_
        system = is_labeled[:, None] * self.kernel + self.smoothness * n_labeled / n * (self.laplacian @ self.kernel)
        system[np.diag_indices(n)] += self.ridge * n_labeled
        return np.linalg.solve(system, targets)

    def predict_proba(self, points):
        blocks = np.array_split(points, len(points) // 5000 + 1)
        scores = np.vstack([rbf_kernel(block, self.points, gamma=self.gamma) @ self.alpha for block in blocks])
        return self.scale.predict_proba(scores)


def laplacian_least_squares(case):
    used = case.thinned(MOST_ROWS_LAPLACIAN)
    encoder = as_points()
    points = encoder.fit_transform(used.X)
    return Encoded(encoder, LaplacianLeastSquares().fit(points, used.y, case.seed)), _note(case, used)


def m2_vae(case):
    try:
        import m2
    except ImportError:
        raise Absent("PyTorch (Debian: python3-torch)") from None
    encoder = as_points()
    points = encoder.fit_transform(case.X)
    return Encoded(encoder, m2.M2(case.n_classes).fit(points, case.y, case.seed)), None
