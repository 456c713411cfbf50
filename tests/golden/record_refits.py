"""Records what a fit anew predicts where that is not what 0.1 fitted: record_refits.py TOOL.

Only what golden.py names may differ; anything else is refused, as is another instruction set than that of the golden files.
Files of cases that no longer differ are removed.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

import golden
from recording import lasting_json, run, write


def settle(name, case, path, text, differences):
    """Writes the file of a difference, or removes it where there is none."""
    if not differences:
        path.unlink(missing_ok=True)
    elif golden.is_fitted_otherwise(case) or all(map(golden.is_of_the_region, differences)):
        write(path, text)
    else:
        raise SystemExit(f"record: {name} is fitted otherwise than in 0.1, and must not be: {differences[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", type=Path)
    tool = parser.parse_args().tool
    manifest = golden.manifest()
    if manifest["instruction_set"] not in golden.instruction_sets():
        raise SystemExit(f"record: the golden files are those of {manifest['instruction_set']}")
    os.environ.update(golden.recorded_environment())
    with tempfile.TemporaryDirectory() as folder:
        for name, case in manifest["cases"].items():
            model = Path(folder) / f"{name}.lacuna"
            record = run(tool, [*golden.refit_arguments(case, model), "--json", "-"])
            text = run(tool, golden.predict_arguments(case, model))
            expected = golden.predictions_file(name).read_text()
            differences = golden.differences_of_tables(text, expected, golden.EXACT)
            settle(name, case, golden.refit_file(name), text, differences)
            if not case["record"]:
                continue
            expected = json.loads(golden.record_file(name).read_text())
            differences = golden.differences_of_json(json.loads(record), expected, golden.EXACT)
            settle(name, case, golden.refit_record_file(name), lasting_json(record), differences)


if __name__ == "__main__":
    main()
