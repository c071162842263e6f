"""Tests in a browser are skipped without one, and fail where one is required: .ci/run says so where CI is set."""

import os
import subprocess
from pathlib import Path

import pytest

from tests import browser

GATE = Path(__file__).parents[1] / ".ci" / "run"


@pytest.mark.parametrize(
    ("required", "outcome"), [(None, pytest.skip.Exception), ("required", pytest.fail.Exception)], ids=["skip", "fail"]
)
def test_a_missing_browser(required, outcome, monkeypatch, tmp_path):
    monkeypatch.setattr(browser, "CHROMIUM", tmp_path / "chromium")
    monkeypatch.delenv("LEVCERT_BROWSER", raising=False)
    if required:
        monkeypatch.setenv("LEVCERT_BROWSER", required)
    with pytest.raises(outcome, match=r"there is no|not installed"), browser.started_browser():
        pass


@pytest.mark.skipif(not GATE.exists(), reason="installed without the gate")
@pytest.mark.parametrize("ci", ["", "true"])
def test_the_gate_requires_a_browser_where_ci_is_set(ci, tmp_path):
    """Run with stand-ins for make and apt-get that only write down what they are asked for."""
    for name in ("make", "apt-get", "sudo"):
        stand_in = tmp_path / name
        stand_in.write_text(f'#!/bin/sh\necho "{name} $* ${{LEVCERT_BROWSER:-}}" >> {tmp_path}/log\n')
        stand_in.chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key not in ("CI", "LEVCERT_BROWSER")}
    environment |= {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "CI": ci}
    subprocess.run([GATE], check=True, env=environment, capture_output=True)
    log = (tmp_path / "log").read_text().splitlines()
    assert [line for line in log if line.startswith("make")] == (
        ["make test required", "make demo required"] if ci else ["make test ", "make demo "]
    )
    asked = any("install -y chromium" in line for line in log)
    assert asked == (bool(ci) and not browser.CHROMIUM.exists())
