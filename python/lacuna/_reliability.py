"""How honest predictions are: metrics and curves of `lacuna evaluate`, for rows in memory."""

import html
import io
import json

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_consistent_length

from lacuna import _core
from lacuna._labels import class_names, missing_mask, plain_labels
from lacuna._progress import progress

#: The metrics that tables show; docs/metrics.md defines each.
METRICS = ("n", "error_rate", "mean_error_probability", "ece", "overconfidence", "underconfidence", "brier_error", "nll")


def encode_rows(y, classes, strata, missing_label):
    """Labels and strata as the library takes them: class names, class numbers, places of strata, their names."""
    y = column_or_1d(y)
    check_consistent_length(y, strata)
    labeled = np.flatnonzero(~missing_mask(y, missing_label))
    place = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    found, inverse = np.unique(plain_labels(y[labeled]), return_inverse=True)
    for number, label in enumerate(found.tolist()):
        if label not in place:
            row = labeled[np.flatnonzero(inverse == number)[0]]
            known = ", ".join(class_names(classes))
            raise ValueError(f"y, row {row}: the label {label!r} is none of the classes ({known}); leave the row out")
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[labeled] = np.array([place[label] for label in found.tolist()], dtype=np.int32)[inverse]
    if strata is None:
        return class_names(classes), codes, None, []
    names, places = np.unique([str(name) for name in column_or_1d(strata)], return_inverse=True)
    return class_names(classes), codes, places.astype(np.int32), names.tolist()


def reliability(y, probabilities, *, classes=None, strata=None, missing_label=None, bins=20, bin_kind="equal-width"):
    """Compares the probabilities that any classifier gave with the labels.

    Parameters
    ----------
    y : array of shape (n_samples,)
        True labels; rows where it is `missing_label` are counted and left out.
    probabilities : array of shape (n_samples, n_classes)
        As `predict_proba` returns them. The prediction is the likeliest class, its error probability the rest.
    classes : list, default=None
        The class of each column (`classes_` of a classifier). None: the sorted labels of y.
    strata : array of shape (n_samples,), default=None
        A group for each row. Metrics are given per group, and a bin's error rate is split into what each adds to it.
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
    probabilities = check_array(probabilities, dtype=np.float64, order="C", input_name="probabilities")
    check_consistent_length(probabilities, y)
    if classes is None:
        labels = column_or_1d(y)
        classes = np.unique(labels[~missing_mask(labels, missing_label)])
    if len(classes) != probabilities.shape[1]:
        raise ValueError(
            f"probabilities has {probabilities.shape[1]} columns for {len(classes)} classes ({', '.join(class_names(classes))}); "
            "name the class of each column with classes=[...]"
        )
    rows = encode_rows(y, classes, strata, missing_label)
    with progress(None) as report:
        return Reliability(json.loads(_core.evaluate_rows(rows, probabilities, bin_kind, bins, report)), classes)


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
        lines = [" ".join([f"{'':16}", *(f"{name:>22}" for name in METRICS)])]
        for name, metrics in self.rows():
            lines.append(" ".join([f"{name[:16]:16}", *(f"{cell(metrics[key]):>22}" for key in METRICS)]))
        return "\n".join(lines)

    def _repr_html_(self):
        return table_html([({"rows": name}, metrics) for name, metrics in self.rows()]) + figure_html(self.plot)

    def plot(self, ax=None, *, legend=True):
        """The reliability diagram on Matplotlib axes: error rate against error probability, with exact 95 % intervals.

        With strata, each one's contribution to the error rate of a bin has a mark of its own; they add up to it.
        """
        ax = _axes(ax)
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
            ax.legend(frameon=False, fontsize="small", loc="upper left")
        return ax

    def plot_risk_coverage(self, ax=None):
        """Error rate of the surest rows against the share of rows that are answered, on Matplotlib axes."""
        ax = _axes(ax)
        points = self.document["risk_coverage"]["curve"]
        ax.plot([p["coverage"] for p in points], [p["risk"] for p in points], color="0.25")
        ax.set(xlim=(0, 1), ylim=(0, None), xlabel="share of rows answered", ylabel="error rate among them")
        return ax


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Matplotlib is needed to plot; install it (Debian: python3-matplotlib)") from None
    # In a script or notebook that uses pyplot the figure is pyplot's, so that plt.show() shows it.
    import sys

    if "matplotlib.pyplot" in sys.modules:
        return sys.modules["matplotlib.pyplot"].subplots()[1]
    return Figure(figsize=(4, 4)).subplots()


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
