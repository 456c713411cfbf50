"""A fit and predictions by mpi4py: every process holds a part of the table, the first one asks.

    mpirun -n 4 python3 mpi_fit.py [OUT.npy]
"""

import sys

import lacuna
import numpy as np
from lacuna.distributed import Parts, fit_parts
from mpi4py import MPI

comm = MPI.COMM_WORLD


class Ranks(Parts):
    """The parts are those of the processes. The first one calls `ask`; the others `serve`."""

    def __init__(self, part):
        self._part = part

    def ask(self, name, function, *arguments):
        comm.bcast((function, arguments, False))
        return self._gather(function, arguments)

    def replace(self, name, function, *arguments):
        comm.bcast((function, arguments, True))
        self._part = self._call(function, arguments)

    def finish(self):
        comm.bcast(None)

    def serve(self):
        while (question := comm.bcast(None)) is not None:
            function, arguments, replaces = question
            if replaces:
                self._part = self._call(function, arguments)
            else:
                self._gather(function, arguments)

    def _call(self, function, arguments):
        return function(comm.rank, self._part, *arguments)

    def _gather(self, function, arguments):
        return comm.gather(self._call(function, arguments))


def read_part(rank, n_parts):
    """This process's rows; a program of yours reads its own files."""
    random = np.random.default_rng(1)
    cloud = random.integers(0, 3, 6000)
    X = random.normal(size=(6000, 3)) + np.array([[0, 0, 0], [6, 1, 0], [2, 14, 0]])[cloud]
    y = np.where((cloud < 2) & (random.random(6000) < 0.05), cloud, -1)  # nobody labels the third cloud
    return np.array_split(X, n_parts)[rank], np.array_split(y, n_parts)[rank]


def main():
    X, y = read_part(comm.rank, comm.size)
    ranks = Ranks((X, y))
    model = None
    if comm.rank == 0:
        try:
            model = fit_parts(lacuna.ReliableClassifier(random_state=1, threads=1), ranks)
        finally:
            ranks.finish()
    else:
        ranks.serve()
    model = comm.bcast(model)
    errors = comm.gather(model.error_probability(X))
    rows = comm.gather(X)
    if comm.rank == 0:
        errors, rows = np.concatenate(errors), np.concatenate(rows)
        if len(sys.argv) > 1:
            np.save(sys.argv[1], errors)
        print(f"{comm.size} processes; where nobody labeled, an error has the probability {errors[rows[:, 1] > 7].mean():.2f}")


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        comm.Abort(1)  # or the others would wait forever
