"""The variational auto-encoder as a transformer."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative

from lacuna import _core
from lacuna._documented import documented
from lacuna._options import option_texts, options_of, seed_of
from lacuna._parameters import VariationalAutoencoderParameters
from lacuna._progress import progress
from lacuna._sklearn import read_numbers


@documented
class VariationalAutoencoder(VariationalAutoencoderParameters, TransformerMixin, BaseEstimator):
    """A variational auto-encoder that maps rows to a few latent features, for images and wide tables.

    It trains on the CPU; on a GPU where lacuna was built with a CUDA libtorch, which is loaded when `fit` is called.

    Examples
    --------
    >>> from lacuna import ReliableClassifier, VariationalAutoencoder
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(VariationalAutoencoder(n_latent=5), ReliableClassifier())
    """

    def _needs_positive(self):
        return self.vae_likelihood == "bernoulli"

    def fit(self, X, y=None):
        """Trains the network on all rows; y is ignored."""
        options = option_texts({**options_of(self), "seed": seed_of(self.random_state)})
        features = read_numbers(self, X, reset=True, allow_nan=False)
        if self._needs_positive():
            check_non_negative(features, "VariationalAutoencoder with vae_likelihood='bernoulli'; 'gaussian' takes them")
        with progress(self.verbose) as report:
            self._chain = _core.fit_vae(features, self.n_latent, options, report)
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
        return {"requires_positive_X": self._needs_positive(), "preserves_dtype": [np.float64]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._needs_positive()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
