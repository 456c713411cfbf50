"""A normalizing flow of your own, in PyTorch, as the density of a classifier.

All it takes is `fit(X, sample_weight)` and `score_samples(X)`. Deriving from BaseEstimator gives the classifier a way
to clone the flow for every density that it fits. The flow draws its first weights from a generator of its own, so that
one seed gives one result.
"""

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.datasets import make_moons

from lacuna import ReliableClassifier


class Coupling(torch.nn.Module):
    """Scales and shifts one half of the features by functions of the other half."""

    def __init__(self, n_features, hidden, flip, generator):
        super().__init__()
        order = torch.arange(n_features)
        self.order = order.flip(0) if flip else order
        self.n_given = n_features // 2
        n_other = n_features - self.n_given
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(self.n_given, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 2 * n_other)
        )
        with torch.no_grad():
            for weights in self.layers.parameters():
                weights.copy_(0.3 * torch.randn(weights.shape, generator=generator))

    def forward(self, x):
        x = x[:, self.order]
        given, other = x[:, : self.n_given], x[:, self.n_given :]
        scale, shift = self.layers(given).chunk(2, dim=1)
        scale = 2.0 * torch.tanh(scale / 2.0)
        return torch.cat([given, other * torch.exp(scale) + shift], dim=1), scale.sum(dim=1)


class Flow(BaseEstimator):
    def __init__(self, n_layers=6, hidden=16, n_steps=200, learning_rate=0.02, random_state=None):
        self.n_layers = n_layers
        self.hidden = hidden
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _log_density(self, x):
        """log N(z; 0, 1) of what the layers make of x, and how much they stretch the space."""
        z = (x - self.mean_) / self.scale_
        log_stretch = -torch.log(self.scale_).sum()
        for layer in self.layers_:
            z, stretch = layer(z)
            log_stretch = log_stretch + stretch
        return -0.5 * (z**2).sum(dim=1) - 0.5 * z.shape[1] * np.log(2.0 * np.pi) + log_stretch

    def fit(self, X, sample_weight=None):
        x = torch.as_tensor(X, dtype=torch.float32)
        weights = torch.ones(len(x)) if sample_weight is None else torch.as_tensor(sample_weight, dtype=torch.float32)
        generator = torch.Generator().manual_seed(int(self.random_state or 0))
        self.mean_, self.scale_ = x.mean(dim=0), x.std(dim=0) + 1e-3
        self.layers_ = torch.nn.ModuleList(
            Coupling(x.shape[1], self.hidden, flip=i % 2 == 1, generator=generator) for i in range(self.n_layers)
        )
        optimizer = torch.optim.Adam(self.layers_.parameters(), lr=self.learning_rate, weight_decay=1e-3)
        for _ in range(self.n_steps):
            optimizer.zero_grad()
            loss = -(weights * self._log_density(x)).sum() / weights.sum()
            loss.backward()
            optimizer.step()
        return self

    def score_samples(self, X):
        with torch.no_grad():
            return self._log_density(torch.as_tensor(X, dtype=torch.float32)).numpy()


def main():
    torch.set_num_threads(1)  # tiny tensors: threads would only wait for each other
    X, moon = make_moons(800, noise=0.1, random_state=0)
    random = np.random.default_rng(0)
    far_end = X[:, 0] > 1.2  # the end of the lower moon: nobody looked there
    y = np.where(~far_end & (random.uniform(size=800) < 0.4), moon, -1)

    model = ReliableClassifier(density=Flow(), conditional="densities", kappa=0, draws=1).fit(X, y)
    error = model.error_probability(X)
    print(f"accuracy {np.mean(model.predict(X)[~far_end] == moon[~far_end]):.2f} where some rows have labels")
    print(f"mean error probability {error[~far_end].mean():.2f} there, {error[far_end].mean():.2f} where none has")


if __name__ == "__main__":
    main()
