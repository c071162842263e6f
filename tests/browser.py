"""The browser of tests: without one they are skipped, or fail where the environment says LEVCERT_BROWSER=required."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

try:
    import playwright.sync_api as playwright
except ImportError:
    playwright = None

CHROMIUM = Path("/usr/bin/chromium")


@contextmanager
def started_browser():
    """Give a browser that shows nothing on the screen."""
    missing = None if CHROMIUM.exists() else f"there is no {CHROMIUM}"
    if playwright is None:
        missing = "playwright is not installed"
    if missing and os.environ.get("LEVCERT_BROWSER") == "required":
        pytest.fail(f"{missing}, and LEVCERT_BROWSER=required")
    if missing:
        pytest.skip(missing)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()
