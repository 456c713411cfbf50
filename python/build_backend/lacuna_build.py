"""PEP 517 back end: builds lacuna._core with CMake and packs it with the package's own files into a wheel.

It needs nothing but Python's standard library. LACUNA_BUILD_DIR (or pip's --config-settings build-dir=PATH) names a
build folder to use; one that is configured with LACUNA_BUILD_PYTHON=ON is used as it is, so that what it holds is not
compiled again. Otherwise it is a temporary folder, and nothing is left of it.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "apps", "cmake", "include", "python", "src"]
TIME = (2020, 1, 1, 0, 0, 0)  # of every file in a wheel: the same sources give the same bytes


def project():
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def version():
    return re.search(r"project\(lacuna VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def metadata():
    facts = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {facts['name']}",
        f"Version: {version()}",
        f"Summary: {facts['description']}",
        f"License: {facts['license']['text']}",
        *(f"Classifier: {entry}" for entry in facts["classifiers"]),
        f"Requires-Python: {facts['requires-python']}",
        *(f"Requires-Dist: {entry}" for entry in facts["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / facts["readme"]).read_text(encoding="utf-8")


def run(*command):
    try:
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True)
    except FileNotFoundError:
        raise SystemExit(f"lacuna: {command[0]} is not installed; scripts/setup --for python installs all it takes")
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"lacuna: '{' '.join(map(str, command))}' failed with exit code {error.returncode}; see above")


def configure(folder):
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "BUILD_SHARED_LIBS": "OFF",
        "LACUNA_BUILD_PYTHON": "ON",
        "LACUNA_BUILD_CLI": "ON",
        "LACUNA_BUILD_TESTS": "OFF",
        "Python_EXECUTABLE": sys.executable,
    }
    if "CMAKE_CXX_COMPILER_LAUNCHER" not in os.environ and shutil.which("ccache"):
        options["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", ROOT, "-B", folder, *generator, *(f"-D{name}={value}" for name, value in options.items()))


@contextmanager
def build_folder(config_settings):
    given = (config_settings or {}).get("build-dir") or os.environ.get("LACUNA_BUILD_DIR")
    if given:
        yield Path(given).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="lacuna-build-") as folder:
        yield Path(folder)


def build(folder):
    """The compiled files of the package: the extension, the tool, and the part for GPUs where libtorch is."""
    cache = folder / "CMakeCache.txt"
    if not (cache.is_file() and "LACUNA_BUILD_PYTHON:BOOL=ON" in cache.read_text()):
        configure(folder)
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    run("cmake", "--build", folder, "--target", "lacuna_python", "lacuna_cli")
    extension = folder / "python" / "lacuna" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not extension.is_file():
        raise SystemExit(f"lacuna: the build in '{folder}' is for another Python than {sys.executable}")
    torch = folder / "liblacuna_torch.so"
    return [extension, folder / "lacuna", *([torch] if torch.is_file() else [])]


def package_files():
    folder = ROOT / "python" / "lacuna"
    return sorted(path for path in folder.iterdir() if path.suffix in (".py", ".pyi") or path.name == "py.typed")


def dist_info():
    wheel = f"Wheel-Version: 1.0\nGenerator: lacuna_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    licence = (ROOT / "LICENSE").read_bytes()
    commands = "".join(f"{name} = {place}\n" for name, place in project()["scripts"].items())
    return {
        "METADATA": metadata().encode(),
        "WHEEL": wheel.encode(),
        "LICENSE": licence,
        "entry_points.txt": f"[console_scripts]\n{commands}".encode(),
    }


def write_wheel(path, contents):
    """`contents`: name in the wheel -> bytes. The last entry, RECORD, lists all others with their hashes."""
    record_name = f"lacuna-{version()}.dist-info/RECORD"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in [*sorted(contents.items()), (record_name, None)]:
            if content is None:
                content = f"{record}{record_name},,\n".encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith((".so", "lacuna/lacuna")) else 0o100644) << 16
            wheel.writestr(entry, content)


# What pip calls.


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"lacuna-{version()}.dist-info"
    folder = Path(metadata_directory) / name
    folder.mkdir(parents=True)
    for file, content in dist_info().items():
        (folder / file).write_bytes(content)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with build_folder(config_settings) as folder:
        contents = {f"lacuna/{path.name}": path.read_bytes() for path in [*package_files(), *build(folder)]}
    contents |= {f"lacuna-{version()}.dist-info/{file}": content for file, content in dist_info().items()}
    name = f"lacuna-{version()}-{tag()}.whl"
    write_wheel(Path(wheel_directory) / name, contents)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"lacuna-{version()}"
    notes = Path(sdist_directory) / "PKG-INFO"
    notes.write_text(metadata(), encoding="utf-8")

    def without_caches(entry):
        return None if "__pycache__" in entry.name else entry

    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for source in SOURCES:
            archive.add(ROOT / source, f"{name}/{source}", filter=without_caches)
        archive.add(notes, f"{name}/PKG-INFO")
    notes.unlink()
    return f"{name}.tar.gz"
