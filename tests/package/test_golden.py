"""What the Python package of lacuna 0.1 predicted, this one predicts; tests/tool/test_golden.py says what equal means."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
import golden


def test_the_classifier_with_its_defaults_predicts_the_same():
    relative = golden.tolerance(golden.manifest()["cases"]["defaults"])
    differences = golden.differences_of_tables(golden.python_predictions(), golden.python_file().read_text(), relative)
    assert not differences, "\n".join(differences[:20])
