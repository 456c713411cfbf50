"""Feature maps through the tool: networks on images, interrupted trainings, and what is said when they cannot be."""

import signal
import time

import numpy as np

from cli_tool import blobs, names_in, run, start


def images(folder, n=1200):
    """Bars that stand or lie, with a frame that is always black; a fifth of the labels is there."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, n)
    pixels = random.integers(0, 60, (n, 12, 12)).astype(np.uint8)
    for i in range(n):
        place = random.integers(1, 11)
        if truth[i]:
            pixels[i, place, :] = 255
        else:
            pixels[i, :, place] = 255
    pixels[:, [0, -1], :] = 0
    pixels[:, :, [0, -1]] = 0
    np.save(folder / "images.npy", pixels)
    names = np.where(truth == 1, "lying", "standing")
    seen = np.where(random.uniform(size=n) < 0.2, names, "")
    (folder / "seen.csv").write_text("\n".join(seen) + "\n")
    (folder / "truth.csv").write_text("\n".join(names) + "\n")


def fit_images(folder, model, *more, **options):
    return run("fit", "images.npy", "--labels", "seen.csv", "-o", model, "--features", "vae:3", "--vae-hidden", "64,32",
               "--vae-epochs", 30, *more, cwd=folder, **options)


def test_images_go_in_and_classes_come_out(tmp_path):
    images(tmp_path)
    fit_images(tmp_path, "model")
    assert "model.checkpoint" not in names_in(tmp_path)
    out = run("predict", "model", "images.npy", "-o", "-", cwd=tmp_path).stdout.splitlines()
    truth = (tmp_path / "truth.csv").read_text().split()
    right = sum(line.split(",")[0] == name for line, name in zip(out[1:], truth))
    assert len(out) == 1201
    assert right > 0.75 * 1200


def test_a_killed_training_goes_on_to_the_same_model(tmp_path):
    images(tmp_path)
    more = ("--vae-checkpoint-every", 2, "--encoding", "sample", "--threads", 1)
    fit_images(tmp_path, "undisturbed", *more)
    process = start("fit", "images.npy", "--labels", "seen.csv", "-o", "model", "--features", "vae:3", "--vae-hidden",
                    "64,32", "--vae-epochs", 30, *more, cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not (tmp_path / "model.checkpoint").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "model").exists()
    fit_images(tmp_path, "model", *more)
    assert (tmp_path / "model").read_bytes() == (tmp_path / "undisturbed").read_bytes()


def test_a_gpu_that_is_not_there_is_missed(tmp_path):
    images(tmp_path, 50)
    error = fit_images(tmp_path, "model", "--device", "cuda", code=64, env={"CUDA_VISIBLE_DEVICES": ""}).stderr
    assert "--device cpu" in error


def test_a_wrong_image_size_is_named(tmp_path):
    images(tmp_path, 50)
    error = fit_images(tmp_path, "model", "--vae-architecture", "conv", "--vae-image-width", 7, code=65).stderr
    assert "144 features" in error and "--vae-image-height" in error


def test_only_a_gpu_needs_libtorch(tmp_path):
    images(tmp_path, 50)
    without = {"LACUNA_TORCH_LIBRARY": "/nowhere.so"}
    error = fit_images(tmp_path, "model", "--device", "cuda", code=64, env=without).stderr
    assert "libtorch-dev" in error and "--device cpu" in error
    for device in ("auto", "cpu"):
        fit_images(tmp_path, device, "--device", device, env=without)
    predictions = [run("predict", device, "images.npy", "-o", "-", cwd=tmp_path).stdout for device in ("auto", "cpu")]
    assert predictions[0] == predictions[1]


def test_mixtures_do_without_a_gpu_and_say_so(tmp_path):
    blobs().to_csv(tmp_path / "train.csv", index=False)
    no_gpu = {"CUDA_VISIBLE_DEVICES": ""}
    for device in ("cuda", "cpu"):
        more = ("--label", "answer", "--conditional", "densities", "--device", device)
        said = run("fit", "train.csv", "-o", device, *more, cwd=tmp_path, env=no_gpu).stderr
        assert ("passes over rows run on the CPU" in said) == (device == "cuda")
        said = run("predict", device, "train.csv", "-o", f"{device}.csv", "--device", device, cwd=tmp_path, env=no_gpu).stderr
        assert ("passes over rows run on the CPU" in said) == (device == "cuda")
    assert (tmp_path / "cuda.csv").read_bytes() == (tmp_path / "cpu.csv").read_bytes()


def test_maps_compose(tmp_path):
    images(tmp_path, 300)
    run("fit", "images.npy", "--labels", "seen.csv", "-o", "model", "--features", "standardize,pca:2", cwd=tmp_path)
    assert '"pc1"' in run("info", "model", "--json", cwd=tmp_path).stdout
    error = run("fit", "images.npy", "--labels", "seen.csv", "-o", "m", "--features", "pac:2", cwd=tmp_path, code=64)
    assert "--features: got 'pac:2'" in error.stderr


def test_thousands_of_columns_get_a_hint_before_the_work(tmp_path):
    random = np.random.default_rng(4)
    np.save(tmp_path / "wide.npy", random.normal(size=(200, 3000)))
    (tmp_path / "labels.csv").write_text("\n".join(["a", "b", "", ""] * 50) + "\n")
    fit = ("fit", "wide.npy", "--labels", "labels.csv", "-o", "model", "--conditional", "densities")
    process = start(*fit, cwd=tmp_path)
    hint = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert "3000 columns" in hint and "pca:50" in hint and "--features" in hint
    assert process.returncode == 130 and not (tmp_path / "model").exists()
    # As soon as a row is there: the last one of this table cannot be read.
    names = ",".join(f"f{j}" for j in range(600))
    (tmp_path / "damaged.csv").write_text("\n".join([names, *[",".join(["1.5"] * 600)] * 199, "1,2,3"]) + "\n")
    error = run("fit", "damaged.csv", "--labels", "labels.csv", "-o", "m", cwd=tmp_path, code=65).stderr
    assert error.index("600 columns") < error.index("error:") and error.count("pca:50") == 1
    np.save(tmp_path / "wide.npy", random.normal(size=(200, 600)))
    assert "pca:50" not in run(*fit, "--features", "pca:5", cwd=tmp_path).stderr
