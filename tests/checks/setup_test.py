"""scripts/setup against a made-up machine: who runs it, what is installed, and what it then does."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).parents[2] / "scripts" / "setup"


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name)
        self.calls = self.bin / "calls"
        for tool in ("bash", "env", "mktemp", "tail", "rm", "true"):
            (self.bin / tool).symlink_to(f"/usr/bin/{tool}")

    def tool(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def machine(self, uid, missing=(), sudo=None, apt_status=0):
        """Stand-ins for the system's tools; each notes that it was called."""
        self.tool("id", f"echo {uid}")
        self.tool(
            "dpkg-query",
            'status=0; shift 3\nfor p in "$@"; do case " %s " in *" $p "*) status=1;; *) printf "%%s=installed " "$p";;'
            " esac; done; exit $status" % " ".join(missing),
        )
        self.tool("apt-get", f'echo "apt-get $DEBIAN_FRONTEND $*" >> {self.calls}; exit {apt_status}')
        if sudo is not None:
            self.tool("sudo", f'{"shift; echo sudo >> " + str(self.calls) + "; exec $@" if sudo else "exit 1"}')

    def run_setup(self, *arguments):
        environment = {"PATH": str(self.bin), "TMPDIR": str(self.bin)}
        result = subprocess.run(["/bin/bash", SETUP, *arguments], env=environment, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, check=False)
        calls = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        return result, calls

    def test_nothing_missing_touches_nothing(self):
        self.machine(uid=0)
        result, calls = self.run_setup()
        self.assertEqual((result.returncode, result.stdout + result.stderr, calls), (0, "", []))

    def test_root_installs_exactly_what_is_missing(self):
        self.machine(uid=0, missing=["cmake", "clang-14"])
        result, calls = self.run_setup("--for", "test")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(calls), 2)
        self.assertRegex(calls[0], "^apt-get noninteractive -y .* update$")
        self.assertRegex(calls[1], "^apt-get noninteractive -y .* install --no-install-recommends cmake clang-14$")

    def test_demo_needs_no_test_packages(self):
        self.machine(uid=0, missing=["clang-14"])
        result, calls = self.run_setup("--for", "demo")
        self.assertEqual((result.returncode, calls), (0, []))

    def test_python_needs_its_own_packages_and_no_others(self):
        self.machine(uid=0, missing=["clang-14", "pybind11-dev", "cmake"])
        result, calls = self.run_setup("--for", "python")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(calls[1], " install --no-install-recommends cmake pybind11-dev$")

    def test_the_study_needs_python_and_its_peers(self):
        self.machine(uid=0, missing=["clang-14", "pybind11-dev", "python3-xgboost"])
        result, calls = self.run_setup("--for", "study")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(calls[1], " install --no-install-recommends pybind11-dev python3-xgboost$")

    def test_passwordless_sudo_is_used(self):
        self.machine(uid=1000, missing=["cmake"], sudo=True)
        result, calls = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([call for call in calls if call == "sudo"], ["sudo"] * 3)  # one to see whether it works
        self.assertRegex(calls[-1], "^apt-get noninteractive .* cmake$")

    def test_others_are_told_what_is_missing(self):
        for sudo in (None, False):
            with self.subTest(sudo=sudo):
                self.machine(uid=1000, missing=["cmake", "libfmt-dev"], sudo=sudo)
                result, calls = self.run_setup()
                self.assertEqual((result.returncode, calls), (1, []))
                self.assertIn("missing packages: cmake libfmt-dev\n", result.stderr)
                self.assertIn(
                    "  apt-get update && apt-get install --no-install-recommends cmake libfmt-dev\n", result.stderr
                )

    def test_a_failing_apt_get_fails(self):
        self.machine(uid=0, missing=["cmake"], apt_status=100)
        result, _ = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get failed", result.stderr)

    def test_another_system_is_told_what_it_needs(self):
        self.tool("id", "echo 0")
        result, _ = self.run_setup("--for", "demo")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not Debian", result.stderr)
        self.assertIn("libeigen3-dev", result.stderr)

    def test_wrong_arguments_are_refused(self):
        self.machine(uid=0)
        for arguments in (["--for"], ["--for", "lunch"], ["now"], ["--for", "demo", "x"]):
            self.assertEqual(self.run_setup(*arguments)[0].returncode, 64, arguments)


if __name__ == "__main__":
    unittest.main()
