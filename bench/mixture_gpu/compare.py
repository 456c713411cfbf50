"""A pass of a Gaussian mixture (E-step and statistics) on a GPU: lacuna beside plain products of PyTorch and beside
scikit-learn by the array API, on the same device in one run.

    python3 bench/mixture_gpu/compare.py --device cuda --json gpu.json

The interpreter must have PyTorch; lacuna's part is built with g++ against the libtorch inside it. `--device cpu` runs the
same code on the CPU. Prints medians, ratios, TFLOP/s and the share of the device's own best matrix product.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from torch_build import LIBRARY_FLAGS, ROOT, compile_all, kernel_jobs, torch_flags  # noqa: E402


def build(to, device, flags):
    """passes, and liblacuna_torch.so beside it; with the tests of the products where GoogleTest is."""
    to.mkdir(parents=True, exist_ok=True)
    jobs = []
    for room in ("core", "math", "data", "density"):
        for source in sorted((ROOT / "src" / room).glob("*.cpp")):
            if source.stem.endswith("kernels_impl"):
                jobs += kernel_jobs(source, to)
            else:
                jobs.append((source, to / f"{room}_{source.stem}.o", [*LIBRARY_FLAGS, "-DLACUNA_VERSION=\"bench\""]))
    programs = {"passes": HERE / "passes.cpp", "products_test": ROOT / "tests/density/products_test.cpp"}
    outer = [(source, to / f"{name}.o", ["-DLACUNA_TORCH"]) for name, source in programs.items()]
    torch, libraries = torch_flags(device == "cuda")
    plugin = [(source, to / f"torch_{source.parent.parent.name}_{source.stem}.o", ["-fvisibility=hidden", *torch])
              for source in [ROOT / "src/core/torch/facts.cpp", *ROOT.glob("src/density/torch/*.cpp")]]
    copies = [(ROOT / f"src/core/{name}.cpp", to / f"torch_{name}.o", ["-fvisibility=hidden"])
              for name in ("errors", "escapes")]
    others = ["-DFMT_HEADER_ONLY", *flags]
    compile_all([*plugin, *((source, to, [*others, *own]) for source, to, own in [*outer, *copies, *jobs])])
    plugin += copies
    archive = to / "liblacuna.a"
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", archive, *(job[1] for job in jobs)], check=True)
    link = ["g++", "-pthread"]
    subprocess.run([*link, "-shared", *(job[1] for job in plugin), *libraries, "-o", to / "liblacuna_torch.so"],
                   check=True)
    for name in programs:
        tests = ["-lgtest", "-lgtest_main", "-lgmock"] if name.endswith("test") else []
        subprocess.run([*link, to / f"{name}.o", archive, *[flag for flag in flags if flag.startswith("-L")], *tests,
                        "-lz", "-ldl", "-o", to / name], check=True)


def synchronize(device):
    import torch

    if device == "cuda":
        torch.cuda.synchronize()


def seconds(device, work, rounds, warm=3):
    times = []
    for number in range(warm + rounds):
        synchronize(device)
        start = time.perf_counter()
        work()
        synchronize(device)
        if number >= warm:
            times.append(time.perf_counter() - start)
    return times


def plain_products(device, n, d, k):
    """The pass as one would write it down in PyTorch, all rows at once and the products of rows made beforehand."""
    import torch

    x = torch.randn(n, d, dtype=torch.float64, device=device)
    i, j = torch.tril_indices(d, d, device=device)
    products = torch.cat([x[:, i] * x[:, j], x, torch.ones(n, 1, dtype=torch.float64, device=device)], 1)
    forms = torch.randn(products.shape[1], k, dtype=torch.float64, device=device)

    def work():
        logits = products @ forms
        return torch.softmax(logits, 1).T @ products, torch.logsumexp(logits, 1).sum()

    return work


def scikit_learn_iteration(device, n, d, k):
    """Seconds of an EM iteration of GaussianMixture: the difference of fits of 2 and of 12 iterations."""
    os.environ["SCIPY_ARRAY_API"] = "1"
    import numpy
    import sklearn
    import torch
    from sklearn.mixture import GaussianMixture

    torch.manual_seed(0)
    x = torch.randn(n, d, dtype=torch.float64, device=device)
    means = numpy.random.default_rng(0).normal(size=(k, d))
    weights = numpy.full(k, 1 / k)
    precisions = numpy.tile(numpy.eye(d), (k, 1, 1))

    def fit(iterations):
        def array(values):
            return torch.asarray(values, dtype=torch.float64, device=device)

        mixture = GaussianMixture(k, max_iter=iterations, tol=0.0, init_params="random", means_init=array(means),
                                  weights_init=array(weights), precisions_init=array(precisions))
        start = time.perf_counter()
        with sklearn.config_context(array_api_dispatch=True):
            mixture.fit(x)
        synchronize(device)
        return time.perf_counter() - start

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(2)
        return [(fit(12) - fit(2)) / 10 for _ in range(3)], sklearn.__version__


def best_products(device):
    """The most that one product of large matrices gets out of the device, in TFLOP/s, and the speed of a copy in TB/s."""
    import torch

    size = 8192 if device == "cuda" else 1024
    a = torch.randn(size, size, dtype=torch.float64, device=device)
    product = 2e-12 * size**3 / min(seconds(device, lambda: a @ a, 10))
    long = torch.zeros(2**28 if device == "cuda" else 2**22, dtype=torch.float64, device=device)
    to = torch.empty_like(long)
    return product, 2e-12 * 8 * long.numel() / min(seconds(device, lambda: to.copy_(long), 10))


def measure(arguments, shape, kernel_rounds):
    import torch

    n, d, k = shape
    command = [arguments.build / "passes", arguments.device, n, d, k, arguments.rounds, kernel_rounds]
    answer = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    result = json.loads(answer.stdout)
    n_products = d * (d + 1) // 2 + d + 1
    flop = 4e-12 * n * k * n_products
    result["seconds"] = statistics.median(result["pass"])
    result["tflops"] = flop / result["seconds"]
    if n * (n_products + 3 * k) * 8 < 60e9:
        result["plain_products"] = seconds(arguments.device, plain_products(arguments.device, n, d, k), arguments.rounds)
        result["plain_seconds"] = statistics.median(result["plain_products"])
        result["ratio_to_plain"] = result["seconds"] / result["plain_seconds"]
    if arguments.device == "cuda":
        torch.cuda.empty_cache()
    if arguments.scikit_learn and n * k * d * 8 < 60e9:
        try:
            times, version = scikit_learn_iteration(arguments.device, n, d, k)
            result["scikit_learn"] = {"version": version, "seconds": times}
            result["ratio_to_scikit_learn"] = result["seconds"] / statistics.median(times)
        except Exception as problem:  # what the peer cannot do is a result, too
            result["scikit_learn"] = {"problem": f"{type(problem).__name__}: {problem}"[:500]}
    if "kernels_pass" in result:
        result["ratio_to_kernels"] = result["seconds"] / statistics.median(result["kernels_pass"])
    return result


def shape_of(text):
    rows, features, components = text.split("x")
    return int(float(rows)), int(features), int(components)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--shapes", default="1e6x10x50,1e7x32x256", help="ROWSxFEATURESxCOMPONENTS,...")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--scikit-learn", action="store_true", help="its GaussianMixture, too")
    parser.add_argument("--flags", default="", help="more flags for g++, with blanks between them")
    parser.add_argument("--build", type=Path, default=ROOT / "build/bench-mixture-gpu")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.build = arguments.build / arguments.device
    build(arguments.build, arguments.device, arguments.flags.split())
    if arguments.build_only:
        return
    import torch

    product, copy = best_products(arguments.device)
    report = {
        "device": torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU",
        "torch": torch.__version__,
        "best_product_tflops": product,
        "copy_tb_per_s": copy,
        "passes": [],
    }
    for text in arguments.shapes.split(","):
        shape = shape_of(text)
        result = measure(arguments, shape, 3 if shape[0] * shape[1] * shape[2] <= 1e9 else 0)
        result["share_of_best_product"] = result["tflops"] / product
        report["passes"].append(result)
        print(f"{text}: {1e3 * result['seconds']:.3g} ms a pass, {result['tflops']:.3g} TFLOP/s "
              f"({100 * result['share_of_best_product']:.0f} % of {product:.3g})")
        for name in ("ratio_to_plain", "ratio_to_scikit_learn", "ratio_to_kernels", "difference", "same_bits"):
            if name in result:
                print(f"  {name} {result[name]:.3g}" if not isinstance(result[name], bool) else f"  {name} {result[name]}")
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
