"""Builds parts of lacuna with g++ alone, where no CMake is, against the libtorch inside PyTorch."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", "-O3", "-fPIC", "-Wno-psabi", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}"]
# As CMakeLists.txt builds them.
KERNELS = {
    "plain": [],
    "avx2": ["-mavx2", "-mfma", "-DLACUNA_INSTRUCTION_SET=avx2", "-DLACUNA_KERNEL_BYTES=32"],
    "avx512": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mprefer-vector-width=512", "-DLACUNA_INSTRUCTION_SET=avx512",
               "-DLACUNA_KERNEL_BYTES=64"],
}
KERNEL_FLAGS = ["-ffp-contract=fast", "-fno-math-errno"]
LIBRARY_FLAGS = ["-DLACUNA_X86_KERNELS", "-DLACUNA_TORCH", "-DLACUNA_FROM_BIN_TO_LIB=\".\""]


def compile_all(jobs):
    """Each job is (source, object, flags)."""
    newest = max(f.stat().st_mtime for top in ("src", "include") for f in (ROOT / top).rglob("*.hpp"))

    def compile_one(job):
        source, to, own = job
        if to.exists() and to.stat().st_mtime > max(newest, source.stat().st_mtime):
            return
        subprocess.run(["g++", *FLAGS, *own, "-c", source, "-o", to], check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, jobs))


def kernel_jobs(source, to):
    """One object per instruction set."""
    return [(source, to / f"{source.stem}_{name}.o", [*KERNEL_FLAGS, *own]) for name, own in KERNELS.items()]


def torch_flags(cuda):
    """Flags to compile against PyTorch's libtorch and to link it; with `cuda` also against its part for GPUs."""
    import torch

    folder = Path(torch.__file__).parent
    if (folder / "include").is_dir():
        includes = [folder / "include", folder / "include/torch/csrc/api/include"]
    else:  # Debian's package keeps headers where headers belong
        includes = ["/usr/include/torch/csrc/api/include"]
    flags = [f"-D_GLIBCXX_USE_CXX11_ABI={int(getattr(torch._C, '_GLIBCXX_USE_CXX11_ABI', True))}"]
    libraries = ["-Wl,--no-as-needed", "-ltorch_cpu", "-lc10", "-ltorch"]
    if cuda:
        libraries += ["-ltorch_cuda", "-lc10_cuda"]
    flags += [f"-isystem{path}" for path in includes]
    return flags, [f"-L{folder / 'lib'}", f"-Wl,-rpath,{folder / 'lib'}", *libraries]
