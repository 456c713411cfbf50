"""Every bad input: the right exit code, words that help, and no output file left behind."""

import json
import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
from cli_tool import BINARY, IS_SANITIZED, blobs, fitted_folder, names_in, run, start

INPUTS = ["model", "new.csv", "train.csv"]


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    return fitted_folder(tmp_path_factory, "new.csv")


@pytest.fixture
def folder(originals, tmp_path):
    for name in INPUTS:
        (tmp_path / name).write_bytes((originals / name).read_bytes())
    return tmp_path


def fails(folder, code, words, *arguments, left=(), **options):
    """The command ends with this code and one error that holds all the words, and leaves nothing behind."""
    before = names_in(folder)
    result = run(*arguments, cwd=folder, code=code, **options)
    errors = [line for line in result.stderr.splitlines() if line.startswith("lacuna: error: ")]
    assert len(errors) == 1, result.stderr
    for word in words:
        assert word in result.stderr, f"{word!r} is not in: {result.stderr}"
    assert names_in(folder) == before
    return result


def fit_fails(folder, code, words, *arguments, data="bad.csv"):
    fails(folder, code, words, "fit", data, "-o", "out", "--json", "out.json", *arguments)


def write(folder, *lines, name="bad.csv"):
    (folder / name).write_text("\n".join(lines) + "\n")


ROWS = ["1.0,2,a", "2.0,1,b", "1.5,3,", "0.5,2,a", "2.5,1,b"]

# --- Bad tables


def test_missing_table(folder):
    fit_fails(folder, 66, ["nowhere.csv"], "--label", "y", data="nowhere.csv")


def test_missing_label_column(folder):
    write(folder, "x,z,y", *ROWS)
    fit_fails(folder, 65, ["bad.csv", "'label'", "'y'"], "--label", "label")


def test_missing_dropped_column(folder):
    write(folder, "x,z,y", *ROWS)
    fit_fails(folder, 64, ["--drop", "bad.csv", "'id'"], "--label", "y", "--drop", "id")


def test_ragged_row(folder):
    write(folder, "x,z,y", *ROWS, "1.0,2")
    fit_fails(folder, 65, ["bad.csv", "line 7", "2", "3"], "--label", "y")


def test_text_in_a_number_at_predict(folder):
    frame = blobs(n=20)
    frame["height"] = frame["height"].astype(object)
    frame.loc[7, "height"] = "tall"
    frame.to_csv(folder / "bad.csv", index=False)
    fails(folder, 65, ["bad.csv", "line 9", "'height'", "'tall'"], "predict", "model", "bad.csv", "-o", "out")


@pytest.mark.parametrize("value", ["inf", "-inf", "1e300"])
def test_feature_that_is_not_finite(folder, value):
    write(folder, "x,z,y", *ROWS, f"{value},2,a")
    fit_fails(folder, 65, ["bad.csv", "line 7", "'x'", "mend the cell", "--drop x"], "--label", "y")


def test_no_labeled_row(folder):
    write(folder, "x,z,y", *(row[:-1] if row[-1] in "ab" else row for row in ROWS))
    fit_fails(folder, 65, ["label"], "--label", "y")


def test_one_class(folder):
    write(folder, "x,z,y", *(row.replace("b", "a") for row in ROWS))
    fit_fails(folder, 65, ["class", "'a'", "--classes"], "--label", "y")


def test_one_class_and_another_by_name_is_fine_but_said(folder):
    write(folder, "x,z,y", *(row.replace("b", "a") for row in ROWS))
    result = run("fit", "bad.csv", "-o", "m", "--label", "y", "--classes", "b", cwd=folder)
    assert "warning" in result.stderr


@pytest.mark.parametrize("content", [b"", b"x,z,y\n", b"\x00\xff\x00\xff", b'x,"z,y\n1,2,3\n'])
def test_empty_and_broken_tables(folder, content):
    (folder / "bad.csv").write_bytes(content)
    fit_fails(folder, 65, ["bad.csv"], "--label", "y")


def test_labels_file_of_another_length(folder):
    np.save(folder / "x.npy", np.arange(20.0).reshape(10, 2))
    write(folder, *"abababab", name="y.csv")
    fit_fails(folder, 65, ["y.csv", "8", "10"], "--labels", "y.csv", data="x.npy")


def test_truncated_array(folder):
    np.save(folder / "x.npy", np.arange(20.0).reshape(10, 2))
    content = (folder / "x.npy").read_bytes()
    (folder / "x.npy").write_bytes(content[:-8])
    write(folder, *"ababababab", name="y.csv")
    fit_fails(folder, 65, ["x.npy"], "--labels", "y.csv", data="x.npy")


# --- Bad models and tables that do not match


def test_feature_mismatch(folder):
    write(folder, "height,town", "1,Aachen")
    fails(folder, 65, ["bad.csv", "'weight'"], "predict", "model", "bad.csv", "-o", "out")
    fails(folder, 65, ["bad.csv", "'weight'"], "evaluate", "model", "bad.csv", "--label", "town")


def test_missing_model(folder):
    for command in (["predict", "no", "new.csv", "-o", "out"], ["info", "no"]):
        fails(folder, 66, ["'no'"], *command)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_truncated_model(folder, keep):
    content = (folder / "model").read_bytes()
    (folder / "cut").write_bytes(content[:keep])
    fails(folder, 65, ["cut"], "predict", "cut", "new.csv", "-o", "out")
    fails(folder, 65, ["cut"], "info", "cut")


def test_foreign_model(folder):
    fails(folder, 65, ["new.csv"], "predict", "new.csv", "new.csv", "-o", "out")
    (folder / "foreign").write_bytes((2).to_bytes(8, "little") + b"{}")
    fails(folder, 65, ["foreign"], "evaluate", "foreign", "new.csv", "--label", "answer")


def test_damaged_model(folder):
    content = bytearray((folder / "model").read_bytes())
    content[-5] ^= 0x40
    (folder / "flipped").write_bytes(content)
    fails(folder, 65, ["flipped"], "predict", "flipped", "new.csv", "-o", "out")


def test_label_that_the_model_does_not_know(folder):
    write(folder, "height,weight,town,answer", "1,2,Aachen,yes", "1,2,Aachen,perhaps")
    words = ["bad.csv", "row 2", "'perhaps'", "'no', 'yes'", "--classes"]
    fails(folder, 65, words, "evaluate", "model", "bad.csv", "--label", "answer", "--json", "out")


def test_evaluation_without_labels(folder):
    write(folder, "height,weight,town,answer", "1,2,Aachen,", "1,2,Aachen,NA")
    fails(folder, 65, ["bad.csv", "label"], "evaluate", "model", "bad.csv", "--label", "answer", "--json", "out")
    fails(folder, 65, ["new.csv", "'y'"], "evaluate", "model", "new.csv", "--label", "y", "--json", "out")
    stratum = ("--label", "answer", "--stratum", "floor")
    fails(folder, 65, ["'floor'"], "evaluate", "model", "new.csv", *stratum, "--json", "out")


# --- Bad options


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--nonsense"], ["--nonsense", "lacuna fit --help"]),
        (["--components", "0"], ["components"]),
        (["--components", "many"], ["--components", "'many'", "whole number"]),
        (["--components"], ["--components"]),
        (["--seed", "1", "--seed", "2"], ["--seed"]),
        (["--method", "magic"], ["--method", "'magic'", "mar"]),
        (["--density", "histogram"], ["density", "histogram", "vb-gmm"]),
        (["--kappa", "auto:2"], ["kappa"]),
        (["--draws", "0"], ["draws"]),
        (["--tolerance", "nan"], ["tolerance"]),
        (["--preset", "nature"], ["--preset", "'nature'", "paper"]),
        (["--threads", "-1"], ["threads"]),
        (["more.csv"], ["more.csv"]),
        (["--labels", "y.csv"], ["--label", "--labels"]),
        (["--classes", '"open'], ["--classes", "quote"]),
    ],
)
def test_bad_options(folder, arguments, words):
    fit_fails(folder, 64, words, "--label", "answer", *arguments, data="train.csv")


def test_all_bad_options_are_named_at_once(folder):
    bad = ("--components", "0", "--tolerance", "-1", "--folds", "0")
    fit_fails(folder, 64, ["components", "tolerance", "folds"], "--label", "answer", *bad, data="train.csv")


def test_missing_options(folder):
    fails(folder, 64, ["--label"], "fit", "train.csv", "-o", "out")
    fails(folder, 64, ["-o"], "fit", "train.csv", "--label", "answer")
    fails(folder, 64, ["TRAIN"], "fit", "-o", "out")
    fails(folder, 64, ["--output"], "predict", "model", "new.csv")
    fails(folder, 64, ["--label"], "evaluate", "model", "new.csv")
    fails(folder, 64, ["fitt"], "fitt")


def test_bad_options_of_the_other_commands(folder):
    fails(folder, 64, ["--threads", "lacuna predict --help"], "predict", "model", "new.csv", "-o", "out", "--threads", "-1")
    fails(folder, 64, ["--nonsense"], "info", "model", "--nonsense")
    fails(folder, 64, ["--seed"], "demo", "--seed", "x", "--out", "out")


@pytest.mark.parametrize(
    "content, words",
    [
        ("componets = 5", ["line 1", "'componets'"]),
        ("max_iterations = 5", ["line 1", "'max_iterations'"]),
        ("\n# c\ncomponents = many", ["line 3", "many"]),
        ('components = "many"', ["line 1", "components", "'many'"]),
        ("components = 0.5", ["line 1", "components", "'0.5'"]),
        ("components = [5]", ["line 1", "components", "array"]),
        ('classes = "a"', ["line 1", "classes", "array"]),
        ("[fit]\ncomponents = 5", ["line 1", "section"]),
        ("components = 5\ncomponents = 6", ["line 2", "redefine", "'components'"]),
        ("components 5", ["line 1", "'='"]),
        ("components = 5 6", ["line 1"]),
        ('label = "open', ["line 1", "string", """got 'label = "open'"""]),
        ('classes = ["a", "b"', ["array"]),
        ("no-header = 1", ["line 1", "no-header", "true"]),
        ("=", ["line 1"]),
        ('config = "run.toml"', ["line 1", "'config'"]),
        ("components = 0", ["line 1", "components", "got 0"]),
        ("components = 7.0", ["line 1", "components", "'7.0'", "whole number"]),
        ("label = 2020-01-01", ["line 1", "'label'", "number"]),
        ("classes = [[1]]", ["line 1", "'classes'", "array"]),
        ("fit.components = 5", ["line 1", "'fit'", "section"]),
        ("seed = 18446744073709551615", ["line 1", "18446744073709551615", "quotes"]),
        ("tolerance = 0.1\ndrop = ['height', 'floor']", ["line 2", "drop", "'floor'"]),
    ],
)
def test_bad_configuration(folder, content, words):
    (folder / "run.toml").write_text(content + "\n")
    arguments = ("--label", "answer", "--config", "run.toml")
    fit_fails(folder, 78, ["run.toml", *words], *arguments, data="train.csv")


def test_a_configuration_is_a_page(folder):
    (folder / "run.toml").write_text("seed = 1 #" + "#" * 2**20)
    fit_fails(folder, 78, ["run.toml", "megabyte"], "--label", "answer", "--config", "run.toml", data="train.csv")


def test_missing_configuration(folder):
    fit_fails(folder, 66, ["run.toml"], "--label", "answer", "--config", "run.toml", data="train.csv")


def test_a_configuration_of_many_keys(folder):
    # Within the megabyte that is read.
    for line in ("k{} = 1\n", "k{0}.a = 1\n"):
        (folder / "lacuna.toml").write_text("".join(line.format(i) for i in range(60_000)))
        begin = time.monotonic()
        fails(folder, 78, ["lacuna.toml", "line 1", "k0"], "fit", "train.csv", "--label", "answer", "-o", "out", "--config", "lacuna.toml")
        assert time.monotonic() - begin < (30.0 if IS_SANITIZED else 3.0)


def test_a_configuration_is_a_file(folder):
    os.mkfifo(folder / "pipe")
    for path in ("pipe", ".", "/dev/zero"):
        fails(folder, 66, [f"'{path}'", "regular file"], "fit", "train.csv", "--label", "answer", "-o", "out", "--config", path)


def test_names_with_a_zero_byte(folder):
    (folder / "a").write_text("another file")
    for key, code in (("output", 73), ("labels", 66)):
        (folder / "lacuna.toml").write_text(f'{key} = "a\\u0000b"\n')
        rest = ["--label", "answer"] if key == "output" else ["-o", "out"]
        fails(folder, code, ["zero byte"], "fit", "train.csv", *rest, "--config", "lacuna.toml")


def test_names_that_are_not_utf8(folder):
    name = os.fsdecode(b"t\xff.csv")
    os.rename(folder / "train.csv", folder / name)
    out = os.fsdecode(b"m\xff")
    run("fit", name, "--label", "answer", "-o", out, "--json", "record.json", cwd=folder)
    json.loads((folder / "record.json").read_text(encoding="utf-8"))
    run("predict", out, name, "-o", "p.csv", cwd=folder)
    run("evaluate", out, name, "--label", "answer", "--json", "e.json", "--report", "page.html", cwd=folder)
    json.loads((folder / "e.json").read_text(encoding="utf-8"))
    (folder / "page.html").read_text(encoding="utf-8")
    run("info", out, "--json", cwd=folder)


# --- Outputs that cannot be written


def test_a_name_as_long_as_a_file_can_have(folder):
    for size in (250, 255):
        name = "n" * size
        run("predict", "model", "new.csv", "-o", name, cwd=folder)
        (folder / name).unlink()
    fails(folder, 73, ["too long"], "predict", "model", "new.csv", "-o", "n" * 256)
    run("fit", "train.csv", "--label", "answer", "--features", "standardize,vae", "--vae-likelihood", "gaussian", "--vae-hidden", "4", "--vae-epochs", "2",
        "-o", "n" * 250, cwd=folder)
    assert "n" * 250 in names_in(folder)


def test_a_link_that_leads_to_nothing_yet(folder):
    os.symlink("there", folder / "link")
    fails(folder, 73, ["--force"], "predict", "model", "new.csv", "-o", "link")
    run("predict", "model", "new.csv", "-o", "link", "--force", cwd=folder)
    assert (folder / "link").is_symlink() and (folder / "there").read_text().count("\n") == 301
    os.symlink("none/there", folder / "lost")
    fails(folder, 73, ["folder does not exist"], "predict", "model", "new.csv", "-o", "lost", "--force")


@pytest.mark.parametrize("output", ["nowhere/out", ".", "/proc/out", "new.csv/out"])
def test_output_that_cannot_be(folder, output):
    fails(folder, 73, [output], "fit", "train.csv", "--label", "answer", "-o", output)
    fails(folder, 73, [output], "fit", "train.csv", "--label", "answer", "-o", "out", "--json", output)
    fails(folder, 73, [output], "predict", "model", "new.csv", "-o", output)
    fails(folder, 73, [output], "evaluate", "model", "new.csv", "--label", "answer", "--json", output)


def test_a_bad_output_shows_before_the_work(folder):
    """The output is tried first, so that nobody waits for an hour to be told."""
    fails(folder, 73, ["nowhere"], "fit", "not-there.csv", "--label", "y", "-o", "nowhere/out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_is_read_only(folder):
    (folder / "closed").mkdir(mode=0o555)
    fails(folder, 73, ["closed/out"], "fit", "train.csv", "--label", "answer", "-o", "closed/out")


def test_an_input_is_never_the_output(folder):
    content = (folder / "train.csv").read_bytes()
    fails(folder, 64, ["train.csv"], "fit", "train.csv", "--label", "answer", "-o", "./train.csv", "--force")
    assert (folder / "train.csv").read_bytes() == content
    fails(folder, 64, ["model"], "predict", "model", "new.csv", "-o", "model", "--force")
    fails(folder, 64, ["-o"], "fit", "train.csv", "--label", "answer", "-o", "-")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["predict", "model", "new.csv", "-o", "-"],
        ["evaluate", "model", "new.csv", "--label", "answer"],
        ["evaluate", "model", "new.csv", "--label", "answer", "--json", "-"],
        ["info", "model"],
    ],
)
def test_full_disk_behind_stdout(folder, arguments):
    with open("/dev/full", "w") as full:
        fails(folder, 73, ["standard output", "No space"], *arguments, stdout=full)


def test_full_disk_under_a_file(folder):
    def small_files_only():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    before = names_in(folder)
    for arguments in (
        ["fit", "train.csv", "--label", "answer", "-o", "out"],
        ["predict", "model", "new.csv", "-o", "out"],
        ["evaluate", "model", "new.csv", "--label", "answer", "--json", "out"],
    ):
        result = subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, preexec_fn=small_files_only)
        assert result.returncode == 73, result.stderr
        assert "'out'" in result.stderr
        assert names_in(folder) == before


# --- Interruptions


def start_long_fit(folder):
    """A fit that takes minutes; returns once it has opened its output."""
    random = np.random.default_rng(0)
    features = random.normal(size=(30_000, 5))
    np.save(folder / "x.npy", features)
    labels = np.where(random.uniform(size=30_000) < 0.3, (features[:, 0] > 0).astype(int).astype(str), "")
    (folder / "y.csv").write_text("\n".join(label or '""' for label in labels) + "\n")
    before = names_in(folder)
    long = ("--components", "50", "--restarts", "50", "--tolerance", "1e-14", "--max-iterations", "10000")
    process = start("fit", "x.npy", "--labels", "y.csv", "-o", "out", "--json", "out.json", *long, cwd=folder)
    deadline = time.monotonic() + 60
    while len(names_in(folder)) < len(before) + 2:
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.02)
    time.sleep(1.0)
    assert process.poll() is None, "the fit is not long enough to be interrupted: " + process.stderr.read()
    return process, before


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_cleans_up(folder, number, code):
    process, before = start_long_fit(folder)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "interrupted" in err
    assert out == ""
    assert names_in(folder) == before


def test_kill_leaves_nothing_under_the_output_name(folder):
    process, _ = start_long_fit(folder)
    process.kill()
    process.wait(timeout=60)
    assert "out" not in names_in(folder)
    assert "out.json" not in names_in(folder)
    process.communicate()


def test_interrupted_replacement_keeps_the_old_file(folder):
    (folder / "out").write_text("precious")
    blobs(n=200_000).to_csv(folder / "large.csv", index=False)
    process = start("predict", "model", "large.csv", "-o", "out", "--force", "--threads", "1", cwd=folder)
    time.sleep(0.05)
    process.kill()
    process.communicate()
    content = (folder / "out").read_text()
    assert content == "precious" or content.count("\n") == 200_001


def test_json_of_an_evaluation_appears_whole_or_not(folder):
    run("evaluate", "model", "new.csv", "--label", "answer", "--json", "out.json", cwd=folder)
    assert json.loads((folder / "out.json").read_text())["n"] == 300
    fails(folder, 73, ["out.json", "--force"], "evaluate", "model", "new.csv", "--label", "answer", "--json", "out.json")
