"""Takes pictures of parts of pages: pictures.py REPORT.html DIAGNOSIS.html FOLDER. Called by make-pictures."""

import base64
import sys
from pathlib import Path

from browser import open_browser, show

MARGIN = 20
WIDTH = 1180
PLAIN = ".tools { visibility: hidden; }"  # buttons are of no use in a picture
BARE = ".tools, .controls, figcaption p { display: none; } figure { margin-bottom: 1.8rem; }"
# File name, the first and the last element in it, and what is changed for it.
OF_DIAGNOSIS = [("report-diagnosis.png", ".verdict", "#error .plot", PLAIN)]
OF_REPORT = [
    ("report-verdict.png", ".verdict", ".verdict", PLAIN),
    ("report.png", "#fields", "#reliability .keys", BARE),
    ("report-data.png", "#data", "#log-ratio .readout", PLAIN),
    ("report-error-probability.png", "#error-probability", "#error-probability .keys", PLAIN),
    ("report-reliability.png", "#reliability", "#reliability .keys", PLAIN),
    ("report-worth.png", "#risk-coverage", "#confusion .keys", PLAIN),
]
BOX = """
const nodes = [...arguments].map((selector) => document.querySelector(selector).getBoundingClientRect());
return {top: Math.min(...nodes.map((b) => b.top)) + window.scrollY, bottom: Math.max(...nodes.map((b) => b.bottom)) + window.scrollY};
"""


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: pictures.py REPORT.html DIAGNOSIS.html FOLDER")
    report, diagnosis, folder = map(Path, sys.argv[1:])
    pictures = [(report, *picture) for picture in OF_REPORT] + [(diagnosis, *picture) for picture in OF_DIAGNOSIS]
    driver = open_browser()
    try:
        for page, name, first, last, style in pictures:
            show(driver, page, width=WIDTH, scale=1.5)
            driver.execute_script(
                "const style = document.createElement('style');"
                "style.textContent = arguments[0]; document.head.append(style)",
                style,
            )
            box = driver.execute_script(BOX, first, last)
            main_box = driver.execute_script(
                "const b = document.querySelector('main').getBoundingClientRect(); return [b.left, b.width]"
            )
            clip = {
                "x": main_box[0] + 8,
                "y": box["top"] - MARGIN,
                "width": main_box[1] - 16,
                "height": box["bottom"] - box["top"] + 2 * MARGIN,
                "scale": 1,
            }
            shot = driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
            )
            (folder / name).write_bytes(base64.b64decode(shot["data"]))
            print(folder / name)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
