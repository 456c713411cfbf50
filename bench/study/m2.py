"""A semi-supervised variational auto-encoder: M2 of Kingma, Rezende, Mohamed and Welling (2014), for points.

The class is a latent variable of the rows that have no label: their bound is the mean over classes of the bound of (x, y), by the
classifier's own probabilities, plus its entropy. The classifier also learns from the labels directly.
"""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

N_LATENT = 8
N_HIDDEN = 128
N_STEPS = 3000
N_BATCH = 128  # rows with labels, and as many without
LEARNING_RATE = 1e-3
CLASSIFIER_WEIGHT = 0.1  # per row of all, as in the paper


def _network(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, n_out))


class Bound(nn.Module):
    """The parts of the model, and the negative evidence bound of rows whose class is given."""

    def __init__(self, n_features, n_classes):
        super().__init__()
        self.n_classes = n_classes
        self.classifier = _network(n_features, n_classes)
        self.encoder = _network(n_features + n_classes, 2 * N_LATENT)
        self.decoder = _network(N_LATENT + n_classes, n_features)
        self.log_variance = nn.Parameter(torch.zeros(n_features))

    def of_pairs(self, x, classes):
        y = functional.one_hot(classes, self.n_classes).to(x.dtype)
        mean, log_variance = self.encoder(torch.cat([x, y], 1)).chunk(2, 1)
        log_variance = log_variance.clamp(-8.0, 8.0)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        spread = self.log_variance.clamp(-4.0, 4.0)
        error = (x - self.decoder(torch.cat([z, y], 1))) ** 2
        fit = 0.5 * (error * torch.exp(-spread) + spread + math.log(2.0 * math.pi)).sum(1)
        divergence = 0.5 * (mean**2 + log_variance.exp() - 1.0 - log_variance).sum(1)
        return fit + divergence + math.log(self.n_classes)

    def of_rows(self, x):
        """Without labels: over all classes."""
        log_q = functional.log_softmax(self.classifier(x), 1)
        classes = torch.arange(self.n_classes).repeat_interleave(len(x))
        pairs = self.of_pairs(x.repeat(self.n_classes, 1), classes).reshape(self.n_classes, -1).T
        return (log_q.exp() * (pairs + log_q)).sum(1)


class M2:
    def __init__(self, n_classes):
        self.n_classes = n_classes

    def fit(self, points, y, seed):
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.classes_ = np.arange(self.n_classes)
        points = torch.as_tensor(np.asarray(points, dtype=np.float32))
        labels = torch.as_tensor(np.asarray(y, dtype=np.int64))
        labeled, others = torch.nonzero(labels >= 0)[:, 0], torch.nonzero(labels < 0)[:, 0]
        share = len(labeled) / len(points)
        self.bound = Bound(points.shape[1], self.n_classes)
        adam = torch.optim.Adam(self.bound.parameters(), lr=LEARNING_RATE)
        for _ in range(N_STEPS):
            seen = labeled[torch.randint(len(labeled), (N_BATCH,))]
            x, classes = points[seen], labels[seen]
            loss = share * self.bound.of_pairs(x, classes).mean()
            loss = loss + CLASSIFIER_WEIGHT * functional.cross_entropy(self.bound.classifier(x), classes)
            if len(others) > 0:
                loss = loss + (1.0 - share) * self.bound.of_rows(points[others[torch.randint(len(others), (N_BATCH,))]]).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        return self

    def predict_proba(self, points):
        with torch.no_grad():
            logits = self.bound.classifier(torch.as_tensor(np.asarray(points, dtype=np.float32)))
            return functional.softmax(logits.double(), 1).numpy()
