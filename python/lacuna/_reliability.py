"""How honest predictions are: metrics and curves of `lacuna evaluate`, for rows in memory."""

import html
import io
import json
import sys

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_consistent_length

from lacuna import _core
from lacuna._labels import class_names, label_array, missing_mask, plain_labels
from lacuna._progress import progress
from lacuna._sklearn import refuse_masked_rows
from lacuna._tables import is_null, value_text

#: The metrics that tables show; docs/metrics.md defines each.
METRICS = ("n", "error_rate", "mean_error_probability", "ece", "overconfidence", "underconfidence", "brier_error", "nll")


def class_numbers(labels, classes, name, rows):
    """The place of each label among the classes; `rows` are the places of the labels in the array called `name`."""
    place = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    found, inverse = np.unique(plain_labels(labels), return_inverse=True)
    for number, label in enumerate(found.tolist()):
        if label not in place:
            row = rows[np.flatnonzero(inverse == number)[0]]
            known = ", ".join(map(repr, place))
            raise ValueError(
                f"{name}[{row}] is {label!r}, which is none of the classes ({known}); leave the row out, or name the "
                "class with classes=[...]: every class needs a column of probabilities"
            )
    return np.array([place[label] for label in found.tolist()], dtype=np.int32)[inverse]


def encode_rows(y, classes, strata, missing_label):
    """Labels and strata as the library takes them: class names, class numbers, places of strata, their names."""
    y = label_array(y)
    check_consistent_length(y, strata)
    labeled = np.flatnonzero(~missing_mask(y, missing_label))
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[labeled] = class_numbers(y[labeled], classes, "y", labeled)
    if strata is None:
        return class_names(classes), codes, None, []
    texts = ["" if is_null(name) else value_text(name) for name in label_array(strata)]
    names, places = np.unique(texts, return_inverse=True)
    return class_names(classes), codes, places.astype(np.int32), names.tolist()


def evaluate(rows, predictions, classes, bins=20, bin_kind="equal-width"):
    """The Reliability of predictions: probabilities, and class numbers and error probabilities or None for those."""
    with progress(None) as watch:
        return Reliability(json.loads(_core.evaluate_rows(rows, predictions, bins, bin_kind, watch)), classes)


def reliability(
    y, probabilities, *, prediction=None, error_probability=None, classes=None, strata=None, missing_label=None, bins=20,
    bin_kind="equal-width"
):  # fmt: skip
    """Compares what any classifier said with the labels.

    Parameters
    ----------
    y : array of shape (n_samples,)
        True labels; rows where it is `missing_label` are counted and left out.
    probabilities : array of shape (n_samples, n_classes)
        As `predict_proba` returns them. Those in single precision are scaled to add up to one.
    prediction : array of shape (n_samples,), default=None
        What was predicted; None: the likeliest class.
    error_probability : array of shape (n_samples,), default=None
        How likely each prediction is wrong; None: one minus its probability.
    classes : list, default=None
        The class of each column (`classes_` of a classifier). None: the sorted labels of y.
    strata : array of shape (n_samples,), default=None
        A group for each row, "" where it is missing. Metrics are given per group, and a bin's error rate is split
        into what each adds to it.
    missing_label : default=None
        What marks a row without a label. None stands for None, NaN and pandas.NA.
    bins : int, default=20
        Bins of the curve; the metrics always have 20 of equal width.
    bin_kind : {"equal-width", "equal-mass"}, default="equal-width"
        How the curve's bins are cut.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> import lacuna
    >>> result = lacuna.reliability(["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]], strata=["in", "out", "in"])
    >>> round(result.error_rate, 3), round(result.overconfidence, 3)
    (0.333, 0.267)
    >>> result.strata["out"]["error_rate"]
    1.0
    """
    probabilities = read_probabilities(probabilities)
    check_consistent_length(probabilities, y, prediction, error_probability)
    y = label_array(y)
    classes = np.unique(plain_labels(y[~missing_mask(y, missing_label)])) if classes is None else _classes(classes)
    if len(classes) != probabilities.shape[1]:
        raise ValueError(
            f"probabilities has {probabilities.shape[1]} columns for {len(classes)} classes ({', '.join(class_names(classes))}); "
            "name the class of each column with classes=[...]"
        )
    if prediction is not None:
        prediction = label_array(prediction)
        prediction = class_numbers(prediction, classes, "prediction", np.arange(len(prediction)))
    if error_probability is not None:
        error_probability = _error_probability(error_probability)
    rows = encode_rows(y, classes, strata, missing_label)
    return evaluate(rows, (probabilities, prediction, error_probability), classes, bins, bin_kind)


def read_probabilities(values):
    """Probabilities as a float64 array in C order; those in single precision add up to one only after that."""
    if np.ndim(values) == 1:
        raise ValueError(
            "probabilities has one axis, expected a row per label and a column per class: give predict_proba(X), or for two "
            "classes np.column_stack([1 - p, p])"
        )
    given = getattr(values, "dtype", None)
    refuse_masked_rows(values, "probabilities")
    values = check_array(values, dtype=np.float64, order="C", input_name="probabilities")
    if given is not None and given in (np.float16, np.float32):
        sums = values.sum(axis=1, keepdims=True)
        if np.abs(sums - 1.0).max() < 1e-3:  # rounding; anything else is a mistake, which the library names
            return values / sums
    return values


def _error_probability(values):
    values = np.ascontiguousarray(column_or_1d(values), dtype=np.float64)
    bad = np.flatnonzero(~((values >= 0.0) & (values <= 1.0)))
    if len(bad) > 0:
        raise ValueError(f"error_probability[{bad[0]}] is {values[bad[0]]}, expected a number from 0 to 1")
    return values


def _classes(classes):
    classes = plain_labels(label_array(list(classes)))
    names = class_names(classes)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"classes names {twice[0]!r} twice; expected one class for each column of probabilities")
    return classes


_WORDS = {"infinity": np.inf, "-infinity": -np.inf, None: np.nan}  # for numbers that JSON does not have


def _metrics(document):
    """The numbers of a JSON object."""
    numbers = {name: _WORDS.get(value, value) for name, value in document.items() if not isinstance(value, (dict, list))}
    return {name: value for name, value in numbers.items() if not isinstance(value, str)}


class Reliability:
    """How good and how honest predictions were. Metrics are attributes: `error_rate`, `ece`, `overconfidence`, ...

    Attributes
    ----------
    metrics : dict
        All metrics over all rows, by the names of the command line's JSON.
    strata : dict
        The same for each stratum.
    curve : list of dict
        The bins of the reliability curve: `mean_error_probability`, `error_rate`, its exact 95 % interval, counts, and
        the `contributions` of the strata.
    confusion_matrix : ndarray
        Rows are true classes, columns predictions.
    document : dict
        Everything, as `lacuna evaluate --json` writes it.

    Examples
    --------
    >>> import lacuna
    >>> lacuna.reliability([0, 1], [[0.5, 0.5], [0.5, 0.5]]).metrics["ece"]
    0.0
    """

    def __init__(self, document, classes):
        self.document = document
        self.classes = np.asarray(classes)
        self.metrics = {**_metrics(document), **_metrics(document["risk_coverage"])}
        self.metrics.pop("model")  # none is known
        self.strata = {name: _metrics(part) for name, part in document["strata"].items()}
        self.curve = document["reliability"]["bins"]
        self.confusion_matrix = np.array(document["confusion_matrix"])

    def __getattr__(self, name):
        metrics = self.__dict__.get("metrics", {})
        if name in metrics:
            return metrics[name]
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def rows(self):
        """The metrics that tables show, for all rows and per stratum: (name, metrics)."""
        return [("all rows", self.metrics), *self.strata.items()]

    def __repr__(self):
        lines = [" ".join([f"{'':16}", *(f"{name:>7}" for name in METRICS)])]
        for name, metrics in self.rows():
            lines.append(" ".join([f"{name[:16]:16}", *(f"{cell(metrics[key]):>{max(len(key), 7)}}" for key in METRICS)]))
        return "\n".join(lines)

    def _repr_html_(self):
        return table_html([({"rows": name}, metrics) for name, metrics in self.rows()]) + figure_html(self.plot)

    def plot(self, ax=None, *, legend=True):
        """The reliability diagram on Matplotlib axes: error rate against error probability, with exact 95 % intervals.

        With strata, each one's contribution to the error rate of a bin has a mark of its own; they add up to it.
        """
        ax = new_axes() if ax is None else ax
        seen = [b for b in self.curve if b["n"] > 0]
        announced = np.array([b["mean_error_probability"] for b in seen])
        found = np.array([b["error_rate"] for b in seen])
        spread = [found - [b["interval_low"] for b in seen], [b["interval_high"] for b in seen] - found]
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
        ax.errorbar(announced, found, np.maximum(spread, 0.0), fmt="o-", color="0.25", markersize=3, linewidth=0.8, elinewidth=0.8, label="error rate")
        for name, marker in zip(self.strata, "x.+^v<>sd" * len(self.strata), strict=False):
            ax.plot(announced, [b["contributions"][name] for b in seen], marker, label=f"from {name}")
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="error probability", ylabel="error rate", aspect="equal")
        if self.strata and legend:
            ax.legend(frameon=False, fontsize="small", loc="best")
        return ax

    def plot_risk_coverage(self, ax=None):
        """Error rate of the surest rows against the share of rows that are answered, on Matplotlib axes."""
        ax = new_axes() if ax is None else ax
        points = self.document["risk_coverage"]["curve"]
        ax.plot([p["coverage"] for p in points], [p["risk"] for p in points], color="0.25")
        ax.set(xlim=(0, 1), ylim=(0, None), xlabel="share of rows answered", ylabel="error rate among them")
        return ax


def new_axes(columns=1, side=4.0):
    """Axes side by side. Where pyplot is in use the figure is pyplot's, so that plt.show() shows it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Matplotlib is needed to plot; install it (Debian: python3-matplotlib)") from None
    options = {"figsize": (side * columns, side), "layout": "constrained"}
    pyplot = sys.modules.get("matplotlib.pyplot")
    return (pyplot.figure(**options) if pyplot else Figure(**options)).subplots(1, columns)


def cell(value):
    """A number as tables show it."""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def table_html(rows):
    """A table: (names of the row, metrics) for each."""
    names = list(rows[0][0])
    head = "".join(f"<th>{html.escape(name)}</th>" for name in [*names, *METRICS])
    body = "".join(
        "<tr>"
        + "".join(f"<th>{html.escape(str(value))}</th>" for value in first.values())
        + "".join(f"<td style=\"text-align: right\">{cell(metrics[name])}</td>" for name in METRICS)
        + "</tr>"
        for first, metrics in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def figure_html(draw, columns=1):
    """A figure inside a page; nothing without Matplotlib. `draw` gets axes, an array of them for several columns."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=(3.6 * columns, 3.6), layout="constrained")
    draw(figure.subplots(1, columns))
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :].replace("<svg ", '<svg style="max-width: 100%; height: auto; display: block" ', 1)
