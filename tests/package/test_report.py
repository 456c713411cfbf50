"""lacuna.report: the page in a real browser and in a notebook's cell, and its file."""

import html
import os
import re
import stat
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import lacuna

sys.path.append(str(Path(__file__).resolve().parents[1] / "tool"))
from browser import open_browser, show, until  # noqa: E402

FAST = {"density": lacuna.VariationalGaussianMixture(2), "draws": 1}
X, Y, _ = clouds(500, seed=1)
X_TEST, _, TRUTH = clouds(600, seed=2)
STRATA = np.where(X_TEST[:, 1] > 4.5, "never labeled", "rest")


@pytest.fixture(scope="module")
def driver():
    browser = open_browser()
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def models():
    labeled = Y >= 0
    return {
        "logistic </script><script>document.title='broken'</script>": LogisticRegression().fit(X[labeled], Y[labeled]),
        "supervised": lacuna.ReliableClassifier("supervised", **FAST).fit(X, Y),
        "mar": lacuna.ReliableClassifier(**FAST).fit(X, Y),
    }


@pytest.fixture(scope="module")
def page(models):
    return lacuna.report(models, X_TEST, TRUTH, strata=STRATA, train=(X, Y), title="Loans & <b>others</b>")


def complaints(driver):
    return [entry for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def test_the_page_in_a_browser(driver, page, models, tmp_path):
    complaints(driver)
    page.save(tmp_path / "page.html")
    show(driver, tmp_path / "page.html")
    assert complaints(driver) == []
    assert driver.title == "Loans & <b>others</b>"
    text = driver.find_element("tag name", "body").text
    for name, model in models.items():
        assert name in text
        assert f"{np.mean(model.predict(X_TEST) != TRUTH):.4f}" in text, name
    assert "never labeled" in text and "600 test rows" in text
    assert len(driver.find_elements("css selector", "svg")) > 3


def test_the_page_in_a_cell_of_a_notebook(driver, page, tmp_path):
    complaints(driver)
    cell = page._repr_html_()
    assert html.unescape(re.search('srcdoc="([^"]*)"', cell).group(1)) == page.html
    notebook = f"<!DOCTYPE html><html><head><title>notebook</title></head><body><p>cell</p>{cell}</body></html>"
    (tmp_path / "notebook.html").write_text(notebook, encoding="utf-8")
    driver.get((tmp_path / "notebook.html").as_uri())
    driver.switch_to.frame(driver.find_element("css selector", "iframe"))
    until(lambda: driver.execute_script("return document.documentElement.dataset.drawn"), "the page is not drawn")
    assert driver.title == "notebook"  # the page around it is as it was
    assert "never labeled" in driver.find_element("tag name", "body").text
    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    driver.switch_to.default_content()
    assert complaints(driver) == []


def test_other_tables_in_a_browser(driver, tmp_path):
    """Categories and gaps, five columns with maps of their own, and models of other makers alone."""
    random = np.random.default_rng(0)
    wide = np.column_stack([X_TEST, random.normal(size=(len(X_TEST), 3))])
    labels = np.where(X_TEST[:, 1] > 4.5, -1, TRUTH)
    table = pd.DataFrame(wide[:, :3], columns=["a", "b", "c"]).assign(zone=random.choice(["north", "south", None], len(wide)))
    table.iloc[::7, 0] = np.nan
    pages = {
        "mixed": lacuna.report(lacuna.ReliableClassifier(**FAST).fit(table, labels), table, TRUTH, train=(table, labels)),
        "maps": lacuna.report(
            {
                "all columns": lacuna.ReliableClassifier(**FAST).fit(wide, labels),
                "two of them": lacuna.ReliableClassifier(features="pca:2", **FAST).fit(wide, labels),
                "two others": lacuna.ReliableClassifier(features="standardize,pca:2", **FAST).fit(wide, labels),
            },
            wide, TRUTH, strata=STRATA,
        ),
        "others": lacuna.report(LogisticRegression().fit(wide, TRUTH), wide, TRUTH),
    }  # fmt: skip
    for name, page in pages.items():
        complaints(driver)
        page.save(tmp_path / f"{name}.html")
        show(driver, tmp_path / f"{name}.html")
        assert complaints(driver) == [], name
    assert "LogisticRegression" in pages["others"].html


def test_a_field_is_shown_for_models_that_share_the_plane_only():
    wide = np.column_stack([X_TEST, np.random.default_rng(0).normal(size=(len(X_TEST), 3))])
    labels = np.where(X_TEST[:, 1] > 4.5, -1, TRUTH)

    def n_fields(*maps):
        models = {maps: lacuna.ReliableClassifier(features=maps, **FAST).fit(wide, labels) for maps in maps}
        text = lacuna.report(models, wide, TRUTH).html
        return len(re.findall(r'"field":\{', text)), text.count('"field":')

    assert n_fields("pca:2") == (1, 1)
    assert n_fields("pca:2", "standardize,pca:2") == (1, 2)  # the last one's plane; the other has other axes
    # Models that share their maps are all drawn.
    report = lacuna.compare(wide, labels, wide, TRUTH, estimator=lacuna.ReliableClassifier(features="pca:2", **FAST)).report()
    assert len(re.findall(r'"field":\{', report.html)) == 4


def test_names():
    labeled = Y >= 0
    calibrated = CalibratedClassifierCV(LogisticRegression(), method="isotonic").fit(X[labeled], Y[labeled])
    assert "CalibratedClassifierCV" in lacuna.report(calibrated, X_TEST, TRUTH).html
    assert "mcar-em" in lacuna.report(lacuna.ReliableClassifier("mcar-em", **FAST).fit(X, Y), X_TEST, TRUTH).html
    assert '"7"' in lacuna.report({7: calibrated}, X_TEST, TRUTH).html


def test_a_classifier_needs_predict_proba_and_classes_alone():
    class Coin:
        classes_ = [1, 0]

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5, dtype=np.float32)

    assert "Coin" in lacuna.report(Coin(), X_TEST, TRUTH).html


def test_rows_without_a_label_are_left_out(models):
    truth = np.where(np.arange(600) % 3 == 0, -1, TRUTH)
    assert "400 test rows" in lacuna.report(models["mar"], X_TEST, truth).html


def test_save(page, tmp_path):
    target = tmp_path / ("p" * 240 + ".html")  # as long as a name can be
    page.save(target)
    assert target.read_text(encoding="utf-8") == page.html
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.write_text("older")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        page.save(str(target))
    assert target.read_text() == "older"
    page.save(os.fsencode(target), overwrite=True)
    assert target.read_text(encoding="utf-8") == page.html
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "dangling")
    with pytest.raises(FileNotFoundError):
        page.save(tmp_path / "no" / "such" / "folder.html")
    with pytest.raises(OSError):
        page.save(tmp_path, overwrite=True)
    with pytest.raises(TypeError):
        page.save(3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", target.name]


def test_a_file_that_appears_meanwhile_is_kept(page, tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    fsync = os.fsync

    def somebody_else_writes(handle):
        target.write_text("theirs")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", somebody_else_writes)
    with pytest.raises(FileExistsError):
        page.save(target)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"] and target.read_text() == "theirs"


def test_a_full_disk_leaves_nothing(page, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        page.save(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("models_given", "change", "kind", "text"),
    [
        ({}, {}, ValueError, "got none"),
        (lacuna.ReliableClassifier(), {}, NotFittedError, "not fitted"),
        ([LogisticRegression()], {}, TypeError, "predict_proba and classes_"),
        (LogisticRegression(), {}, TypeError, "fitted classifier"),
        (None, {"y": TRUTH[:-1]}, ValueError, "inconsistent"),
        (None, {"strata": STRATA[:-1]}, ValueError, "inconsistent"),
        (None, {"X": X_TEST[:, :1]}, ValueError, "1 features"),
        (None, {"y": np.full(600, 7)}, ValueError, r"y\[0\] is 7, which is none of the classes"),
        (None, {"y": np.full(600, -1)}, ValueError, "none of the 600 rows has a label"),
        (None, {"train": (X, Y[:-1])}, ValueError, "inconsistent"),
        (None, {"train": (X[:, :1], Y)}, ValueError, "1 features"),
        (None, {"train": (X, np.arange(500))}, ValueError, "labels that the model does not know"),
    ],
    ids=str,
)
def test_bad_input(models, models_given, change, kind, text):
    given = {"X": X_TEST, "y": TRUTH, **change}
    with pytest.raises(kind, match=text):
        lacuna.report(models["mar"] if models_given is None else models_given, **given)


def test_classes_that_do_not_match(models):
    labeled = Y >= 0
    other = LogisticRegression().fit(X[labeled], np.array(["no", "yes"])[Y[labeled]])
    with pytest.raises(ValueError, match="'other' knows the class 'no'|other knows the class 'no', which is none of"):
        lacuna.report({"other": other, "mar": models["mar"]}, X_TEST, TRUTH)


def test_the_compiled_part_checks_sizes(models):
    from lacuna import _core

    model = models["mar"]._model
    p = np.full((3, 2), 0.5)
    labels = np.zeros(3, dtype=np.int32)
    rows = (["0", "1"], labels, None, [])
    said = ("mar", (p, None, None), model)
    for features, training in [(X[:2], None), (X[:3, :1].copy(), None), (X[:3], (X[:4], labels))]:
        with pytest.raises(ValueError, match="one per label"):
            _core.report_page("t", rows, features, training, [said], [], 1, None)
    with pytest.raises(ValueError, match="expected 3, one per label"):
        _core.evaluate_rows(rows, (p[:2], None, None), 20, "equal-width", None)
    with pytest.raises(ValueError, match=r"prediction\[0\] is 5"):
        _core.evaluate_rows(rows, (p, np.full(3, 5, dtype=np.int32), None), 20, "equal-width", None)
    with pytest.raises(ValueError, match="needs a classifier"):
        _core.report_page("t", rows, None, None, [], [], 1, None)
    with pytest.raises(TypeError):
        _core.evaluate_rows(rows, (p.astype(np.float32), None, None), 20, "equal-width", None)
