"""The layer check must find each kind of breach in a made-up tree, and nothing in a good one."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("check_layers.py")

GOOD = {
    "include/lacuna/core/a.hpp": "#include <vector>\n",
    "include/lacuna/density/d.hpp": '#include <memory>\n#include "lacuna/core/a.hpp"\n',
    "src/math/special.cpp": "#include <boost/math/special_functions.hpp>\n",
    "src/density/inner.hpp": "#include <Eigen/Dense>\n",
    "src/density/d.cpp": '#include "lacuna/density/d.hpp"\n#include "density/inner.hpp"\n#include "inner.hpp"\n',
    "src/evaluation/e.cpp": '#include "lacuna/core/a.hpp"\n',
    "src/features/torch/vae.cpp": "#include <torch/torch.h>\n",
    "apps/lacuna/command_line.cpp": '#include <CLI/CLI.hpp>\n#include "lacuna/density/d.hpp"\n',
    "apps/lacuna/config_file.cpp": "#include <toml++/toml.h>\n",
    "python/bindings/p.cpp": '#include <pybind11/pybind11.h>\n#include "lacuna/density/d.hpp"\n',
    "tests/density/d_test.cpp": '#include "density/inner.hpp"\n#include "lacuna/core/a.hpp"\n',
    "tests/core/a_test.cpp": '#include "lacuna/density/d.hpp"\n',
    "fuzz/fuzz_d.cpp": '#include "density/inner.hpp"\n',
    "tests/density/tools/probe.cpp": '#include "density/inner.hpp"\n',
}

# file, content, the line that is wrong, a part of what the check must say
BAD = [
    ("src/core/up.cpp", '#include <vector>\n#include "lacuna/density/d.hpp"\n', 2, "core may include only core"),
    ("include/lacuna/math/up.hpp", '#include "lacuna/density/d.hpp"\n', 1, "math may include only core, math"),
    ("src/core/up.cpp", '  #  include <lacuna/density/d.hpp>\n', 1, "core may include only core"),
    ("src/evaluation/e.cpp", '#include "lacuna/density/d.hpp"\n', 1, "evaluation may include only core, math"),
    ("src/pipeline/p.cpp", '\n#include "lacuna/report/r.hpp"\n', 2, "pipeline may include only core, math, data"),
    ("src/learning/l.cpp", '#include "density/inner.hpp"\n', 1, "private to src/density"),
    ("src/learning/l.cpp", '#include "../density/inner.hpp"\n', 1, "private to src/density"),
    ("include/lacuna/density/x.hpp", '#include "density/inner.hpp"\n', 1, "private to src/density"),
    ("tests/learning/l_test.cpp", '#include "density/inner.hpp"\n', 1, "private to src/density"),
    ("apps/lacuna/fit.cpp", '#include "density/inner.hpp"\n', 1, "private to src/density"),
    ("include/lacuna/core/b.hpp", "#include <Eigen/Dense>\n", 1, "public header"),
    ("include/lacuna/core/b.hpp", '#include "fmt/format.h"\n', 1, "public header"),
    ("include/lacuna/core/b.hpp", "#include <unistd.h>\n", 1, "public header"),
    ("src/density/b.cpp", "#include <boost/math/tools/roots.hpp>\n", 1, "Boost may be included only"),
    ("src/features/pca.cpp", "#include <torch/torch.h>\n", 1, "torch may be included only"),
    ("src/core/c.cpp", "#include <mpi.h>\n", 1, "MPI may be included only"),
    ("src/core/c.cpp", "#include <pybind11/numpy.h>\n", 1, "Python may be included only"),
    ("apps/lacuna/fit.cpp", "#include <CLI/App.hpp>\n", 1, "CLI11 may be included only"),
    ("apps/lacuna/fit.cpp", "#include <toml++/toml.h>\n", 1, "toml++ may be included only"),
    ("python/bindings/p.cpp", '#include "density/inner.hpp"\n', 1, "private to src/density"),
    ("src/core/c.cpp", "#include HEADER\n", 1, "macro"),
    ("src/attic/c.cpp", "", 1, "no room of this name"),
]


class CheckLayers(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, content in files.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)

    def test_good_tree_passes(self):
        result = self.run_on(GOOD)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_each_breach_is_found_and_named(self):
        for name, content, line, text in BAD:
            with self.subTest(file=name, content=content):
                result = self.run_on(GOOD | {name: content})
                self.assertEqual(result.returncode, 1)
                self.assertTrue(result.stdout.startswith(f"{name}:{line}: "), result.stdout)
                self.assertIn(text, result.stdout)
                self.assertEqual(result.stdout.count("\n"), 1)

    def test_a_tree_without_code_is_no_success(self):
        self.assertNotEqual(self.run_on({"README.md": ""}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
