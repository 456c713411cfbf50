"""What a row scored by a kernel density estimate costs as the estimate gets more rows, beside scikit-learn's KernelDensity with the
same kernels and relative tolerance in the same run, one thread each.

Usage: kde_growth.py FAMILY_PROBE [ROWS,ROWS,...]   (the built tool, e.g. build/release/tests/family_probe)

`kernels` is how much the work must grow from the line before if every point within the same number of widths is looked at: their
number is in proportion to n h^d, and Scott's h to n^(-1/(d + 4)). Near the line before the whole cloud is within them.
"""

import pathlib
import sys
import tempfile

from compare_kde import D, TOLERANCE, lacuna, make_rows, scikit_learn, scikit_learn_seconds

N_SCORED = 4000
N_SCORED_BY_SKLEARN = 50


def main():
    probe = sys.argv[1]
    sizes = [int(float(n)) for n in (sys.argv[2] if len(sys.argv) > 2 else "1e4,1e5,1e6").split(",")]
    questions = make_rows(N_SCORED, 3)
    before = None
    print("rows         fit        row         from the line before   kernels   scikit-learn, row   ratio")
    for n in sizes:
        rows = make_rows(n, 2)
        with tempfile.TemporaryDirectory() as name:
            found, _ = lacuna(probe, pathlib.Path(name), rows, questions, TOLERANCE, 1)
        theirs, whiten, _ = scikit_learn(rows)
        del rows
        row = found["score_seconds"] / N_SCORED
        sklearn = scikit_learn_seconds(theirs, whiten(questions[:N_SCORED_BY_SKLEARN]), 1)[0]
        growth = f"{row / before[1]:<22.1f} {(n / before[0]) ** (4 / (D + 4)):<9.1f}" if before else f"{'':22} {'':9}"
        print(f"{n:<12,} {found['fit_seconds']:<7.1f} s  {1e6 * row:<8.0f} us {growth} {1e6 * sklearn:<15.0f} us  {sklearn / row:.0f}", flush=True)
        before = n, row


if __name__ == "__main__":
    main()
