"""Whether two builds of the tool make the same models, byte for byte: compare_tools.py TOOL TOOL. scripts/build-matrix calls it.

Each fits every golden case of 0.1 and of format 2 as it stands, by every instruction set of this processor.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import golden


def model_of(tool, case, instruction_set, folder):
    path = Path(folder) / "model"
    environment = {**os.environ, "LACUNA_INSTRUCTION_SET": instruction_set}
    subprocess.run([tool, *golden.fit_arguments(case, path), "--force"], env=environment, check=True, capture_output=True)
    return path.read_bytes()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare_tools.py TOOL TOOL")
    tools = [Path(name).resolve() for name in sys.argv[1:]]
    cases = {**golden.manifest()["cases"], **{f"today's {name}": case for name, case in golden.format_2_cases().items()}}
    sets = golden.instruction_sets()
    different = []
    with tempfile.TemporaryDirectory() as folder:
        for instruction_set in sets:
            for name, case in cases.items():
                first, second = (model_of(tool, case, instruction_set, folder) for tool in tools)
                if first != second:
                    different.append(f"{name} ({instruction_set})")
    print(f"{len(cases) * len(sets) - len(different)} of {len(cases) * len(sets)} models are the same ({', '.join(sets)})")
    if different:
        sys.exit("these differ: " + ", ".join(different))


if __name__ == "__main__":
    main()
