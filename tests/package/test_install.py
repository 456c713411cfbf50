"""pip installs the package into a fresh environment without a network, the quickstart runs there, and uninstalling
leaves nothing. What the build folder holds already is not compiled again."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
QUICKSTART = re.search(r"^## Quickstart.*?^```python\n(.*?)^```$", PAGE, re.M | re.S)[1]
# Nothing of the build folder may help, and nothing may be asked for anywhere.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONDONTWRITEBYTECODE": "",
}


def run(*command, cwd, code=0):
    result = subprocess.run([str(part) for part in command], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == code, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (path,) = folder.iterdir()
    return path


def test_install_quickstart_uninstall(tmp_path):
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "env", cwd=tmp_path)
    python = tmp_path / "env/bin/python"
    before = files(tmp_path / "env")
    run(python, "-m", "pip", "install", "--no-index", ROOT, cwd=tmp_path)
    printed = run(python, "-c", QUICKSTART, cwd=tmp_path)
    assert printed.splitlines()[0] == "[0 1]"
    assert "env/lib" in run(python, "-c", "import lacuna; print(lacuna.__file__)", cwd=tmp_path)
    version = run(python, "-c", "import lacuna; print(lacuna.__version__)", cwd=tmp_path).strip()
    for tool in ([tmp_path / "env/bin/lacuna"], [python, "-m", "lacuna"]):
        assert run(*tool, "--version", cwd=tmp_path).strip() == f"lacuna {version}"
        run(*tool, "fit", "none.csv", cwd=tmp_path, code=64)
        run(*tool, "info", "none.lacuna", cwd=tmp_path, code=66)
    assert f"Version: {version}\n" in run(python, "-m", "pip", "show", "lacuna", cwd=tmp_path)
    run(python, "-m", "pip", "uninstall", "-y", "lacuna", cwd=tmp_path)
    run(python, "-c", "import lacuna", cwd=tmp_path, code=1)
    left = {name for name in files(tmp_path / "env") - before if "__pycache__" not in name}
    assert not left and not any("lacuna" in name for name in files(tmp_path / "env"))


def test_the_wheel_is_complete_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    info = next(name for name in names if name.endswith("/WHEEL")).removesuffix("WHEEL")
    package = {f"lacuna/{path.name}" for path in (ROOT / "python/lacuna").iterdir() if path.is_file()}
    assert package <= names
    rest = {re.sub(r"_core\..*\.so", "_core", name.removeprefix("lacuna/")) for name in names - package}
    of_pip = {info + file for file in ("METADATA", "WHEEL", "RECORD", "LICENSE", "entry_points.txt")}
    assert rest - {"liblacuna_torch.so"} == {"_core", "lacuna"} | of_pip
    record = zipfile.ZipFile(wheel).read(info + "RECORD").decode().splitlines()
    assert {line.split(",")[0] for line in record} == names
    assert wheel.name.split("-")[2] == f"cp{sys.version_info[0]}{sys.version_info[1]}"


def test_the_same_build_gives_the_same_wheel(wheel, tmp_path):
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, ROOT, cwd=tmp_path)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_torch_part_lies_beside_the_extension(tmp_path, wheel):
    archive = zipfile.ZipFile(wheel)
    if "lacuna/liblacuna_torch.so" not in archive.namelist():
        pytest.skip("built without libtorch")
    archive.extractall(tmp_path)
    program = (
        "import sys; sys.path.insert(0, '.'); import numpy as np, lacuna\n"
        "try: print(lacuna.VariationalAutoencoder(vae_hidden=(4,), vae_epochs=1, device='cuda').fit_transform(np.eye(5)).shape)\n"
        "except ValueError as error: print(error)"
    )
    answer = run(sys.executable, "-c", program, cwd=tmp_path)
    assert answer.startswith("(5, 2)") or "libtorch finds no GPU" in answer


def test_a_source_archive_has_what_a_build_needs(tmp_path):
    program = "import lacuna_build; print(lacuna_build.build_sdist('.'))"
    backend = ROOT / "python/build_backend"
    name = subprocess.run(
        [sys.executable, "-B", "-c", program], cwd=tmp_path, env={**ENVIRONMENT, "PYTHONPATH": str(backend)},
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    run("tar", "xzf", name, cwd=tmp_path)
    folder = tmp_path / name.removesuffix(".tar.gz")
    assert (folder / "PKG-INFO").is_file() and not list(folder.rglob("__pycache__"))
    options = [f"-DLACUNA_{name}" for name in ("BUILD_PYTHON=ON", "BUILD_CLI=ON", "BUILD_TESTS=OFF", "WITH_TORCH=OFF")]
    run("cmake", "-S", folder, "-B", tmp_path / "build", "-G", "Ninja", *options, cwd=tmp_path)


def test_pip_builds_in_a_folder_that_is_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python/build_backend"))
    monkeypatch.delenv("LACUNA_BUILD_DIR", raising=False)
    import lacuna_build

    used = []

    def run_nothing(*command):  # what CMake would do, in no time
        if "--build" not in command:
            return
        folder = Path(command[command.index("--build") + 1])
        used.append(folder)
        library = folder / "python/lacuna" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        library.parent.mkdir(parents=True)
        library.write_bytes(b"compiled")
        (folder / "lacuna").write_bytes(b"compiled")

    monkeypatch.setattr(lacuna_build, "run", run_nothing)
    name = lacuna_build.build_wheel(tmp_path)
    assert any("_core" in entry for entry in zipfile.ZipFile(tmp_path / name).namelist())
    (folder,) = used
    assert not folder.exists() and ROOT not in folder.parents
