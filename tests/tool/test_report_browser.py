"""The report in a real browser: what a reader sees, does and saves. One browser for all tests."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from browser import open_browser, show, until
from cli_tool import IS_SANITIZED, run
from scipy.stats import beta
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "quotes \" ' ` ${1+1} \\ & &amp; --> <!--",
    "Ünï—cødé 漢字 🦔 \u2028 \u2029 end",
    "long " + "x" * 300,
    "",
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    downloads = tmp_path_factory.mktemp("downloads")
    browser = open_browser(downloads)
    browser.downloads = downloads
    yield browser
    browser.quit()


def ten_classes(n, seed, labeled):
    """Ten blobs in five dimensions; those of the classes c0 and c1 are never labeled in training."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(scale=3.0, size=(10, 5))
    truth = random.integers(0, 10, n)
    frame = pd.DataFrame(centres[truth] + random.normal(size=(n, 5)), columns=[f"f{j}" for j in range(5)])
    frame["y"] = [f"c{k}" for k in truth]
    frame["region"] = np.where(truth < 2, "rare", "rest")
    if labeled is not None:
        hidden = (truth < 2) | (random.uniform(size=n) > labeled)
        frame.loc[hidden, "y"] = np.nan
    return frame


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """10,000 test rows of ten classes: the page, the metrics and the predictions that it shows."""
    folder = tmp_path_factory.mktemp("large")
    ten_classes(4000, 1, 0.25).drop(columns="region").to_csv(folder / "train.csv", index=False)
    ten_classes(10_000, 2, None).to_csv(folder / "test.csv", index=False)
    run("fit", "train.csv", "-o", "model", "--label", "y", "--classes", "c0,c1", "--components", 4, cwd=folder)
    run("evaluate", "model", "test.csv", "--label", "y", "--stratum", "region", "--json", "metrics.json",
        "--report", "page.html", "--train", "train.csv", cwd=folder)  # fmt: skip
    run("predict", "model", "test.csv", "-o", "predictions.csv", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Four methods on two features: the page of compare."""
    folder = tmp_path_factory.mktemp("toy")
    run("demo", "--out", "demo", cwd=folder)
    run("compare", "demo/quadrants-train.csv", "demo/quadrants-test.csv", "--label", "label", "--stratum", "region",
        "--out", "out", "--conditional", "densities", cwd=folder)  # fmt: skip
    return folder


def verdicts(driver):
    """Name, tone and sentence of each."""
    return [(item.find_element(By.CSS_SELECTOR, ".who").text, item.get_attribute("class"), item.find_element(By.CSS_SELECTOR, ".what").text.replace("\u00a0", " "))
            for item in driver.find_elements(By.CSS_SELECTOR, ".verdict li")]  # fmt: skip


def page_data(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script id="page-data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def messages(driver):
    """What the page complained about since the last call."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver):
    """Addresses that were asked for since the last call."""
    found = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    return found


def open_clean(driver, page, **options):
    """Opens a page that must complain about nothing and ask for nothing."""
    messages(driver), requests(driver)
    show(driver, page, **options)
    assert messages(driver) == []
    assert [url for url in requests(driver) if not url.startswith(("file:", "data:", "blob:", "chrome"))] == []
    assert driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)"
                                 ".filter((name) => !name.startsWith('data:'))") == []  # fmt: skip


def save(driver, figure, kind):
    """Presses a figure's button and waits for the file."""
    before = set(driver.downloads.iterdir())
    button = driver.find_element(By.CSS_SELECTOR, f"#{figure} .tools button[aria-label^='Save as {kind.upper()}']")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button)
    button.click()  # a real one: browsers allow only their user to save file after file

    def finished():
        new = [path for path in driver.downloads.iterdir() if path not in before and path.suffix == "." + kind]
        return new[0] if new and new[0].stat().st_size > 0 else None

    return until(finished, f"no {kind} was saved")


# --- The page of 10,000 rows


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
def test_is_small_quick_and_quiet(driver, large):
    page = large / "page.html"
    assert page.stat().st_size < 4_000_000
    open_clean(driver, page)
    assert float(driver.execute_script("return document.documentElement.dataset.drawn")) < 2000


def test_nothing_but_inline_is_allowed(large):
    text = (large / "page.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "Redistributions of source code must retain" in text  # D3's licence
    assert "Mike Bostock" in text


def test_has_all_figures_with_text_alternatives(driver, large):
    show(driver, large / "page.html")
    for name in ("data", "log-ratio", "error-probability", "reliability", "risk-coverage", "confusion", "metrics"):
        assert driver.find_element(By.ID, name).is_displayed(), name
    plots = driver.find_elements(By.CSS_SELECTOR, ".plot > svg")
    assert len(plots) >= 6
    for plot in plots:
        assert plot.get_attribute("role") and plot.get_attribute("aria-label")
    button = driver.find_element(By.CSS_SELECTOR, "#reliability .tools button:last-child")
    driver.execute_script("arguments[0].click()", button)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#reliability .numbers tbody tr")) >= 5
    lead = [item.text for item in driver.find_elements(By.CSS_SELECTOR, ".lead li")]
    assert len(lead) == 3
    data = pd.read_csv(large / "train.csv")
    assert f"{data['y'].notna().sum():,} of 4,000 training rows have a label" in lead[0]


def test_slider_recounts_informative_rows(driver, large):
    show(driver, large / "page.html")
    ratio = pd.read_csv(large / "predictions.csv")["log_ratio"].to_numpy()
    slider = driver.find_element(By.CSS_SELECTOR, "#log-ratio input[type=range]")

    def shown():
        count = driver.find_elements(By.CSS_SELECTOR, "#log-ratio .informative strong")[-1]
        return float(slider.get_attribute("data-kappa")), int(count.get_attribute("data-count")), count.text

    seen = set()
    first = shown()
    for keys in ([], [Keys.ARROW_RIGHT], [Keys.ARROW_RIGHT] * 7, [Keys.PAGE_UP], [Keys.HOME], [Keys.END]):
        slider.send_keys(*keys or [Keys.NULL])
        kappa, count, text = shown()
        assert count == (ratio > kappa).sum()
        assert text == f"{count:,}"
        seen.add(count)
    assert len(seen) >= 4
    driver.find_element(By.CSS_SELECTOR, "#log-ratio .readout button").click()  # back to the model's kappa
    slider = driver.find_element(By.CSS_SELECTOR, "#log-ratio input[type=range]")
    assert shown() == first
    # The unlabeled training rows, counted by the fit itself.
    lead = driver.find_element(By.CSS_SELECTOR, ".lead li:nth-child(2)").text
    informative = driver.find_element(By.CSS_SELECTOR, "#log-ratio .informative")
    share = re.search(r"\((.*?)\s%\)", informative.text)[1]
    assert lead.replace("\u00a0", " ").startswith(f"{share} %")


def test_bins_tell_their_exact_interval(driver, large):
    show(driver, large / "page.html")
    predictions = pd.read_csv(large / "predictions.csv")
    test = pd.read_csv(large / "test.csv")
    q = predictions["error_probability"].to_numpy()
    wrong = (predictions["prediction"] != test["y"]).to_numpy()
    inside = (q >= 0.05) & (q < 0.1)
    n, k = inside.sum(), (wrong & inside).sum()
    low, high = beta.ppf(0.025, k, n - k + 1), beta.ppf(0.975, k + 1, n - k)
    bin_node = driver.find_elements(By.CSS_SELECTOR, "#reliability .bin")[1]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", bin_node)
    ActionChains(driver).move_to_element(bin_node).perform()
    tip = driver.find_element(By.ID, "tip")
    until(tip.is_displayed, "no tip")
    expected = f"95 % interval: {100 * low:.1f} % to {100 * high:.1f} %"
    assert expected in tip.text
    assert f"{n:,} rows" in tip.text
    rare = (wrong & inside & (test["region"] == "rare")).sum() / n
    assert f"from rare: {100 * rare:.1f} %" in tip.text
    assert expected in bin_node.get_attribute("aria-label")


def test_bins_can_be_reached_by_keyboard(driver, large):
    show(driver, large / "page.html")
    bins = driver.find_elements(By.CSS_SELECTOR, "#reliability .bin")
    assert [node.get_attribute("tabindex") for node in bins].count("0") == 1
    driver.execute_script("arguments[0].focus()", bins[0])
    first = driver.find_element(By.ID, "tip").text
    ActionChains(driver).send_keys(Keys.ARROW_RIGHT).perform()
    assert driver.switch_to.active_element == bins[1]
    assert driver.find_element(By.ID, "tip").text != first
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    assert not driver.find_element(By.ID, "tip").is_displayed()


def test_numbers_equal_the_json(driver, large):
    show(driver, large / "page.html")
    metrics = json.loads((large / "metrics.json").read_text())

    def check(row, expected):
        cells = driver.find_elements(By.CSS_SELECTOR, f"#metrics {row} td[data-metric]")
        assert len(cells) >= 8
        for cell in cells:
            name = cell.get_attribute("data-metric")
            value = expected[name] if name in expected else expected["risk_coverage"][name]
            assert float(cell.get_attribute("data-value")) == value, name
            assert cell.text == f"{value:.4f}", name

    check("tr.whole", metrics)
    cells = [len(driver.find_elements(By.CSS_SELECTOR, f"#metrics {row} td[data-metric]")) for row in ("tr.whole", "tr.part")]
    assert cells == [13, 26]  # strata have all columns
    check("tr[data-stratum='rare']", metrics["strata"]["rare"])
    check("tr[data-stratum='rest']", metrics["strata"]["rest"])
    found = page_data(large / "page.html")["subjects"][0]["methods"][0]
    curve = metrics["reliability"]["bins"]
    assert [b["interval"] for b in found["bins"]] == [[b["interval_low"], b["interval_high"]] for b in curve]
    assert [b["error_rate"] for b in found["bins"]] == [b["error_rate"] for b in curve]
    names = found["stratum_names"]
    assert sorted(names) == ["rare", "rest"] and names[0] == "rare"  # what labels reach least comes first
    for mine, theirs in zip(found["bins"], curve):
        assert dict(zip(names, mine["contributions"])) == theirs["contributions"]
    assert np.array_equal(np.reshape(found["confusion"], (10, 10)), metrics["confusion_matrix"])


def test_definitions_show_on_hover_and_focus(driver, large):
    show(driver, large / "page.html")
    terms = driver.find_elements(By.CSS_SELECTOR, "#metrics button.term")
    assert len(terms) >= 12
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", terms[4])
    ActionChains(driver).move_to_element(terms[4]).perform()
    tip = driver.find_element(By.ID, "tip")
    until(tip.is_displayed, "no tip")
    assert "20 equal bins" in tip.text
    ActionChains(driver).move_by_offset(0, -150).perform()
    driver.execute_script("arguments[0].focus()", terms[0])
    assert "prediction was wrong" in tip.text


def test_figures_are_saved(driver, large):
    show(driver, large / "page.html", scheme="dark")
    for figure in ("data", "log-ratio", "error-probability", "reliability", "risk-coverage", "confusion"):
        root = ElementTree.parse(save(driver, figure, "svg")).getroot()
        assert root.tag == SVG + "svg"
        assert root.find(SVG + "title").text
        assert root.find(SVG + "rect").get("fill") == "#ffffff"  # white paper also from a dark page
        assert len(list(root.iter())) > 20
        assert not list(root.iter(SVG + "image"))
    png = save(driver, "reliability", "png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n") and len(png) > 10_000
    assert messages(driver) == []


def background(driver):
    colour = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def test_dark_and_light_follow_the_reader(driver, large):
    open_clean(driver, large / "page.html", scheme="dark")
    assert max(background(driver)) < 60
    # In one step: the figures are drawn anew, and an element found before that is no longer there.
    fill = "const dot = document.querySelector('#reliability .plot circle'); return dot && dot.getAttribute('fill')"
    dark = driver.execute_script(fill)
    assert dark
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    )
    until(lambda: min(background(driver)) > 230, "still dark")
    until(lambda: driver.execute_script(fill) not in (None, dark), "figures still dark")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_needs_sideways_scrolling(driver, large, toy, width):
    for page in (large / "page.html", toy / "out/report.html"):
        open_clean(driver, page, width=width)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        sizes = driver.execute_script(
            "return [...document.querySelectorAll('.plot')].map((n) => [n.clientWidth, n.clientHeight])"
        )
        assert min(min(size) for size in sizes) > 100


def test_prints_light(driver, large):
    show(driver, large / "page.html", scheme="dark")
    pdf = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(pdf["data"]) > 100_000
    assert messages(driver) == []


# --- Four methods, two features


def test_compare_shows_all_methods(driver, toy):
    open_clean(driver, toy / "out/report.html")
    metrics = json.loads((toy / "out/metrics.json").read_text())
    methods = [each["method"] for each in metrics["methods"]]
    plain = [each["method"] for each in metrics["plain_models"]]
    assert methods == ["supervised", "mcar-sampling", "mcar-em", "mar"]
    assert plain == ["logistic", "logistic-isotonic", "boosting", "boosting-isotonic"]
    for figure, expected in (("error-probability", methods + plain), ("fields", methods), ("reliability", methods + plain)):
        heads = [node.text.split("\n")[0] for node in driver.find_elements(By.CSS_SELECTOR, f"#{figure} .panel h4")]
        assert heads == expected
    assert metrics["winner"]["words"] in driver.find_element(By.CSS_SELECTOR, ".lead").text
    for i, expected in enumerate(metrics["methods"] + metrics["plain_models"]):
        row = driver.find_element(By.CSS_SELECTOR, f"#metrics tr.whole[data-method='{i}']")
        cell = row.find_element(By.CSS_SELECTOR, "[data-metric=overconfidence]")
        assert float(cell.get_attribute("data-value")) == expected["overconfidence"]
    tones = {name: tone for name, tone, _ in verdicts(driver)}
    assert list(tones) == methods + plain
    assert all(tones[method] == "broken" for method in ("supervised", "mcar-sampling", "mcar-em"))
    assert tones["mar"] == "kept"
    n_broken = sum(tone == "broken" for tone in tones.values())
    assert driver.find_element(By.CSS_SELECTOR, ".verdict .headline").text.startswith(f"Do not trust {n_broken} of 8 methods. mar")


def test_trust_is_drawn(driver, toy, tmp_path):
    run("fit", toy / "demo/quadrants-train.csv", "-o", "model", "--label", "label", "--conditional", "stack",
        "--components", 4, cwd=tmp_path)  # fmt: skip
    run("evaluate", "model", toy / "demo/quadrants-test.csv", "--label", "label", "--report", "page.html", cwd=tmp_path)
    stack = json.loads(run("info", "model", "--json", cwd=tmp_path).stdout)["summary"]["stack"]
    open_clean(driver, tmp_path / "page.html")
    points = driver.find_elements(By.CSS_SELECTOR, "#trust .gap")
    assert [point.get_attribute("data-kind") for point in points] == [gap["kind"] for gap in stack["gaps"]]
    lengths = [(float(point.find_element(By.TAG_NAME, "circle").get_attribute("cx")), gap["depth"]) for point, gap in zip(points, stack["gaps"])]
    assert all((a[0] < b[0]) == (a[1] < b[1]) for a in lengths for b in lengths if abs(a[1] - b[1]) > 1e-6)
    assert f"beyond depth {stack['deepest']:.1f}" in driver.find_element(By.CSS_SELECTOR, "#trust figcaption p").text
    assert "beyond: no gap was as deep" in driver.find_element(By.ID, "trust").text
    curve = page_data(tmp_path / "page.html")["subjects"][0]["trust"]["curve"]
    assert [0, 0] < curve[0] <= [0, 1] and curve[-1][1] == 0  # from kappa to where nothing is kept
    assert driver.find_element(By.CSS_SELECTOR, "#trust .trust-curve").get_attribute("d")
    points[0].send_keys(Keys.ARROW_RIGHT)
    assert "of its certainty" in driver.find_element(By.ID, "tip").text
    checks = [stack["self_check"][name] for name in ("all", "deep")]
    assert len(driver.find_elements(By.CSS_SELECTOR, "#self-check .announced")) == 2
    made = [float(node.get_attribute("cx")) for node in driver.find_elements(By.CSS_SELECTOR, "#self-check .made")]
    assert (made[0] < made[1]) == (checks[0]["made"] < checks[1]["made"])
    text = driver.find_element(By.CSS_SELECTOR, "#self-check figcaption p").text
    for check in checks:
        assert f"announced {100 * check['announced']:.1f} % errors and made {100 * check['made']:.1f} %" in text
    for figure in ("trust", "self-check"):
        ElementTree.parse(save(driver, figure, "svg"))
    assert messages(driver) == []


def test_promises_are_those_of_predict(driver, toy, tmp_path):
    # Every seventh label is turned round, so that some sets miss and some accepted rows are wrong.
    table = pd.read_csv(toy / "demo/quadrants-test.csv", dtype=str)
    table.loc[::7, "label"] = table["label"][::7].map({"lower": "upper", "upper": "lower"})
    test = tmp_path / "test.csv"
    table.to_csv(test, index=False)
    run("fit", toy / "demo/quadrants-train.csv", "-o", "model", "--label", "label", "--components", 4, cwd=tmp_path)
    run("evaluate", "model", test, "--label", "label", "--json", "m.json", "--report", "page.html", cwd=tmp_path)
    run("predict", "model", test, "-o", "p.csv", "--sets", 0.9, "--risk", 0.05, cwd=tmp_path)
    found = json.loads((tmp_path / "m.json").read_text())["promises"]
    predictions = pd.read_csv(tmp_path / "p.csv", dtype=str)
    truth = table["label"]
    is_inside = predictions["informative"].isin(["1", "true", "True"])
    assert 0 < is_inside.sum() < len(truth)
    covered = np.array([label in found_set.split("|") for label, found_set in zip(truth, predictions["set"])])
    accepted = predictions["accepted"].isin(["1", "true", "True"])
    for name, rows in (("inside", is_inside), ("outside", ~is_inside)):
        part = found[name]
        assert part["n"] == rows.sum() and part["n_covered"] == covered[rows].sum()
        assert part["n_of_size"] == [(predictions["set_size"][rows] == str(size)).sum() for size in range(3)]
        assert part["n_answered"] == (accepted & rows).sum()
        assert part["n_wrong"] == (accepted & rows & (predictions["prediction"] != truth)).sum()
    assert 0 < found["inside"]["n_covered"] < found["inside"]["n"] and found["inside"]["n_wrong"] > 0
    open_clean(driver, tmp_path / "page.html")
    share = f"{100 * found['inside']['n_covered'] / found['inside']['n']:.1f} %"
    assert f"Where labels speak they had it for {share}" in driver.find_element(By.CSS_SELECTOR, "#promises figcaption").text
    ElementTree.parse(save(driver, "promises", "svg"))
    assert messages(driver) == []


def test_fields_can_be_switched(driver, toy):
    show(driver, toy / "out/report.html")
    before = driver.execute_script("return document.querySelector('#fields canvas').toDataURL()")
    buttons = driver.find_elements(By.CSS_SELECTOR, "#fields .choice button")
    driver.execute_script("arguments[0].click()", buttons[1])
    assert driver.execute_script("return document.querySelector('#fields canvas').toDataURL()") != before
    root = ElementTree.parse(save(driver, "fields", "svg")).getroot()
    assert len(list(root.iter(SVG + "path"))) > 40


def test_demo_and_reproduce_have_pages(driver, tmp_path):
    run("demo", "--out", "demo", "--report", "demo.html", cwd=tmp_path)
    run("reproduce", "toy", "--out", "toy", "--report", "toy.html", cwd=tmp_path)
    for name, n_methods in (("demo.html", 4), ("toy.html", 8)):
        open_clean(driver, tmp_path / name)
        assert (tmp_path / name).stat().st_size < 4_000_000
        for toy_name in ("quadrants", "coin"):
            panels = driver.find_elements(By.CSS_SELECTOR, f"#{toy_name}-reliability .panel")
            assert len(panels) == n_methods
            assert len(driver.find_elements(By.CSS_SELECTOR, f"#{toy_name}-fields .panel canvas")) == n_methods
    # The page comes from the folder, so that finished runs give the same one.
    first = (tmp_path / "toy.html").read_bytes()
    run("reproduce", "toy", "--out", "toy", "--report", "again.html", cwd=tmp_path)
    assert (tmp_path / "again.html").read_bytes() == first
    # Its numbers are those of the runs.
    runs = json.loads((tmp_path / "toy/metrics.json").read_text())["runs"]
    for subject in page_data(tmp_path / "toy.html")["subjects"]:
        for method in subject["methods"]:
            preset = "paper" if "paper" in method["group"] else "default"
            found = next(r["metrics"] for r in runs
                         if (r["toy"], r["preset"], r["method"]) == (subject["name"], preset, method["name"]))  # fmt: skip
            assert method["metrics"]["ece"] == found["ece"]
            assert method["strata"][0]["metrics"]["overconfidence"] == found["strata"]["rare"]["overconfidence"]
            errors = sum(b["n_errors"] for b in method["bins"])
            assert errors / found["n"] == pytest.approx(found["error_rate"])
            diagonal = method["confusion"][0] + method["confusion"][3]
            assert 1 - diagonal / found["n"] == pytest.approx(found["error_rate"])


# --- Hostile and degenerate


def test_hostile_names_are_text(driver, tmp_path):
    random = np.random.default_rng(5)
    n = 600
    names = HOSTILE[:5]
    truth = random.integers(0, len(names), n)
    frame = pd.DataFrame({"<b>x</b>": truth * 4.0 + random.normal(size=n), "'\"</style><x>": random.normal(size=n)})
    frame["z\u2028"] = random.normal(size=n)
    frame["</td>"] = np.array(names, dtype=object)[truth]
    frame["<i>group</i>"] = np.array(HOSTILE, dtype=object)[np.minimum(np.arange(n), 5)]  # five of one row, and the empty one
    train = frame.drop(columns="<i>group</i>").copy()
    train.loc[random.uniform(size=n) > 0.4, "</td>"] = np.nan
    train.to_csv(tmp_path / "<img src=x>.csv", index=False)
    frame.to_csv(tmp_path / "<u>test.csv", index=False)
    run("compare", "<img src=x>.csv", "<u>test.csv", "--label", "</td>", "--stratum", "<i>group</i>", "--out", "out",
        "--components", 2, cwd=tmp_path)  # fmt: skip
    page = tmp_path / "out/report.html"
    text = page.read_text(encoding="utf-8")
    assert text.count("</script>") == 3
    open_clean(driver, page)
    assert driver.title == "Four methods on <u>test.csv"
    assert driver.find_element(By.TAG_NAME, "h1").text == "Four methods on <u>test.csv"
    assert not driver.find_elements(By.CSS_SELECTOR, "main img, main b, main i, main u, main x, main script")
    keys = driver.find_element(By.CSS_SELECTOR, "#data .keys").text
    assert "</script><script>document.title='broken'</script>" in keys
    assert "漢字" in keys
    for figure in ("data", "reliability", "confusion", "risk-coverage"):
        ElementTree.parse(save(driver, figure, "svg"))
    assert "(empty)" in driver.find_element(By.ID, "metrics").text
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 1280


def probabilities(n, n_classes, seed=3, sharp=1.0):
    random = np.random.default_rng(seed)
    p = random.dirichlet(np.full(n_classes, sharp), n)
    labels = [random.choice(n_classes, p=row) for row in p]
    frame = pd.DataFrame(p, columns=[f"k{k}" for k in range(n_classes)])
    frame["label"] = [f"k{k}" for k in labels]
    return frame


def test_two_hundred_classes(driver, tmp_path):
    probabilities(3000, 200, sharp=0.02).to_csv(tmp_path / "p.csv", index=False)
    run("evaluate", "--probabilities", "p.csv", "--label", "label", "--report", "p.html", cwd=tmp_path)
    open_clean(driver, tmp_path / "p.html")
    target = driver.find_element(By.CSS_SELECTOR, "#confusion .confusion-target")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", target)
    ActionChains(driver).move_to_element(target).perform()
    assert "k100" in driver.find_element(By.ID, "tip").text or "k99" in driver.find_element(By.ID, "tip").text
    ElementTree.parse(save(driver, "confusion", "svg"))
    assert not driver.find_elements(By.ID, "data")  # nothing is known but predictions


def test_two_hundred_classes_with_rows(driver, tmp_path):
    random = np.random.default_rng(8)
    truth = np.arange(2400) % 200
    frame = pd.DataFrame({"a": truth % 20 + 0.2 * random.normal(size=2400), "b": truth // 20 + 0.2 * random.normal(size=2400)})
    frame["y"] = [f"class {k}" for k in truth]
    frame.to_csv(tmp_path / "test.csv", index=False)
    frame.loc[random.uniform(size=2400) > 0.5, "y"] = np.nan
    frame.to_csv(tmp_path / "train.csv", index=False)
    run("fit", "train.csv", "-o", "m", "--label", "y", "--components", 1, "--draws", "soft", cwd=tmp_path)
    run("evaluate", "m", "test.csv", "--label", "y", "--report", "page.html", "--train", "train.csv", cwd=tmp_path)
    assert (tmp_path / "page.html").stat().st_size < 4_000_000
    open_clean(driver, tmp_path / "page.html")
    keys = driver.find_elements(By.CSS_SELECTOR, "#data .keys button")
    assert len(keys) == 200
    before = driver.execute_script("return document.querySelector('#data canvas').toDataURL()")
    driver.execute_script("arguments[0].click()", keys[150])  # singles a class out
    assert driver.execute_script("return document.querySelector('#data canvas').toDataURL()") != before
    box = driver.find_element(By.CSS_SELECTOR, "#data .keys")
    assert box.size["height"] < 200  # scrolls


def test_overconfident_and_calibrated_generators_are_called_so(driver, tmp_path):
    honest = probabilities(4000, 3)
    boastful = honest.copy()
    columns = ["k0", "k1", "k2"]
    sharpened = honest[columns].to_numpy() ** 4
    boastful[columns] = sharpened / sharpened.sum(axis=1, keepdims=True)
    for name, frame, tone in (("honest", honest, "kept"), ("boastful", boastful, "broken")):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        run("evaluate", "--probabilities", f"{name}.csv", "--label", "label", "--report", f"{name}.html", cwd=tmp_path)
        open_clean(driver, tmp_path / f"{name}.html")
        ((who, found, text),) = verdicts(driver)
        assert (who, found) == ("the predictions", tone)
        metrics = page_data(tmp_path / f"{name}.html")["subjects"][0]["methods"][0]["metrics"]
        numbers = f"announced {100 * metrics['mean_error_probability']:.1f} %, made {100 * metrics['error_rate']:.1f} %"
        assert text.startswith(numbers)
        # Colour is not all that tells them apart, and the sentence stands before every figure.
        sign = driver.find_element(By.CSS_SELECTOR, ".verdict .sign")
        assert (sign.text, sign.get_attribute("aria-label")) == {"kept": ("✓", "good"), "broken": ("!", "attention")}[tone]
        assert driver.execute_script("return document.querySelector('.verdict').compareDocumentPosition(document.querySelector('figure'))") == 4


def test_an_inverted_order_is_told(driver, tmp_path):
    random = np.random.default_rng(6)
    q = random.uniform(0.2, 0.3, 4000)
    wrong = random.uniform(size=4000) < np.where(q < 0.25, 0.4, 0.1)  # the surer, the worse
    pd.DataFrame({"a": 1 - q, "b": q, "label": np.where(wrong, "b", "a")}).to_csv(tmp_path / "p.csv", index=False)
    run("evaluate", "--probabilities", "p.csv", "--label", "label", "--report", "p.html", cwd=tmp_path)
    open_clean(driver, tmp_path / "p.html")
    assert "Acting on its surest rows is worse" in verdicts(driver)[0][2]
    assert "Acting on its surest rows is worse" in driver.find_element(By.CSS_SELECTOR, "#risk-coverage figcaption").text


def contrast(one, other):
    def luminance(colour):
        parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_verdicts_can_be_read(driver, toy, scheme):
    """The contrast that WCAG 2 asks of text, on the colour that is really behind it."""
    show(driver, toy / "out/report.html", scheme=scheme)
    colours = driver.execute_script("""
        const context = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
        const seen = (colour) => { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255); };
        return [...document.querySelectorAll(".verdict li")].map((item) => ["who", "what", "sign"].map((part) =>
            [seen(getComputedStyle(item).backgroundColor), seen(getComputedStyle(item.querySelector("." + part)).color)]));""")
    assert len(colours) == 8
    for behind, front in (pair for item in colours for pair in item):
        assert contrast(behind, front) >= 4.5


def test_a_fit_has_its_page(driver, toy, tmp_path):
    run("fit", toy / "demo/quadrants-train.csv", "-o", "model", "--label", "label", "--components", 4, "--report", "fit.html",
        cwd=tmp_path)  # fmt: skip
    stack = json.loads(run("info", "model", "--json", cwd=tmp_path).stdout)["summary"]["stack"]
    open_clean(driver, tmp_path / "fit.html")
    ((who, _, text),) = verdicts(driver)
    check = stack["self_check"]["all"]
    assert who == "mar"
    assert f"it announced {100 * check['announced']:.1f} %, made {100 * check['made']:.1f} %" in text
    assert len(driver.find_elements(By.CSS_SELECTOR, "#trust .gap")) == len(stack["gaps"])
    assert driver.find_elements(By.ID, "self-check") and not driver.find_elements(By.ID, "metrics")
    assert "At a risk of 5 % and a confidence of 95 %" in driver.find_element(By.CLASS_NAME, "lead").text


def test_a_diagnosis_has_its_page(driver, toy, tmp_path):
    run("diagnose", toy / "demo/coin-train.csv", "--label", "label", "--json", "d.json", "--report", "d.html", cwd=tmp_path)
    found = json.loads((tmp_path / "d.json").read_text())
    open_clean(driver, tmp_path / "d.html")
    assert driver.title == "coin-train.csv"
    tones = {"none": "kept", "note": "note", "warning": "broken"}
    shown = verdicts(driver)
    assert [tone for _, tone, _ in shown] == [tones[finding["concern"]] for finding in found["findings"]]
    assert all(text.startswith(finding["found"]) for (_, _, text), finding in zip(shown, found["findings"]))
    remedy = driver.find_element(By.CSS_SELECTOR, ".verdict details")
    remedy.find_element(By.TAG_NAME, "summary").click()
    assert "--method mar" in remedy.text
    total = found["error"]["total"]
    headline = driver.find_element(By.CSS_SELECTOR, ".verdict .headline").text
    assert f"{100 * total['low']:.1f} % to {100 * total['high']:.1f} %" in headline and "not missing by lot" in headline
    columns = found["labeling"]["columns"]
    assert [panel.text.split("\n")[0] for panel in driver.find_elements(By.CSS_SELECTOR, "#columns .panel h4")] == [column["name"] for column in columns]
    parts = driver.find_elements(By.CSS_SELECTOR, "#columns .part")
    assert len(parts) == sum(len(column["parts"]) for column in columns)
    first = columns[0]["parts"][0]
    assert f"{first['n_labeled']:,} of {first['n_rows']:,} rows have a label" in parts[0].get_attribute("aria-label")
    driver.execute_script("arguments[0].focus()", parts[0])
    ActionChains(driver).send_keys(Keys.ARROW_RIGHT).perform()
    assert columns[0]["parts"][1]["where"] in driver.find_element(By.ID, "tip").text
    for figure in ("columns", "overlap", "error"):
        ElementTree.parse(save(driver, figure, "svg"))
    for width in (320, 1280):
        open_clean(driver, tmp_path / "d.html", width=width, scheme="dark")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_diagnosis_without_missing_labels_has_its_page(driver, tmp_path):
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"</script>": random.normal(size=60), "z": random.normal(size=60), "y": ["<b>a</b>", "b"] * 30})
    frame.to_csv(tmp_path / "all.csv", index=False)
    run("diagnose", "all.csv", "--label", "y", "--report", "d.html", cwd=tmp_path)
    open_clean(driver, tmp_path / "d.html")
    assert driver.find_element(By.CSS_SELECTOR, ".verdict .headline").text == "Every row has a label."
    assert "<b>a</b>" in driver.find_element(By.CLASS_NAME, "verdict").text
    assert not driver.find_elements(By.TAG_NAME, "figure")


def test_a_single_row_and_an_infinite_loss(driver, tmp_path):
    (tmp_path / "one.csv").write_text("k0,k1,label,group\n1,0,k1,alone\n")
    run("evaluate", "--probabilities", "one.csv", "--label", "label", "--stratum", "group", "--report", "one.html",
        cwd=tmp_path)  # fmt: skip
    open_clean(driver, tmp_path / "one.html")
    assert driver.find_element(By.CSS_SELECTOR, "#metrics tr.whole [data-metric=nll]").text == "∞"
    assert driver.find_element(By.CSS_SELECTOR, "#metrics tr.part [data-metric=error_rate]").text == "1.0000"
    for figure in ("reliability", "risk-coverage", "confusion"):
        ElementTree.parse(save(driver, figure, "svg"))


def test_one_feature(driver, tmp_path):
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 300)
    frame = pd.DataFrame({"x": 3.0 * truth + random.normal(size=300), "y": np.array(["a", "b"])[truth]})
    frame.to_csv(tmp_path / "test.csv", index=False)
    frame.loc[150:, "y"] = np.nan
    frame.to_csv(tmp_path / "train.csv", index=False)
    run("compare", "train.csv", "test.csv", "--label", "y", "--out", "out", "--components", 2, cwd=tmp_path)
    open_clean(driver, tmp_path / "out/report.html")
    assert driver.find_element(By.CSS_SELECTOR, "#error-probability canvas")


def test_without_unlabeled_rows_there_is_no_slider(driver, tmp_path):
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 300)
    frame = pd.DataFrame({"x": 3.0 * truth + random.normal(size=300), "z": 1.0 * random.normal(size=300)})
    frame["y"] = np.array(["a", "b"])[truth]
    frame.to_csv(tmp_path / "all.csv", index=False)
    run("compare", "all.csv", "all.csv", "--label", "y", "--out", "out", "--components", 2, cwd=tmp_path)
    open_clean(driver, tmp_path / "out/report.html")
    assert not driver.find_elements(By.ID, "log-ratio")
    assert "No training row lacks a label" in driver.find_element(By.CSS_SELECTOR, ".lead").text


@pytest.mark.skipif(IS_SANITIZED, reason="takes long")
def test_a_million_rows_are_sampled_and_stated(driver, large, tmp_path):
    test = pd.read_csv(large / "test.csv")
    many = pd.concat([test] * 100, ignore_index=True)
    many.to_csv(tmp_path / "many.csv", index=False)
    run("evaluate", large / "model", "many.csv", "--label", "y", "--report", "page.html", "--json", "m.json",
        cwd=tmp_path)  # fmt: skip
    page = tmp_path / "page.html"
    assert page.stat().st_size < 4_000_000
    open_clean(driver, page)
    assert "10,000 of 1,000,000 test rows, chosen at random" in driver.find_element(By.ID, "error-probability").text
    slider = driver.find_element(By.CSS_SELECTOR, "#log-ratio input[type=range]")
    slider.send_keys(Keys.ARROW_LEFT)
    ratio = pd.read_csv(large / "predictions.csv")["log_ratio"].to_numpy()
    count = driver.find_elements(By.CSS_SELECTOR, "#log-ratio .informative strong")[-1]
    assert int(count.get_attribute("data-count")) == 100 * (ratio > float(slider.get_attribute("data-kappa"))).sum()
