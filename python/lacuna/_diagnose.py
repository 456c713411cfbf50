"""What a table with missing labels allows to say, before anybody trusts a model of it."""

import json
import textwrap

from sklearn.base import clone

from lacuna import _core
from lacuna._classifier import ReliableClassifier
from lacuna._progress import progress


def diagnose(X, y, *, estimator=None):
    """Says who has a label, what labels can tell of the other rows, and what nobody can know.

    Are labels missing by lot; which columns tell who has one; about which rows labels say nothing; between what limits
    a model errs on rows without a label; which classes have too few. As `lacuna diagnose` of the command line.

    Parameters
    ----------
    X, y : rows and their labels
        `missing_label` of the estimator where there is none.
    estimator : ReliableClassifier, default=None
        Whose options count, but for `method`, `conditional` and `trust`.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import lacuna, numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(size=(1000, 2))
    >>> y = np.where((X[:, 0] < 0.5) & (random.uniform(size=1000) < 0.3), X[:, 1] > 0.5, -1)   # -1: no label
    >>> diagnosis = lacuna.diagnose(X, y)
    >>> diagnosis.p_value <= 0.05                                 # labels are not missing by lot
    True
    >>> diagnosis.columns[0]["name"]
    'c0'
    >>> diagnosis.error["low"] < 0.1 and diagnosis.error["high"] > 0.5   # whatever is true where nobody looked
    True
    """
    estimator = ReliableClassifier() if estimator is None else estimator
    if not isinstance(estimator, ReliableClassifier):
        raise TypeError(f"estimator: got {estimator!r}, expected a ReliableClassifier; map the features before")
    inputs, _ = clone(estimator)._fit_inputs(X, y, None)
    with progress(estimator.verbose) as watch:
        return Diagnosis(json.loads(_core.diagnose_rows(*inputs, watch)))


class Diagnosis:
    """What `diagnose` found.

    Attributes
    ----------
    document : dict
        Everything, as the JSON of `lacuna diagnose`.
    findings : list of dict
        What was found, why it matters and what to try, with `topic` and `concern`: "none", "note" or "warning".
    n_labeled, n_unlabeled : int
    auc, p_value : float or None
        How well labeled rows are told from the others, and whether lots explain it; None where rows are too few.
    columns : list of dict
        The columns that tell who has a label, the strongest first.
    outside_share : float
        The share of the unlabeled rows about which labels say nothing.
    effective_labels : float
        How many labels the others count for.
    error : dict
        `low` and `high`: the limits of the share of unlabeled rows on which a model errs.
    """

    def __init__(self, document):
        self.document = document
        self.findings = document["findings"]
        self.n_labeled = document["n_labeled"]
        self.n_unlabeled = document["n_unlabeled"]
        self.auc = document["labeling"]["auc"]
        self.p_value = document["labeling"]["p_value"]
        self.columns = document["labeling"]["columns"]
        self.outside_share = document["overlap"]["outside_share"]
        self.effective_labels = document["overlap"]["effective_labels"]
        self.error = document["error"]["total"]

    def __repr__(self):
        return "\n".join(
            textwrap.fill(f"{finding['topic']}: {finding[part]}", 100, subsequent_indent="    ")
            for finding in self.findings
            for part in ("found", "remedy")
        )
