"""An epoch of VAE training, lacuna beside eager PyTorch: same network, device and threads, in turn, in one run.

    python3 bench/vae/compare.py                    # CPU, 2 threads
    python3 bench/vae/compare.py --device cuda

The interpreter must have PyTorch; lacuna's part is built with g++, for --device cuda with the CUDA toolkit and against
the libtorch inside PyTorch, so that both sides run the same version. Needs nothing else of lacuna. Prints the seconds of
an epoch on either side, the ratio of each round, and the share of what the cores can do at best.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from torch_build import LIBRARY_FLAGS, ROOT, compile_all, kernel_jobs, torch_flags  # noqa: E402

NETWORK_FLAGS = ["-fopenmp-simd", "-fno-trapping-math"]


def cuda_toolkit():
    """What a CUDA graph is recorded with."""
    from torch.utils import cpp_extension

    return ["-DLACUNA_TORCH_CUDA", f"-isystem{Path(cpp_extension.CUDA_HOME or '/usr/local/cuda') / 'include'}"]


def build(to, device):
    to.mkdir(parents=True, exist_ok=True)
    network = ROOT / "src/features/network"
    dense = network / "dense_impl.cpp"
    jobs = kernel_jobs(dense, to)
    for source in sorted(network.glob("*.cpp")):
        if source != dense:
            jobs.append((source, to / f"{source.stem}.o", [*LIBRARY_FLAGS, *NETWORK_FLAGS, "-fno-math-errno"]))
    for source in ("bench/vae/epoch.cpp", "src/features/vae_layout.cpp", "src/core/torch_library.cpp",
                   "src/core/shared_library.cpp", "src/core/errors.cpp", "src/core/escapes.cpp",
                   "src/core/interruption.cpp", "src/core/observer.cpp", "src/core/parallel.cpp",
                   "src/core/pass_place.cpp", "src/core/random.cpp", "src/math/instruction_sets.cpp"):
        jobs.append((ROOT / source, to / f"{Path(source).stem}.o", LIBRARY_FLAGS))
    compile_all(jobs)
    link = ["g++", "-pthread"]
    subprocess.run([*link, *(job[1] for job in jobs), "-ldl", "-o", to / "epoch"], check=True)
    if device == "cuda":
        flags, libraries = torch_flags(cuda=True)
        jobs = [(source, to / f"torch_{source.parent.parent.name}_{source.stem}.o",
                 ["-fvisibility=hidden", *cuda_toolkit(), *flags])
                for source in [*ROOT.glob("src/*/torch/*.cpp"), ROOT / "src/core/errors.cpp", ROOT / "src/core/escapes.cpp"]]
        compile_all(jobs)
        subprocess.run([*link, "-shared", *(job[1] for job in jobs), *libraries, "-o", to / "liblacuna_torch.so"],
                       check=True)
    subprocess.run([*link, "-std=c++20", "-O2", "-Wno-psabi", ROOT / "bench/limits/limits.cpp", "-o", to / "limits"], check=True)


def seconds_of(command, threads):
    """The median epoch behind the first, which warms up."""
    # PyTorch's own number of threads does not bind every BLAS.
    environment = os.environ | {f"{of}_NUM_THREADS": str(threads) for of in ("OMP", "MKL", "OPENBLAS")}
    result = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True,
                            env=environment)
    answer = json.loads(result.stdout.splitlines()[-1])
    return statistics.median(answer["seconds"][1:]), answer


def blas():
    """Whose matrix products PyTorch uses: built in, or what it has loaded."""
    import torch

    for line in torch.__config__.show().splitlines():
        if "Math Kernel Library" in line:
            return line.strip(" -")
    torch.zeros(2, 2) @ torch.zeros(2, 2)
    loaded = {Path(line.split()[-1]).name for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    found = sorted(name for name in loaded if re.match(r"lib(openblas|mkl|blis|blas|atlas)", name))
    return ", ".join(found) or "unknown BLAS"


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def report(arguments, ours, theirs, answers, peak):
    import torch

    ratios = [b / a for a, b in zip(ours, theirs)]
    device = torch.cuda.get_device_name() if arguments.device == "cuda" else processor()
    print(f"{device}, {arguments.threads} threads, PyTorch {torch.__version__} ({blas()})")
    print(f"ELBO lacuna {answers[0]['elbo']:.2f}, PyTorch {answers[1]['elbo']:.2f}")
    for name, values in (("lacuna", ours), ("PyTorch", theirs)):
        print(f"{name:8} {statistics.median(values):7.3f} s per epoch ({min(values):.3f} to {max(values):.3f})")
    print(f"ratio    {statistics.median(ratios):7.2f}   ({min(ratios):.2f} to {max(ratios):.2f}, "
          f"{len(ratios)} rounds)")
    if arguments.device == "cpu":
        work = 2e-9 * multiply_adds(arguments.architecture) * arguments.rows
        for name, values in (("lacuna", ours), ("PyTorch", theirs)):
            speed = work / statistics.median(values)
            print(f"{name:8} {speed:7.1f} GFLOP/s, {100 * speed / peak:.0f} % of {peak:.0f} at best")


def multiply_adds(architecture):
    """Of one row in a step: forward, by the weights, by the inputs; nobody needs the last for the first layer."""
    dense = [(784, 512), (512, 256), (256, 4), (2, 256), (256, 512), (512, 784)]
    if architecture == "mlp":
        products = [a * b for a, b in dense]
    else:
        windows = [14 * 14 * 16 * 1 * 32, 7 * 7 * 16 * 32 * 64]
        inner = 7 * 7 * 64
        products = windows + [inner * 512, 512 * 256, 256 * 4, 2 * 256, 256 * 512, 512 * inner] + windows[::-1]
    return 3 * sum(products) - products[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--architecture", choices=["mlp", "conv"], default="mlp")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--epochs", type=int, default=3, help="per run; the first does not count")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=Path, default=ROOT / "build/bench-vae")
    arguments = parser.parse_args()
    if arguments.epochs < 2:
        parser.error("--epochs: at least 2, because the first does not count")
    arguments.build = arguments.build / arguments.device
    build(arguments.build, arguments.device)
    tail = [arguments.device, arguments.rows, arguments.epochs, arguments.threads, arguments.architecture]
    ours, theirs, answers, peak = [], [], [None, None], 0.0
    for _ in range(arguments.rounds):
        peak = max(peak, float(subprocess.check_output([arguments.build / "limits", str(arguments.threads)])))
        for values, which, command in (
            (ours, 0, [arguments.build / "epoch"]),
            (theirs, 1, [sys.executable, HERE / "epoch.py"]),
        ):
            seconds, answers[which] = seconds_of([*command, *tail], arguments.threads)
            values.append(seconds)
    report(arguments, ours, theirs, answers, peak)


if __name__ == "__main__":
    main()
