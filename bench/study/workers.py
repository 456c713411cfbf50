"""Cells side by side in processes of their own, each with one thread: a cell that dies or hangs costs that cell alone."""

import ctypes
import multiprocessing
import signal
import time
import warnings
from multiprocessing.connection import wait

import cells


def _work(connection, out, folders):
    """A worker's life: cells come in, what was found goes out."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: dies with the run, however that ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run's to handle
    warnings.filterwarnings("ignore")
    while True:
        try:
            cell = connection.recv()
        except EOFError:
            return
        connection.send(cells.run(cell, out, folders))


class Worker:
    def __init__(self, out, folders):
        spawn = multiprocessing.get_context("spawn")  # with fork a worker would hold the others' pipes open
        self.connection, other = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(other, out, folders), daemon=True)
        self.process.start()
        other.close()
        self.cell = None

    def give(self, cell):
        self.cell, self.started = cell, time.monotonic()
        self.connection.send(cell)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def stop(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_cells(todo, out, folders, n_jobs, limit):
    """Runs the cells in their order; yields (cell, what was found, seconds) as they end."""
    todo = list(reversed(todo))
    workers = [Worker(out, folders) for _ in range(min(n_jobs, len(todo)))]
    try:
        while todo or any(worker.cell for worker in workers):
            for worker in workers:
                if worker.cell is None and todo:
                    worker.give(todo.pop())
            busy = [worker for worker in workers if worker.cell]
            wait([worker.connection for worker in busy], timeout=1.0)
            for worker in busy:
                found = _outcome(worker, out, limit)
                if found is None:
                    continue
                yield worker.cell, found, worker.seconds
                worker.cell = None
                if not worker.process.is_alive():
                    worker.stop()
                    workers[workers.index(worker)] = Worker(out, folders)
    finally:
        for worker in workers:
            worker.stop()


def _outcome(worker, out, limit):
    """What a busy worker found; None when it is still at it. A cell over the limit, or whose process died, is recorded."""
    try:
        if worker.connection.poll():
            return worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join()
        found = {"failed": f"its process died ({worker.process.exitcode}); out of memory?"}
    else:
        if worker.seconds <= limit:
            return None
        worker.process.kill()
        worker.process.join()
        found = {"over_limit": limit}
    cells.write(worker.cell, out, **found)
    return found
