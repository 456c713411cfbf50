"""Parameters of the estimators: what they are called, their types, defaults and docstrings.

Made by scripts/generate-options from the library's tables of options: change those, and run it again.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Mapping, Optional, Sequence, Union


@dataclass(eq=False, repr=False)
class ReliableClassifierParameters:
    """
    Parameters
    ----------
    method : {"supervised", "mcar-sampling", "mcar-em", "mar"}, default="mar"
        mar is lacuna's own; the others assume that labels went missing by lot, or use labeled rows only.
    density : str or object, default="vb-gmm"
        One of lacuna's density estimators, such as `VariationalGaussianMixture(components=10)`, the name of its
        family ("vb-gmm", "gmm", "kde", "dp-gmm") for one with the family's defaults, or any object with
        `fit(X)` and `score_samples(X)`. Its parameters are searched as `density__components`. An object that is
        not lacuna's is cloned for every fit. When its `fit` takes `sample_weight` it gets the weights of the
        rows; otherwise it is fitted to rows resampled by weight. Random states that it leaves at None follow
        `random_state`. It is called by one thread at a time, in a fixed order. Such a model can be pickled but
        not saved.
    kappa : float or str, default="auto:0.05"
        Threshold of the informative region: a number, or auto:ALPHA to call at most a share ALPHA of rows like
        the labeled ones uninformative.
    conditional : {"densities", "stack"} or list, default="stack"
        Class probabilities where labels speak: stack (densities, logistic regression, boosted trees and a
        forest, calibrated and weighted by rows they did not see), or densities alone, as in the paper. A list
        of classifiers with `fit(X, y)`, `predict_proba(X)` and `classes_`, such as
        `[RandomForestClassifier()]`, is the stack with these members beside the usual ones, for which "stack"
        may stand in the list. Each is cloned for every fit; random states that it leaves at None follow
        `random_state`. It gets the labeled rows as a float64 array: what `features` makes of the columns,
        numbers not scaled. A category is its number among the sorted categories where the density takes
        categories ("vb-gmm"), else a column of zeros and ones each; a missing value is NaN, and so is the
        number of a category that was not there at fit. It gets labels as they are in y, and weights, where
        there are any, if its `fit` takes `sample_weight`; otherwise rows are resampled by weight. Fits run on
        several threads (`threads`). Such a model can be pickled but not saved.
    region : {"densities", "classifier", "auto"}, default="auto"
        What tells where labels speak, with `conditional` stack: densities, a classifier of labeled against
        unlabeled rows, or auto: what does it better.
    trust : {"none", "regions", "worst"}, default="regions"
        How far a stack is trusted where labels are missing: none, regions (as far as simulated gaps justify),
        or worst (as far as the worst kind of gap does).
    posterior : {"joint", "product"}, default="joint"
        joint (exact) or product (as in the paper).
    draws : int or str, default=5
        Fill missing labels with M random draws, averaged, or 'soft': their probabilities; a stack does not
        draw.
    ignorant : {"guess", "random"}, default="guess"
        Prediction where labels say nothing: guess, as the labeled rows would, or random, any class by lot,
        which errs at exactly the rate that is announced there.
    background : {"cauchy", "none"}, default="cauchy"
        Doubt about rows unlike all others: cauchy, so that far away every class is as likely, or none, as in
        the paper.
    column_shapes : {"auto", "plain"}, default="auto"
        How densities see difficult columns: auto (a frequent value told from the numbers, long tails on a log-
        like scale, rare categories taken as one), or plain, as in the paper.
    shrinkage : float or "auto", default="auto"
        How much class densities have in common, 0 (nothing) to 1 (all, so that only the classes' shares count),
        or auto: as much as makes labels likeliest that the densities did not see.
    folds : int, default=5
        Folds of the cross-fit for `kappa` auto and `shrinkage` auto.
    max_em_iterations : int, default=500
        mcar-em: most rounds of filling and fitting.
    em_tolerance : float, default=0.0001
        mcar-em: converged when the log likelihood changes by less than this per row.
    classes : list, default=None
        Classes that may have no labeled row; those found in y are added.
    missing_label : object, default=-1
        What marks an unlabeled row in y. None and NaN both stand for None, NaN and pandas.NA.
    categorical : list of str or int, default=None
        Columns that hold categories although they look like numbers. Text, category and bool columns of a
        pandas frame are categories anyway.
    features : str, default="standardize"
        Maps before the densities: none, or any of standardize, pca:N, pca:SHARE and vae:N with commas between
        them; lacuna's own densities do a last standardize themselves.
    random_state : int, RandomState instance or None, default=0
        A whole number is the seed of the command line; one seed, one result. scikit-learn's tools look for this
        name, so it is not called seed.
    threads : int, default=0
        Threads, 0 for all cores; never changes a result. Set 1 inside of `GridSearchCV(n_jobs=-1)`.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where VAEs are trained and mixtures pass over many rows: auto (a GPU where one is), cpu or cuda.
    class_weight : dict, "balanced" or None, default=None
        What a wrong answer costs, by the true class; 1 where a dict says nothing. "balanced": the number of
        labeled rows over the number of classes and over the labeled rows of the class. `predict` gives the
        class that makes the expected cost smallest; the fit and all probabilities stay what they are, and
        `error_probability` is that of the class that is given. A model file has no place for it.
    verbose : bool or None, default=None
        None shows a progress bar on terminals and in notebooks when a call takes more than two seconds; False
        never does.

    """

    method: Literal["supervised", "mcar-sampling", "mcar-em", "mar"] = "mar"
    density: Any = "vb-gmm"
    kappa: Union[float, str] = "auto:0.05"
    _: KW_ONLY
    conditional: Union[Literal["densities", "stack"], Sequence[Any]] = "stack"
    region: Literal["densities", "classifier", "auto"] = "auto"
    trust: Literal["none", "regions", "worst"] = "regions"
    posterior: Literal["joint", "product"] = "joint"
    draws: Union[int, str] = 5
    ignorant: Literal["guess", "random"] = "guess"
    background: Literal["cauchy", "none"] = "cauchy"
    column_shapes: Literal["auto", "plain"] = "auto"
    shrinkage: Union[float, Literal["auto"]] = "auto"
    folds: int = 5
    max_em_iterations: int = 500
    em_tolerance: float = 0.0001
    classes: Optional[Sequence[Any]] = None
    missing_label: Any = -1
    categorical: Optional[Sequence[Union[str, int]]] = None
    features: str = "standardize"
    random_state: Any = 0
    threads: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    class_weight: Union[Mapping[Any, float], Literal["balanced"], None] = None
    verbose: Optional[bool] = None


@dataclass(eq=False, repr=False)
class VariationalGaussianMixtureParameters:
    """
    Parameters
    ----------
    components : int or "auto", default=7
        Most components, of which vb-gmm switches unneeded ones off; auto lets it look for as many as it needs.
    covariance : {"full", "tied", "diagonal", "spherical"}, default="full"
        Shape of the components.
    restarts : int, default=1
        Starts per density; the best is kept.
    max_iterations : int, default=500
        Most iterations per start.
    tolerance : float, default=1e-05
        Converged when the objective changes by less than this share of itself.
    weight_prior : {"dirichlet", "stick-breaking"}, default="dirichlet"
        Prior of the mixing weights.
    density_form : {"predictive", "plug-in", "expected-log"}, default="predictive"
        What the log density is; expected-log is no density, its mass is below one.
    weight_concentration : float or None, default=None
        Prior of the mixing weights; 0 lets it follow `components`. None is the same as 0.
    mean_precision : float, default=1.0
        Rows of prior evidence for a component's mean.
    degrees_of_freedom : float or None, default=None
        Of the Wishart prior; 0 stands for the number of features. None is the same as 0.
    covariance_scale : float, default=0.3
        Prior scatter of a component, relative to the data's variance.
    category_concentration : float, default=1.0
        Prior rows of each category in a component.
    own_covariance : bool, default=False
        Prior scatter from the rows' own covariance alone; else few rows borrow from all.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    """

    components: Union[int, Literal["auto"]] = 7
    _: KW_ONLY
    covariance: Literal["full", "tied", "diagonal", "spherical"] = "full"
    restarts: int = 1
    max_iterations: int = 500
    tolerance: float = 1e-05
    weight_prior: Literal["dirichlet", "stick-breaking"] = "dirichlet"
    density_form: Literal["predictive", "plug-in", "expected-log"] = "predictive"
    weight_concentration: Optional[float] = None
    mean_precision: float = 1.0
    degrees_of_freedom: Optional[float] = None
    covariance_scale: float = 0.3
    category_concentration: float = 1.0
    own_covariance: bool = False
    random_state: Any = 0
    threads: int = 0
    verbose: Optional[bool] = None


@dataclass(eq=False, repr=False)
class GaussianMixtureParameters:
    """
    Parameters
    ----------
    components : int, default=7
        Components, fewer when the rows cannot tell so many apart.
    covariance : {"full", "tied", "diagonal", "spherical"}, default="full"
        Shape of the components.
    restarts : int, default=1
        Starts per density; the best is kept.
    max_iterations : int, default=500
        Most iterations per start.
    tolerance : float, default=1e-05
        Converged when the objective changes by less than this share of itself.
    covariance_floor : float, default=0.0001
        Least variance of a component, relative to the data's variance.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    """

    components: int = 7
    _: KW_ONLY
    covariance: Literal["full", "tied", "diagonal", "spherical"] = "full"
    restarts: int = 1
    max_iterations: int = 500
    tolerance: float = 1e-05
    covariance_floor: float = 0.0001
    random_state: Any = 0
    threads: int = 0
    verbose: Optional[bool] = None


@dataclass(eq=False, repr=False)
class KernelDensityParameters:
    """
    Parameters
    ----------
    kde_bandwidth : {"likelihood", "silverman", "scott"}, default="likelihood"
        Width of the kernels: likelihood (leave-one-out), silverman or scott.
    kde_tolerance : float, default=0.0001
        Largest relative error of a density; 0 for exact sums.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    """

    kde_bandwidth: Literal["likelihood", "silverman", "scott"] = "likelihood"
    _: KW_ONLY
    kde_tolerance: float = 0.0001
    random_state: Any = 0
    threads: int = 0
    verbose: Optional[bool] = None


@dataclass(eq=False, repr=False)
class DirichletProcessMixtureParameters:
    """
    Parameters
    ----------
    dp_iterations : int, default=300
        Iterations of the Markov chain, the burn-in included.
    dp_burn_in : int, default=150
        First iterations that count for nothing.
    dp_draws : int, default=15
        Later iterations, evenly spaced, that the density is averaged over.
    dp_separation : float, default=3.0
        Expected distance of two clusters, in standard deviations of one.
    dp_concentration : float, default=0.3
        Prior mean of the concentration; larger means more clusters.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    """

    dp_iterations: int = 300
    _: KW_ONLY
    dp_burn_in: int = 150
    dp_draws: int = 15
    dp_separation: float = 3.0
    dp_concentration: float = 0.3
    random_state: Any = 0
    threads: int = 0
    verbose: Optional[bool] = None


@dataclass(eq=False, repr=False)
class VariationalAutoencoderParameters:
    """
    Parameters
    ----------
    n_latent : int, default=2
        Features it makes.
    encoding : {"mean", "sample"}, default="mean"
        mean, or sample: a draw, the same for a seed and a row number.
    vae_architecture : {"mlp", "conv"}, default="mlp"
        mlp, or conv for images.
    vae_hidden : list of int, default=(512, 256)
        Widths of the encoder's dense layers.
    vae_decoder_hidden : list of int, default=()
        The decoder's; the encoder's reversed when not given.
    vae_channels : list of int, default=(32, 64)
        conv: channels of each stage, which halves the sides.
    vae_image_height : int or None, default=None
        conv: rows of an image; 0 for square ones. None is the same as 0.
    vae_image_width : int or None, default=None
        conv: pixels in a row of an image; 0 for square ones. None is the same as 0.
    vae_activation : {"relu", "tanh", "sigmoid"}, default="relu"
        Of the hidden layers.
    vae_likelihood : {"bernoulli", "gaussian"}, default="bernoulli"
        bernoulli, for values from 0 to a maximum, or gaussian.
    vae_epochs : int, default=50
        Passes over the rows.
    vae_batch : int, default=256
        Rows per step.
    vae_learning_rate : float, default=0.001
        Of Adam.
    vae_schedule : {"constant", "cosine"}, default="constant"
        Of the learning rate: constant, or cosine, which falls to 0 over the epochs.
    vae_kl_warmup : int, default=0
        Epochs over which the KL term's weight grows to 1.
    vae_patience : int or None, default=None
        Stop after N epochs without a better held-out ELBO; 0: never. None is the same as 0.
    vae_validation : float, default=0.05
        Share of the rows held out for `vae_patience`.
    vae_checkpoint : str or None, default=None
        Where an interrupted training is kept; for a file that is fitted, MODEL.checkpoint when not given.
    vae_checkpoint_every : int, default=5
        Epochs between checkpoints.
    device, random_state, threads, verbose
        As for `ReliableClassifier`.

    """

    n_latent: int = 2
    _: KW_ONLY
    encoding: Literal["mean", "sample"] = "mean"
    vae_architecture: Literal["mlp", "conv"] = "mlp"
    vae_hidden: Sequence[int] = (512, 256)
    vae_decoder_hidden: Sequence[int] = ()
    vae_channels: Sequence[int] = (32, 64)
    vae_image_height: Optional[int] = None
    vae_image_width: Optional[int] = None
    vae_activation: Literal["relu", "tanh", "sigmoid"] = "relu"
    vae_likelihood: Literal["bernoulli", "gaussian"] = "bernoulli"
    vae_epochs: int = 50
    vae_batch: int = 256
    vae_learning_rate: float = 0.001
    vae_schedule: Literal["constant", "cosine"] = "constant"
    vae_kl_warmup: int = 0
    vae_patience: Optional[int] = None
    vae_validation: float = 0.05
    vae_checkpoint: Optional[str] = None
    vae_checkpoint_every: int = 5
    device: Literal["auto", "cpu", "cuda"] = "auto"
    random_state: Any = 0
    threads: int = 0
    verbose: Optional[bool] = None
