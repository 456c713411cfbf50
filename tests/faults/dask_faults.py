"""Workers of Dask that die in a fit, and disks that are full where they put what does not fit into memory."""

import os
import queue
import resource
import sys
import threading

MOST_SECONDS = 300
#: Everything that a worker makes goes to disk at once.
SPILL = {f"distributed.worker.memory.{name}": value for name, value in [("target", 1e-9), ("spill", False), ("pause", False)]}
SIZES = [0, 1, 1000, 100_000]


def outcome_of(fit, is_same):
    """One word for a fit, which either gives the one model or says why not."""
    answers = queue.Queue()

    def try_it():
        try:
            answers.put("ok" if is_same(fit()) else "corrupt")
        except Exception as error:  # noqa: BLE001: whatever it says is an answer
            answers.put("refused" if str(error) else "mute")

    threading.Thread(target=try_it, daemon=True).start()
    try:
        return answers.get(timeout=MOST_SECONDS)
    except queue.Empty:
        return "hang"


def run(shop, tally, wishes):
    sys.path.append(str(wishes.package))
    os.environ["PYTHONPATH"] = str(wishes.package)  # the workers'
    try:
        import dask
        import lacuna
        import lost_worker
    except ImportError as problem:
        tally.leave_out(f"Dask: {problem}")
        return
    for conditional in ("densities", "stack"):
        name = "dask-fit" if conditional == "densities" else "dask-fit-stack"
        classifier = lacuna.ReliableClassifier(conditional=conditional, random_state=1, threads=1)
        X, y = lost_worker.table()
        expected, rows, _ = lost_worker.expected(classifier, X, y)

        def is_same(model):
            return lost_worker.is_same(model, expected, rows)

        for n, fault in [(1, "a worker dies"), (2, "all workers die")]:
            for stage in lost_worker.STAGES[:: wishes.stride]:
                if stage == "gathered rows" and conditional == "stack":
                    continue  # a stack draws no labels
                with lost_worker.cluster(2) as client:
                    word = outcome_of(lambda: lost_worker.fit_with_a_loss(classifier, client, stage, X, y, n), is_same)
                tally.add("worker lost", name, fault, word, f"at {stage}")
        with dask.config.set(SPILL):
            for size in SIZES[:: wishes.stride]:
                with lost_worker.cluster(2, memory_limit="4GB") as client:
                    client.run(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
                    word = outcome_of(lambda: lost_worker.distributed.fit(classifier, X, y, client=client), is_same)
                    tally.add("full disk", name, "files may not grow", word, f"{size} bytes")
