"""Whole fits and predictions with --device cuda beside --device cpu: seconds, and how far class probabilities differ.

Usage: commands.py LACUNA [ROWS]   (the built tool; LACUNA_TORCH_LIBRARY may name a plugin that was built elsewhere)

ROWS x 10, 50 clouds, three classes, two labels in a hundred rows in one half of space and two in a thousand in the other.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

D, N_CLOUDS = 10, 50
MODELS = {
    "vb-gmm": ["--conditional", "densities"],
    "gmm": ["--conditional", "densities", "--density", "gmm"],
    "stack": [],
}


def make_table(folder, n):
    random = np.random.default_rng(0)
    centres = 3 * random.normal(size=(N_CLOUDS, D))
    shapes = random.normal(size=(N_CLOUDS, D, D)) / np.sqrt(D)
    cloud = random.integers(N_CLOUDS, size=n)
    rows = centres[cloud] + np.einsum("ni,nij->nj", random.normal(size=(n, D)), shapes[cloud])
    known = random.uniform(size=n) < np.where(rows[:, 0] > 0, 0.02, 0.002)
    np.save(folder / "rows.npy", rows)
    (folder / "labels.csv").write_text("".join(f"{c % 3}\n" if k else "\n" for c, k in zip(cloud, known)))


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    n = int(float(sys.argv[2])) if len(sys.argv) > 2 else 400_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_table(folder, n)

        def seconds_of(*words):
            begin = time.monotonic()
            subprocess.run([tool, *words, "--force"], cwd=folder, check=True, capture_output=True)
            return time.monotonic() - begin

        for model, options in MODELS.items():
            found = {}
            for device in ("cpu", "cuda"):
                fit = seconds_of("fit", "rows.npy", "--labels", "labels.csv", "-o", device, "--device", device, "--components", str(N_CLOUDS),
                                 "--max-iterations", "30", *options)
                predict = seconds_of("predict", device, "rows.npy", "-o", "out.npy", "--device", device)
                found[device] = np.load(folder / "out.npy")[:, 4:]
                print(f"{model:<7} {device:<5} fit {fit:6.2f} s  predict {predict:5.2f} s", flush=True)
            print(f"{model:<7} largest difference of a class probability {np.abs(found['cuda'] - found['cpu']).max():.1e}", flush=True)


if __name__ == "__main__":
    main()
