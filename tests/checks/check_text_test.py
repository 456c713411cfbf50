"""The text check must find each kind of untidiness."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("check_text.py")

BAD = {
    b"int a; \n": "1: white space",
    b"int a;\r\nint b;\n": "1: white space",
    b"int a;\nint b;": "2: no newline",
    b"\n\tint a;\n": "2: a tab",
    b"// TO" b"DO: later\n": "1: unfinished",
    b"// \xff\n": "1: not UTF-8",
}


class CheckText(unittest.TestCase):
    def run_on(self, name, content):
        with tempfile.TemporaryDirectory() as root:
            path = Path(root, name)
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
            return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)

    def test_tidy_text_passes(self):
        self.assertEqual(self.run_on("src/core/a.cpp", "int a; // \u00fc\n".encode()).returncode, 0)

    def test_each_problem_is_found(self):
        for content, text in BAD.items():
            with self.subTest(content=content):
                result = self.run_on("src/core/a.cpp", content)
                self.assertEqual(result.returncode, 1)
                self.assertIn(f"src/core/a.cpp:{text}", result.stdout)

    def test_seeds_are_left_alone(self):
        self.assertIn("no text file", self.run_on("fuzz/corpus/csv/a.txt", b"a \r\n").stderr)


if __name__ == "__main__":
    unittest.main()
