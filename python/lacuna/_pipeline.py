"""What only lacuna's classifier says, asked through a pipeline."""

from functools import wraps

from sklearn import pipeline
from sklearn.utils.metaestimators import available_if

from lacuna._classifier import ReliableClassifier


def _through(name):
    """A method that maps the rows as `predict` does and then asks the last step."""

    @available_if(lambda steps: hasattr(steps.steps[-1][1], name))
    @wraps(getattr(ReliableClassifier, name))
    def ask(self, X, *arguments, **options):
        for _, step in self.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return getattr(self.steps[-1][1], name)(X, *arguments, **options)

    return ask


class Pipeline(pipeline.Pipeline):
    """scikit-learn's `Pipeline`, which also asks its last step for what scikit-learn has no name for.

    Those are `error_probability`, `informative`, `log_ratio`, `predict_set` and `accept`, where the last step has them. All
    else is as in scikit-learn; `Pipeline(other.steps)` asks a pipeline that is there already, fitted or not.

    Examples
    --------
    >>> import lacuna, numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 2)) + np.repeat([[0, 0], [6, 0], [3, 20]], 100, axis=0)
    >>> y = np.repeat([0, 1, -1], 100)
    >>> model = lacuna.Pipeline([("scale", StandardScaler()), ("classify", lacuna.ReliableClassifier())]).fit(X, y)
    >>> model.error_probability([[0, 0], [3, 20]]).round(1)
    array([0. , 0.5])
    """

    error_probability = _through("error_probability")
    informative = _through("informative")
    log_ratio = _through("log_ratio")
    predict_set = _through("predict_set")
    accept = _through("accept")
