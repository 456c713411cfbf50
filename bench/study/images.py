"""Features of images: MNIST and Fashion-MNIST as scripts/get-data brings them, by PCA and by lacuna's VAE.

Features come from all training images without their labels, once for all seeds, and are kept in a folder: the study compares what
follows them, not them.
"""

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd

from data_table import Absent, DataTable

#: name: set of images, map, dimensions (those of the paper for the VAE)
FEATURES = {
    "mnist-pca": ("mnist", "pca", 10),
    "mnist-vae": ("mnist", "vae", 2),
    "fashion-mnist-pca": ("fashion-mnist", "pca", 10),
    "fashion-mnist-vae": ("fashion-mnist", "vae", 5),
}
NAMES = tuple(FEATURES)
#: Where the Debian package dataset-fashion-mnist puts its files.
DEBIAN = Path("/usr/share/datasets")


def load(name, folders, cache):
    images, kind, n_features = FEATURES[name]
    folder = _folder(images, folders)
    path = cache / f"{name}.npy"
    if not path.exists():
        _write(path, _map(kind, n_features, _read(folder, "train-images-idx3-ubyte").reshape(-1, 784) / 255.0))
    X = np.load(path)
    frame = pd.DataFrame(X, columns=[f"z{j}" for j in range(n_features)])
    return DataTable(name, frame, _read(folder, "train-labels-idx1-ubyte").astype(int))


def _folder(images, folders):
    for folder in [*map(Path, folders), DEBIAN]:
        if list((folder / images).glob("train-images-idx3-ubyte*")):
            return folder / images
    raise Absent(f"the images of {images}: scripts/get-data {images} brings them")


def _read(folder, name):
    path = folder / name
    raw = path.read_bytes() if path.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    sizes = np.frombuffer(raw, ">i4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(sizes)


def _map(kind, n_features, pixels):
    if kind == "pca":
        from sklearn.decomposition import PCA

        return PCA(n_features, svd_solver="randomized", random_state=0).fit_transform(pixels)
    try:
        from lacuna import VariationalAutoencoder
    except ImportError:
        raise Absent("the Python package lacuna, whose VAE makes these features") from None
    return VariationalAutoencoder(n_features, vae_epochs=20, device="cpu", random_state=0, verbose=False).fit(pixels).transform(pixels)


def _write(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part.npy")
    np.save(part, array)
    os.replace(part, path)
