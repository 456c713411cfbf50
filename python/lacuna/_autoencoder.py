"""The variational auto-encoder as a transformer."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative

from lacuna import _core
from lacuna._progress import progress
from lacuna._settings import seed_of, setting_texts
from lacuna._sklearn import read_numbers

#: Parameters that the command line knows without "vae-" before them.
_PLAIN = ("encoding", "device")
_NO_SETTING = ("n_latent", "random_state", "threads", "verbose")


class VariationalAutoencoder(TransformerMixin, BaseEstimator):
    """A variational auto-encoder that maps rows to a few latent features, for images and wide tables.

    It trains on the CPU; on a GPU where lacuna was built with a CUDA libtorch, which is loaded when `fit` is called.

    Parameters
    ----------
    n_latent : int, default=2
        Features it makes.
    architecture : {"mlp", "conv"}, default="mlp"
        "conv" is for images.
    hidden : list of int, default=(512, 256)
        Widths of the encoder's dense layers.
    decoder_hidden : list of int, default=()
        The decoder's; the encoder's reversed when empty.
    channels : list of int, default=(32, 64)
        "conv": of each stage, which halves the image's sides.
    image_height, image_width : int, default=0
        "conv": sides of an image; 0 for square ones.
    activation : {"relu", "tanh", "sigmoid"}, default="relu"
    likelihood : {"bernoulli", "gaussian"}, default="bernoulli"
        "bernoulli" takes values from 0 to a maximum, "gaussian" any.
    epochs : int, default=50
    batch : int, default=256
        Rows per step.
    learning_rate : float, default=1e-3
    schedule : {"constant", "cosine"}, default="constant"
    kl_warmup : int, default=0
        Epochs over which the KL term's weight grows to one.
    patience : int, default=0
        Stop after so many epochs without a better held-out bound; 0: never.
    validation : float, default=0.05
        Share of the rows held out for `patience`.
    encoding : {"mean", "sample"}, default="mean"
        The mean of a row's posterior, or a draw, the same for a seed and a row number.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where it is trained.
    checkpoint : str, default=None
        A file to resume from after an interruption.
    checkpoint_every : int, default=5
        Epochs between checkpoints.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    Examples
    --------
    >>> from lacuna import ReliableClassifier, VariationalAutoencoder
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(VariationalAutoencoder(n_latent=5), ReliableClassifier())
    """

    def __init__(
        self,
        n_latent=2,
        *,
        architecture="mlp",
        hidden=(512, 256),
        decoder_hidden=(),
        channels=(32, 64),
        image_height=0,
        image_width=0,
        activation="relu",
        likelihood="bernoulli",
        epochs=50,
        batch=256,
        learning_rate=1e-3,
        schedule="constant",
        kl_warmup=0,
        patience=0,
        validation=0.05,
        encoding="mean",
        device="auto",
        checkpoint=None,
        checkpoint_every=5,
        random_state=0,
        threads=0,
        verbose=None,
    ):
        self.n_latent = n_latent
        self.architecture = architecture
        self.hidden = hidden
        self.decoder_hidden = decoder_hidden
        self.channels = channels
        self.image_height = image_height
        self.image_width = image_width
        self.activation = activation
        self.likelihood = likelihood
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.kl_warmup = kl_warmup
        self.patience = patience
        self.validation = validation
        self.encoding = encoding
        self.device = device
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose

    def _settings(self):
        values = {
            name if name in _PLAIN else f"vae_{name}": value
            for name, value in self.get_params(deep=False).items()
            if name not in _NO_SETTING
        }
        own = {"features": f"vae:{self.n_latent}", "seed": seed_of(self.random_state), "threads": self.threads}
        return setting_texts({**values, **own})

    def fit(self, X, y=None):
        """Trains the network on all rows; y is ignored."""
        settings = self._settings()
        features = read_numbers(self, X, reset=True, allow_nan=False)
        if self.likelihood == "bernoulli":
            check_non_negative(features, "VariationalAutoencoder with likelihood='bernoulli'; 'gaussian' takes them")
        with progress(self.verbose) as report:
            self._chain = _core.fit_features(features, settings, report)
        self.n_latent_ = self._chain.n_outputs(features.shape[1])
        return self

    def transform(self, X):
        """The latent features of each row."""
        check_is_fitted(self)
        features = read_numbers(self, X, reset=False, allow_nan=False)
        with progress(self.verbose) as report:
            return self._chain.apply(features, self.threads, report)

    def get_feature_names_out(self, input_features=None):
        """z1, z2, ..."""
        check_is_fitted(self)
        return np.asarray(self._chain.output_names([]), dtype=object)

    def _more_tags(self):
        return {"requires_positive_X": self.likelihood == "bernoulli", "preserves_dtype": [np.float64]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.likelihood == "bernoulli"
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
