"""scripts/tidy in a made-up repository, with a made-up cmake and clang-tidy: which files it looks at, and how it ends."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "tidy"
CMAKE = """#!/usr/bin/python3
import json
from pathlib import Path
root = Path.cwd()
(root / "build/tidy").mkdir(parents=True, exist_ok=True)
entries = [{"file": str(path)} for path in sorted((root / "src").glob("*.cpp"))]
(root / "build/tidy/compile_commands.json").write_text(json.dumps(entries))
(root / "build/tidy/CMakeCache.txt").write_text(f"CMAKE_CXX_CLANG_TIDY:STRING={root}/programs/lint;--quiet\\n")
"""
LINT = """#!/bin/bash
echo "${@: -1}" >> "$LOOKED_AT"
! grep -n bad "${@: -1}"
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="it's a test ")
        self.addCleanup(folder.cleanup)
        self.outside = Path(folder.name)
        self.root = self.outside / "repository"
        for name in ("scripts", "src", "tests", "programs"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts")
        self.write("programs/cmake", CMAKE).chmod(0o755)
        self.write("programs/lint", LINT).chmod(0o755)
        self.write(".gitignore", "/build/\n")
        self.write("src/one.cpp", '#include "src/shared.hpp"\n')
        self.write("src/shared.cpp", '#include "src/shared.hpp"\n')
        self.write("src/shared.hpp", "\n")
        self.write("src/two.cpp", "\n")
        self.write("tests/one_test.cpp", "\n")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *arguments):
        who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Something")

    def tidy(self, *arguments, code=0, base=None):
        """What it prints, and the names of the files that it gave to clang-tidy."""
        seen = self.outside / "seen"
        seen.write_text("", encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "LACUNA_TIDY_BASE"}
        environment |= {"PATH": f"{self.root}/programs:{os.environ['PATH']}", "LOOKED_AT": str(seen)}
        if base is not None:
            environment["LACUNA_TIDY_BASE"] = base
        done = subprocess.run(
            [self.root / "scripts/tidy", *arguments], env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        looked_at = sorted(Path(line).name for line in seen.read_text(encoding="utf-8").splitlines())
        return done.stdout + done.stderr, looked_at

    def test_a_single_commit_has_changed_nothing(self):
        printed, looked_at = self.tidy()
        self.assertIn("nothing has changed", printed)
        self.assertEqual(looked_at, [])

    def test_files_without_git_have_not_changed(self):
        shutil.rmtree(self.root / ".git")
        self.assertIn("git knows nothing", self.tidy()[0])

    def test_sources_of_the_last_commit_and_of_none(self):
        self.write("src/two.cpp", "int two;\n")
        self.write("tests/one_test.cpp", "int test;\n")
        self.commit()
        self.write("src/new.cpp", "int fresh;\n")
        self.assertEqual(self.tidy()[1], ["new.cpp", "two.cpp"])
        self.commit()
        self.assertEqual(self.tidy()[1], ["new.cpp"])
        self.assertEqual(self.tidy(base="HEAD~2")[1], ["new.cpp", "two.cpp"])
        self.assertIn("no such thing", self.tidy(base="no such thing", code=1)[0])

    def test_a_header_is_seen_through_one_source(self):
        self.write("src/shared.hpp", "int shared;\n")
        self.commit()
        self.assertEqual(self.tidy()[1], ["shared.cpp"])
        self.write("src/one.cpp", '#include "src/shared.hpp"\nint one;\n')
        self.assertEqual(self.tidy()[1], ["one.cpp"])

    def test_a_deleted_file_is_none(self):
        (self.root / "src/two.cpp").unlink()
        self.commit()
        self.assertEqual(self.tidy()[1], [])

    def test_a_finding_is_a_failure(self):
        self.write("src/one.cpp", "int bad;\n")
        self.commit()
        self.assertIn("int bad;", self.tidy(code=1)[0])

    def test_what_there_was_no_time_for_is_named(self):
        self.write("src/two.cpp", "int two;\n")
        self.commit()
        printed, looked_at = self.tidy("--seconds", "-1")
        self.assertEqual(looked_at, [])
        self.assertIn("0 of 1 sources", printed)
        self.assertIn("no time for src/two.cpp", printed)


if __name__ == "__main__":
    unittest.main()
