"""A scikit-learn mixture as the density of a classifier.

GaussianMixture takes no weights, so rows are resampled by weight where weights differ. Its random_state is left open,
so the classifier's decides: the same seed gives the same model.
"""

import numpy as np
from sklearn.mixture import GaussianMixture

from lacuna import ReliableClassifier

random = np.random.default_rng(0)
centres = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 9.0]])  # two classes, and a cloud that nobody labeled
cloud = random.integers(0, 3, 1500)
X = centres[cloud] + random.normal(size=(1500, 2))
y = np.where((cloud < 2) & (random.uniform(size=1500) < 0.2), cloud, -1)

model = ReliableClassifier(density=GaussianMixture(n_components=2), conditional="densities").fit(X, y)

questions = centres
for question, label, error in zip(questions, model.predict(questions), model.error_probability(questions)):
    print(f"{question}: class {label}, wrong with probability {error:.2f}")
