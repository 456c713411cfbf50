"""The work of scripts/mutate: seeded changes of the library, and whether a C++ test notices each.

The five kinds of change take turns. A change that does not compile is replaced by the next of its kind. A test program
that fails, crashes or takes far too long notices the change. Some changes make no difference to any caller; they count
as survivors, too, so the share is a lower bound."""

import argparse
import json
import math
import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from mutate_changes import drawn
from mutate_judge import SOURCE, WORK, Judge


def chosen(kinds, known, count):
    """The changes that count, in the seed's order; one that is not judged yet is taken to compile."""
    names, left, changes = sorted(kinds), {kind: iter(kinds[kind]) for kind in kinds}, []
    while len(changes) < count and names:
        kind = names[len(changes) % len(names)]
        compile_it = (change for change in left[kind] if known.get(change["name"], {}).get("verdict") != "not compiled")
        if change := next(compile_it, None):
            changes.append(change)
        else:
            names.remove(kind)
    return changes


def show(judged, count, seed):
    n, noticed = len(judged), sum(result["verdict"] == "noticed" for result in judged)
    if n == 0:
        return print("no change was judged")
    share, z = noticed / n, 1.96  # Wilson's interval
    middle, reach = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * reach) / (1 + z * z / n) for sign in (-1, 1))
    print(f"seed {seed}: {n} of {count} changes judged")
    print(f"noticed: {noticed}, {100 * share:.1f} % (95 % interval: {100 * low:.1f} to {100 * high:.1f} %)")
    for result in judged:
        if result["verdict"] == "survived":
            print(f"survived: {result['file']}:{result['line']}: {result['old']} -> {result['new']}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description="How many small faults the C++ tests notice.")
    parser.add_argument("--count", type=int, default=300, help="changes that compile and are judged")
    parser.add_argument("--seed", type=int, default=1, help="chooses them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="changes that are judged at once")
    parser.add_argument("--minutes", type=float, default=math.inf, help="no change is begun after these")
    parser.add_argument("--again", action="store_true", help="judge those that survived once more")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    WORK.mkdir(parents=True, exist_ok=True)
    judge = Judge(arguments.jobs)
    kinds = drawn(SOURCE, arguments.seed)
    file = WORK / f"results-{arguments.seed}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known = {result["name"]: result for result in map(json.loads, lines)}
    settled = {name for name, result in known.items() if not (arguments.again and result["verdict"] == "survived")}
    free, running = list(range(arguments.jobs)), {}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        while True:
            begun = settled | {change["name"] for _, change in running.values()}
            open_ones = [change for change in chosen(kinds, known, arguments.count) if change["name"] not in begun]
            for change in open_ones[: len(free)] if time.monotonic() < end else []:
                job = free.pop()
                running[pool.submit(judge.judge, change, job)] = job, change
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                job, change = running.pop(done)
                free.append(job)
                result = done.result()
                known[change["name"]] = result
                settled.add(change["name"])
                with open(file, "a", encoding="utf-8") as out:
                    out.write(json.dumps(result) + "\n")
                print(f"{len(known):3} {result['verdict']:12} {change['file']}:{change['line']} {result.get('by', '')}",
                      flush=True)  # fmt: skip
    judged = []
    for change in chosen(kinds, known, arguments.count):
        if change["name"] not in known:
            break
        judged.append(known[change["name"]] | {"line": change["line"]})
    show(judged, arguments.count, arguments.seed)


if __name__ == "__main__":
    main()
