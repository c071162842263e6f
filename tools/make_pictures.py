"""Draw docs/pictures/page.png, report.png and scan.png: what a user sees, in Chromium.

    python tools/make_pictures.py                      # trains on AG-News, whose folder LEVCERT_DATA names
    python tools/make_pictures.py --model ag.safetensors --into /tmp/pictures --phone

Needs the extras web and sklearn, playwright and /usr/bin/chromium.  With ``--phone``, the page and the report are also
drawn 390 pixels wide, to be looked at, not published.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

COMMAND = str(Path(sys.executable).with_name("levcert"))
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
TEXT = (
    "The captain scored twice in the final ten minutes as the home team came from behind to win the championship game "
    "in front of a record crowd."
)
PIPELINE = """
import levcert
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

data = levcert.load_dataset("sms_spam")
pipeline = make_pipeline(TfidfVectorizer(analyzer="char", ngram_range=(2, 5)), LogisticRegression())
pipeline.fit(data.train.texts, [data.labels[y] for y in data.train.labels])
"""


def levcert(folder, *arguments):
    subprocess.run([COMMAND, *map(str, arguments)], cwd=folder, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="a model of AG-News; without it, votes are trained")
    parser.add_argument("--into", type=Path, default=PICTURES)
    parser.add_argument("--phone", action="store_true")
    options = parser.parse_args()
    options.into.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as started:
        folder = Path(made)
        model = options.model.resolve() if options.model else folder / "ag-votes.safetensors"
        if not options.model:
            levcert(folder, "train", "ag_news", "-o", model)
        levcert(folder, "report", model, "ag_news", "--rows", 400, "-o", folder / "report.html")
        (folder / "sms_model.py").write_text(PIPELINE, encoding="utf-8")
        (folder / "sms.py").write_text(
            PIPELINE + "import csv\n"
            "rows = zip(data.test.texts[:200], [data.labels[y] for y in data.test.labels[:200]])\n"
            "csv.writer(open('sms.csv', 'w', encoding='utf-8')).writerows([('text', 'label'), *rows])\n",
            encoding="utf-8",
        )
        subprocess.run([sys.executable, "sms.py"], cwd=folder, check=True)
        levcert(folder, "scan", "sms_model:pipeline", "sms.csv", "--max-distance", 2, "-o", "scan.html")
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        server = subprocess.Popen(
            [COMMAND, "serve", model, "--port", "0", "--no-access-log"], stdout=subprocess.PIPE, text=True
        )
        try:
            address = server.stdout.readline().split(" is served at ")[1].split(";")[0]
            for suffix, width in [("", None)] + [("-phone", 390)] * options.phone:
                draw_page(browser, address, width, options.into / f"page{suffix}.png")
                for name, wide, high in (("report", 900, 1180), ("scan", 960, 930)):
                    tab = browser.new_page(viewport={"width": width or wide, "height": high})
                    tab.goto((folder / f"{name}.html").as_uri())
                    tab.screenshot(path=options.into / f"{name}{suffix}.png", full_page=width is not None)
                    tab.close()
        finally:
            server.terminate()
            server.wait()
        browser.close()
    for path in options.into.glob("*.png"):
        if path.stem.partition("-")[0] in ("page", "report", "scan"):
            Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


def draw_page(browser, address, width, path):
    tab = browser.new_page(viewport={"width": width or 1160, "height": 1300})
    tab.goto(address)
    tab.fill("#text", TEXT)
    tab.wait_for_selector("#answer:not(.stale)")
    tab.wait_for_selector("#covered-texts li")
    tab.screenshot(path=path, full_page=width is not None)
    tab.close()


if __name__ == "__main__":
    main()
