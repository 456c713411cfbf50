"""CSV texts, sound and broken, are split as Python's csv module splits them."""

import csv
import io
import json
import os
import random
import subprocess

PROBE = os.environ["LACUNA_CSV_PROBE"]
# No carriage return alone and no zero byte: lacuna refuses both, Python takes them.
PARTS = ["a", "b", "é", "1", " ", ";", "'", ",", ",", '"', '"', '""', "\n", "\r\n", '"a"', 'x"y']
N_TEXTS = 5000


def split_by_python(text):
    records = []
    try:
        for record in csv.reader(io.StringIO(text, newline=""), strict=True):
            records.append(record or [""])  # a blank line
    except csv.Error:
        return {"records": records, "is_sound": False}
    return {"records": records, "is_sound": True}


def test_the_same_records_and_the_same_errors(tmp_path):
    choice = random.Random(1)
    texts = ["".join(choice.choices(PARTS, k=choice.randrange(40))) for _ in range(N_TEXTS)]
    (tmp_path / "texts").write_text(json.dumps(texts), encoding="utf-8")
    printed = subprocess.run([PROBE, tmp_path / "texts", tmp_path / "scratch"], capture_output=True, text=True, check=True, timeout=300).stdout
    found = json.loads(printed)
    assert len(found) == N_TEXTS
    for text, ours in zip(texts, found):
        assert ours == split_by_python(text), repr(text)
    assert 0.1 < sum(each["is_sound"] for each in found) / N_TEXTS < 0.9  # both kinds were there
