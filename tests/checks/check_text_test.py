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
    b'int a;\nauto t = "use --force";\n': "2: a flag",
    b'auto t = "\\"--force";\n': "1: a flag",
    b"auto u = \"http://\"; char c = '\"'; auto t = \"use --force\";\n": "1: a flag",
    b'auto t = R"(a\n"--force")";\n': "2: a flag",
}

NO_FLAG = [
    b'// "N" in "--max-iterations N"\n',
    b'int a; // say "--force"\n',
    b'/* "--force" */\n',
    b'--i; f("a--1", --j); // "\n',
    b'auto t = "a -- b, ---";\n',
    b"int a = 1'000; // it's \"--force\"\n",
]


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

    def test_a_flag_is_a_matter_of_the_tool(self):
        for content in NO_FLAG:
            with self.subTest(content=content):
                self.assertEqual(self.run_on("include/lacuna/a.hpp", content).stdout, "")
        flag = b'auto t = "use --force";\n'
        self.assertEqual(self.run_on("src/core/a.cpp", flag).returncode, 1)
        for name in ("apps/lacuna/a.cpp", "tests/core/a.cpp", "src/report/page/a.js"):
            with self.subTest(name=name):
                self.assertEqual(self.run_on(name, flag).returncode, 0)

    def test_seeds_are_left_alone(self):
        self.assertIn("no text file", self.run_on("fuzz/corpus/csv/a.txt", b"a \r\n").stderr)


if __name__ == "__main__":
    unittest.main()
