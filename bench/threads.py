"""Fits of 1,000,000 x 5 rows, one in a hundred labeled, with more and more threads: seconds, processor time, and how many times one
thread's speed.

Usage: threads.py LACUNA [--rows 1e6] [--threads 1,2,4,8,16] [--rounds 3]   (the built tool)

Medians of rounds; each takes all numbers of threads in turn. All models must have the same bits, or it ends with an error. The last
line of each kind of model says how long how many threads wanted to run, sampled in an extra fit with the most: what one thread does alone no
core can shorten.
"""

import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

MODELS = {"stack": [], "densities": ["--conditional", "densities"]}


def make_table(folder, n):
    """Two classes of four clouds each; labels are three times as frequent in one half of space as in the other."""
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, n)
    centres = random.normal(size=(2, 4, 5)) * 3
    rows = centres[truth, random.integers(0, 4, n)] + random.normal(size=(n, 5))
    known = random.uniform(size=n) < np.where(rows[:, 0] > 0, 0.015, 0.005)
    np.save(folder / "rows.npy", rows)
    (folder / "labels.csv").write_text("".join(f"{y}\n" if k else "\n" for y, k in zip(truth, known)))


def start(tool, folder, options, threads):
    words = [tool, "fit", "rows.npy", "--labels", "labels.csv", "-o", "model", "--force", "--device", "cpu", "--threads", str(threads)]
    return subprocess.Popen([*words, *options], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fit(tool, folder, options, threads):
    begin = time.monotonic()
    _, status, usage = os.wait4(start(tool, folder, options, threads).pid, 0)
    if status != 0:
        raise SystemExit("the fit failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def wanting_to_run(process):
    """Seconds by the number of threads that ran or waited for a core."""
    seconds, before = collections.Counter(), time.monotonic()
    while process.poll() is None:
        n = 0
        try:
            for task in os.listdir(f"/proc/{process.pid}/task"):
                state = pathlib.Path(f"/proc/{process.pid}/task/{task}/stat").read_text().rsplit(")", 1)[1].split()[0]
                n += state == "R"
        except OSError:
            pass  # the thread or the process has ended
        now = time.monotonic()
        seconds[n] += now - before
        before = now
        time.sleep(0.003)
    return seconds


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tool", type=lambda path: pathlib.Path(path).resolve())
    arguments.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    arguments.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 4, 8, 16])
    arguments.add_argument("--rounds", type=int, default=3)
    known = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_table(folder, known.rows)
        for model, options in MODELS.items():
            found, bits = collections.defaultdict(list), set()
            for _ in range(known.rounds):
                for threads in known.threads:
                    found[threads].append(fit(known.tool, folder, options, threads))
                    bits.add((folder / "model").read_bytes())
            if len(bits) > 1:
                raise SystemExit(f"{model}: the number of threads changes the model")
            one = statistics.median(seconds for seconds, _ in found[known.threads[0]])
            for threads in known.threads:
                seconds, processor = (statistics.median(column) for column in zip(*found[threads]))
                print(f"{model:<10} {threads:>3} threads  {seconds:7.2f} s  processor {processor:7.2f} s  {one / seconds:5.2f} times", flush=True)
            wanted = wanting_to_run(start(known.tool, folder, options, known.threads[-1]))
            print(f"{model:<10} wanted to run:", ", ".join(f"{n}: {s:.2f} s" for n, s in sorted(wanted.items()) if s >= 0.005), flush=True)


if __name__ == "__main__":
    main()
