"""What the tool predicts with the defaults of lacuna 0.1, the Python package predicts; tests/tool/test_golden.py says how these
numbers follow from those of 0.1, and what equal means."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
import golden

os.environ.update(golden.recorded_environment())  # before lacuna computes anything
HERE = os.environ.get("LACUNA_INSTRUCTION_SET") or golden.instruction_sets()[-1]


def test_the_classifier_with_the_defaults_of_0_1_predicts_the_same():
    relative = golden.tolerance(golden.manifest()["cases"]["defaults"], HERE)
    expected = golden.refit_file("defaults").read_text()
    differences = golden.differences_of_tables(golden.python_predictions(), expected, relative)
    assert not differences, "\n".join(differences[:20])
