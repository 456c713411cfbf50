"""Fits a vb-gmm of 7 components to a file of 20,000,000 rows x 5 that is never in memory as a whole.

Usage: fit_a_large_file.py STREAM_PROBE [ROWS]   (the built tool, e.g. build/release/tests/stream_probe)

The file goes to the folder for temporary files and is removed at the end.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

D = 5
N_COMPONENTS = 7
ROWS_PER_WRITE = 500_000


def write_rows(path, n):
    """Seven correlated clouds, written piece by piece."""
    shapes = np.random.default_rng(0).normal(size=(N_COMPONENTS, D, D)) / np.sqrt(D)
    centers = 4 * np.random.default_rng(1).normal(size=(N_COMPONENTS, D))
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (n, D)}
        np.lib.format.write_array_header_1_0(file, header)
        for piece, first in enumerate(range(0, n, ROWS_PER_WRITE)):
            random = np.random.default_rng(2 + piece)
            count = min(ROWS_PER_WRITE, n - first)
            cloud = random.integers(N_COMPONENTS, size=count)
            rows = np.einsum("ni,nij->nj", random.normal(size=(count, D)), shapes[cloud]) + centers[cloud]
            rows.tofile(file)


def main():
    probe = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.npy"
        write_rows(path, n)
        out = subprocess.run([probe, path, str(D), str(N_COMPONENTS), "2"], check=True, capture_output=True, text=True)
        size = path.stat().st_size
    found = json.loads(out.stdout)
    print(f"rows x features   {n} x {D}, {size / 1e6:.0f} MB")
    print(f"fit               {found['seconds']:.1f} s, {found['n_iterations']} iterations, {found['stop_reason']}")
    print(f"components        {found['n_components']}")
    print(f"peak memory       {found['peak_megabytes']:.0f} MB")


if __name__ == "__main__":
    main()
