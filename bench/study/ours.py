"""lacuna, through its Python package as users have it."""

import functools
import hashlib
from pathlib import Path

from data_table import Absent

#: Methods of the package, with its defaults otherwise. `--ours NAME=JSON` adds others.
OURS = {"mar": {"method": "mar"}, "mcar-sampling": {"method": "mcar-sampling"}, "supervised": {"method": "supervised"}}


@functools.lru_cache(maxsize=1)
def build():
    """Which lacuna this is: its version, and a sum of the library's file and of the Python files beside it."""
    try:
        import lacuna
        from lacuna import _core
    except ImportError as error:
        raise Absent(f"the Python package lacuna ({error}); a build with -DLACUNA_BUILD_PYTHON=ON has it in its folder python") from None
    total = hashlib.sha256()
    for path in [_core.__file__, *sorted(Path(lacuna.__file__).parent.glob("*.py"))]:
        total.update(Path(path).read_bytes())
    return {"version": lacuna.__version__, "sum": total.hexdigest()[:16]}


def make(options, n_classes, seed):
    from lacuna import ReliableClassifier

    model = ReliableClassifier(classes=list(range(n_classes)), random_state=seed, threads=1, verbose=False)
    return model.set_params(**options)


def fit(options, case):
    return make(options, case.n_classes, case.seed).fit(case.X.reset_index(drop=True), case.y)


def answers(model, X):
    """Probabilities of the classes, prediction, error probability: in one pass, where the public methods would need three."""
    scores = model._score_rows(X)
    return scores.posterior, scores.prediction, scores.error_probability
