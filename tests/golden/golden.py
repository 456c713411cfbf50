"""What the golden files are and when two results are the same. record.py writes the files, test_golden.py reads them.

Some corrections since 0.1 change what is fitted, never what a model file of 0.1 predicts. What can be switched off is, for the
comparison (AS_0_1). What cannot is named by is_fitted_otherwise and is_of_the_region. Their files are in refits/, by record_refits.py.
"""

import csv
import io
import json
import math
from pathlib import Path

FOLDER = Path(__file__).parent
EXACT = 0.0
# On another instruction set. Networks are float32, good to 1e-7, and training and the densities magnify that: built
# without vector kernels, 0.1 was off by up to 7e-5 with a vae and by less than 1e-9 without.
RELATIVE = 1e-6
RELATIVE_WITH_VAE = 1e-3
ABSOLUTE = 1e-9  # there too: below it a number is as good as 0
LABEL = "kind"  # the label's column in every table
AS_0_1 = ["--conditional", "densities", "--background", "none", "--shrinkage", "0"]
WORDS = ("prediction", "informative")  # columns of a prediction that are no measured numbers


def instruction_sets():
    """Those that lacuna may take on this processor, by the rule of src/math/instruction_sets.cpp."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    flags = next((set(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")), set())
    if not {"avx2", "fma"} <= flags:
        return ["plain"]
    return ["plain", "avx2", "avx512"] if {"avx512f", "avx512dq", "avx512bw"} <= flags else ["plain", "avx2"]


def recorded_environment():
    """Makes lacuna compute as the recording machine did, where this processor can."""
    recorded = manifest()["instruction_set"]
    return {"LACUNA_INSTRUCTION_SET": recorded} if recorded in instruction_sets() else {}


def manifest():
    return json.loads((FOLDER / "cases.json").read_text())


def tolerance(case, instruction_set):
    """The relative difference that a number may have; EXACT: none, and texts are the same."""
    if instruction_set == manifest()["instruction_set"]:
        return EXACT
    has_vae = any("vae:" in option for option in case["options"])
    return RELATIVE_WITH_VAE if has_vae else RELATIVE


FORMAT_2 = FOLDER / "format2" / "cases.json"


def format_2_cases():
    return json.loads(FORMAT_2.read_text())


def format_2_file(name, ending):
    """A model (lacuna) or what it predicts (csv)."""
    return FORMAT_2.parent / f"{name}.{ending}"


def table(name, part):
    return FOLDER / "tables" / f"{name}-{part}.csv"


def model_file(name):
    return FOLDER / "models" / f"{name}.lacuna"


def predictions_file(name):
    return FOLDER / "predictions" / f"{name}.csv"


def evaluation_file(name):
    return FOLDER / "evaluations" / f"{name}.json"


def record_file(name):
    return FOLDER / "records" / f"{name}.json"


def refit_file(name):
    """What a fit anew predicts, where that is not what 0.1 fitted."""
    return FOLDER / "refits" / f"{name}.csv"


def refit_record_file(name):
    return FOLDER / "refits" / f"{name}.json"


def has_several_draws(case):
    """Whether labels are drawn from resampled models, whose class shares 0.1 held fixed."""
    options = case["options"]
    one = {"supervised", "mcar-em", "soft", "paper"}
    return not one & set(options)


def is_refilled(case):
    """Whether mcar-em refills labels by expected log densities, where 0.1 took predictive ones."""
    return "mcar-em" in case["options"] and _is_vb_gmm(case)


def has_gaps(case):
    """Whether the densities know features by the rows that have them; missing values of 0.1 were evidence."""
    return case["table"] == "mixed" and "weight,pet,zone" not in case["options"] and _is_vb_gmm(case)


def _is_vb_gmm(case):
    return "--density" not in case["options"] or "vb-gmm" in case["options"]


def is_fitted_otherwise(case):
    return has_several_draws(case) or is_refilled(case) or has_gaps(case)


def is_of_the_region(difference):
    """Whether a difference of tables or records, in words, is one of the region alone: kappa auto has a floor, and kde leaves a row out
    of the density that it is compared with."""
    region = ("/summary/kappa:", "/summary/n_informative:", "/summary/informative_share:")
    return ", informative: " in difference or difference.startswith(region)


def fit_arguments(case, model):
    return ["fit", table(case["table"], "train"), "-o", model, "--label", LABEL, *case["options"]]


def refit_arguments(case, model):
    """A preset decides for itself."""
    return [*fit_arguments(case, model), *([] if "--preset" in case["options"] else AS_0_1)]


def predict_arguments(case, model):
    return ["predict", model, table(case["table"], "test"), "-o", "-"]


def evaluate_arguments(case, model):
    """Strata and a calibration take paths through evaluate that plain metrics do not."""
    arguments = ["evaluate", model, table(case["table"], "test"), "--label", LABEL, "--json", "-", *case["evaluate"]]
    if "--calibrate" in case["evaluate"]:
        arguments += ["--calibration-data", table(case["table"], "train")]
    return arguments


def python_predictions():
    """What ReliableClassifier with the defaults of 0.1 says about the plane: a line per row, every digit of each number."""
    import numpy as np
    from lacuna import ReliableClassifier

    def read(part):
        rows = _rows(table("plane", part).read_text())
        return np.array([[float(row["x"]), float(row["y"])] for row in rows]), np.array([row[LABEL] for row in rows])

    features, labels = read("train")
    model = ReliableClassifier(missing_label="", conditional="densities", background="none", shrinkage=0.0).fit(features, labels)
    questions, _ = read("test")
    names = ["prediction", "error_probability", "informative", "log_ratio", *(f"p_{name}" for name in model.classes_)]
    columns = [
        model.predict(questions).tolist(),
        model.error_probability(questions).tolist(),
        model.informative(questions).astype(int).tolist(),
        model.log_ratio(questions).tolist(),
        *model.predict_proba(questions).T.tolist(),
    ]
    lines = [",".join(cell if isinstance(cell, str) else repr(cell) for cell in row) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *lines]) + "\n"


def is_same_number(found, expected, relative):
    if found == expected or (math.isnan(found) and math.isnan(expected)):
        return True
    return relative != EXACT and math.isclose(found, expected, rel_tol=relative, abs_tol=ABSOLUTE)


def _rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def _is_near_tie(row, relative):
    first, second = sorted((float(value) for name, value in row.items() if name.startswith("p_")), reverse=True)[:2]
    return first - second <= relative


def differences_of_tables(found, expected, relative):
    """Where two prediction tables differ, in words; [] when they are the same."""
    if found == expected:
        return []
    header, golden_header = found.split("\n", 1)[0], expected.split("\n", 1)[0]
    if header != golden_header:
        return [f"columns: {header}, not {golden_header}"]
    rows, golden_rows = _rows(found), _rows(expected)
    if len(rows) != len(golden_rows):
        return [f"{len(rows)} rows, not {len(golden_rows)}"]
    result = []
    for number, (row, golden) in enumerate(zip(rows, golden_rows, strict=True), 1):
        for name in golden:
            if row[name] == golden[name]:
                continue
            if relative != EXACT:
                if name == "prediction" and _is_near_tie(golden, relative):
                    continue
                if name not in WORDS and is_same_number(float(row[name]), float(golden[name]), relative):
                    continue
            result.append(f"row {number}, {name}: {row[name]}, not {golden[name]}")
    # Equal cells, another text: line ends, quotes or a last line.
    return result or (["the texts differ, though no cell does"] if relative == EXACT else [])


def differences_of_json(found, expected, relative, place=""):
    """The same for JSON. Everything in `expected` must be in `found`; `found` may have more names."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{place}: {found}, not an object"]
        result = [f"{place}/{name}: not there" for name in expected if name not in found]
        for name in expected.keys() & found.keys():
            result += differences_of_json(found[name], expected[name], relative, f"{place}/{name}")
        return sorted(result)
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{place}: {found}, not {expected}"]
        return [
            difference
            for i, (one, other) in enumerate(zip(found, expected, strict=True))
            for difference in differences_of_json(one, other, relative, f"{place}/{i}")
        ]
    if isinstance(expected, float) and isinstance(found, (int, float)) and not isinstance(found, bool):
        is_same = is_same_number(float(found), expected, relative)
    else:
        is_same = type(found) is type(expected) and found == expected
    return [] if is_same else [f"{place}: {found}, not {expected}"]
