"""A headless Chromium for tests and pictures of the report. Nothing here waits for ever."""

import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def open_browser(downloads=None):
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"):  # fmt: skip
        options.add_argument(argument)
    if downloads is not None:
        options.add_experimental_option(
            "prefs", {"download.default_directory": str(downloads), "download.prompt_for_download": False}
        )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.command_executor.set_timeout(90)
    driver.set_page_load_timeout(60)
    driver.set_script_timeout(30)
    return driver


def show(driver, page, width=1280, scheme="light", scale=1):
    """Opens a page and waits until it is drawn."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": False},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    driver.get(page.resolve().as_uri())
    until(lambda: driver.execute_script("return document.documentElement.dataset.drawn"), "the page is not drawn")


def until(condition, complaint, seconds=20):
    """What the condition gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, complaint
        time.sleep(0.05)
    return found
