from typing import Any, Callable, Iterable, Optional, Sequence, TypedDict

import numpy as np
from numpy.typing import NDArray

_Progress = Optional[Callable[[str, float, float], None]]
_Options = Sequence[tuple[str, Sequence[str]]]
_Column = tuple[str, Optional[list[str]], bool]
_Rows = tuple[list[str], NDArray[np.int32], Optional[NDArray[np.int32]], list[str]]
_Predictions = tuple[NDArray[np.float64], Optional[NDArray[np.int32]], Optional[NDArray[np.float64]]]

class _Option(TypedDict):
    name: str
    value_name: str
    help: str
    kind: str
    expected: str
    choices: list[str]
    unset: str
    group: str
    default: Any

class _Tables(TypedDict):
    fit: list[_Option]
    families: dict[str, list[_Option]]
    vae: list[_Option]
    evaluate: list[_Option]
    compare: list[_Option]

version: str
methods: list[str]

def options() -> _Tables: ...
def preset(name: str) -> dict[str, Any]: ...
def check_options(given: _Options) -> None: ...
def takes_codes(given: _Options) -> bool: ...
def takes_gaps(given: _Options) -> bool: ...

class Model:
    @property
    def class_names(self) -> list[str]: ...
    @property
    def columns(self) -> list[_Column]: ...
    @property
    def kappa(self) -> float: ...
    @property
    def informative_weight(self) -> float: ...
    @property
    def takes_gaps(self) -> bool: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def label_type(self) -> str: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    def record_json(self) -> str: ...
    def score(
        self, features: NDArray[np.float64] | NDArray[np.float32], threads: int, progress: _Progress
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]: ...
    def sets(
        self, features: NDArray[np.float64] | NDArray[np.float32], coverage: float, odds: float, threads: int, progress: _Progress
    ) -> NDArray[np.bool_]: ...
    def accept(
        self, features: NDArray[np.float64] | NDArray[np.float32], risk: float, confidence: float, threads: int, progress: _Progress
    ) -> NDArray[np.bool_]: ...
    def explain(
        self,
        features: NDArray[np.float64],
        row: int,
        train: Optional[tuple[NDArray[np.float64], NDArray[np.int32]]],
        progress: _Progress,
    ) -> str: ...
    def advise(
        self, features: NDArray[np.float64], labels: Optional[NDArray[np.int32]], n: int, threads: int, progress: _Progress
    ) -> tuple[list[tuple[int, str, int, int, float, float, float]], int, float]: ...
    def save(self, path: str, overwrite: bool) -> None: ...

def load_model(path: str) -> Model: ...
def fit_models(
    methods: Sequence[str],
    features: NDArray[np.float64],
    labels: NDArray[np.int32],
    class_names: Sequence[str],
    weights: Optional[NDArray[np.float64]],
    columns: Sequence[_Column],
    options: _Options,
    density: Any,
    members: Sequence[Any],
    label_type: str,
    progress: _Progress,
    whole: Optional[RemoteTable] = None,
) -> list[Model]: ...

class RemoteTable:
    def __init__(
        self,
        n_rows: int,
        kept: NDArray[np.int64],
        labeled: NDArray[np.int64],
        ask: Callable[[str, bytes], Iterable[bytes]],
    ) -> None: ...

def count_part(
    question: bytes, features: NDArray[np.float64], first: int, labeled: NDArray[np.int64], n_labeled_before: int
) -> bytes: ...
def kept_rows(
    options: _Options, n_rows: int, labeled: NDArray[np.int64], n_features: int
) -> NDArray[np.int64]: ...
def diagnose_rows(
    features: NDArray[np.float64],
    labels: NDArray[np.int32],
    class_names: Sequence[str],
    weights: Optional[NDArray[np.float64]],
    columns: Sequence[_Column],
    options: _Options,
    density: Any,
    members: Sequence[Any],
    progress: _Progress,
) -> str: ...

class PlainModel:
    @property
    def name(self) -> str: ...
    def probabilities(
        self, like: Model, features: NDArray[np.float64], threads: int, progress: _Progress
    ) -> NDArray[np.float64]: ...

def fit_plain_models(
    like: Model, features: NDArray[np.float64], labels: NDArray[np.int32], threads: int, progress: _Progress
) -> tuple[list[PlainModel], str]: ...
def find_winner(competitors: Sequence[tuple[str, bool, float]]) -> tuple[str, str]: ...
def evaluate_rows(
    rows: _Rows, predictions: _Predictions, bins: int, bin_kind: str, progress: _Progress
) -> str: ...
def report_page(
    title: str,
    rows: _Rows,
    features: Optional[NDArray[np.float64]],
    training: Optional[tuple[NDArray[np.float64], NDArray[np.int32]]],
    classifiers: Sequence[tuple[str, _Predictions, Optional[Model]]],
    sentences: Sequence[str],
    threads: int,
    progress: _Progress,
) -> str: ...

class Density:
    @property
    def family(self) -> str: ...
    @property
    def n_features(self) -> int: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    def log_density(self, features: NDArray[np.float64], threads: int, progress: _Progress) -> NDArray[np.float64]: ...
    def sample(self, n_rows: int, seed: int) -> NDArray[np.float64]: ...

def fit_density(
    features: NDArray[np.float64], weights: Optional[NDArray[np.float64]], options: _Options, progress: _Progress
) -> Density: ...

class Statistics:
    @property
    def total_weight(self) -> float: ...
    def __add__(self, other: Statistics) -> Statistics: ...
    def __sub__(self, other: Statistics) -> Statistics: ...

def count_statistics(
    mixture: Density,
    features: NDArray[np.float64],
    weights: Optional[NDArray[np.float64]],
    threads: int,
    progress: _Progress,
) -> Statistics: ...
def update_mixture(mixture: Density, statistics: Statistics, options: _Options) -> Density: ...

class FeatureChain:
    def apply(self, features: NDArray[np.float64], threads: int, progress: _Progress) -> NDArray[np.float64]: ...
    def n_outputs(self, n_inputs: int) -> int: ...
    def output_names(self, input_names: Sequence[str]) -> list[str]: ...

def fit_vae(
    features: NDArray[np.float64], n_latent: int, options: _Options, progress: _Progress
) -> FeatureChain: ...
