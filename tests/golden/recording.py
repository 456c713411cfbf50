"""What both recorders need."""

import json
import subprocess


def run(tool, arguments):
    result = subprocess.run([tool, *map(str, arguments)], text=True, capture_output=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}\n{result.stderr}")
    return result.stdout


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def lasting_json(text):
    """Without what another run or version says otherwise."""
    document = {name: value for name, value in json.loads(text).items() if name not in ("version", "seconds")}
    return json.dumps(document, indent=1) + "\n"
