"""What all tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ci")

# A shell that starts the tests in the background makes them ignore Ctrl-C, and the commands they start inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests choose their data folder themselves, whatever the shell has set."""
    monkeypatch.delenv("LEVCERT_DATA", raising=False)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the paper's datasets; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("LEVCERT_TEST_DATA", SHARED / "data"))
    if not folder.is_dir():
        pytest.skip(f"the datasets are not at {folder}")
    return folder
