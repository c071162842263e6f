"""A served model: as an application, and as the real command on a free port."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from levcert.web import create_app
from tests.counting_model import counting_model

COMMAND = Path(sys.executable).with_name("levcert")


@pytest.fixture(scope="session")
def model():
    return counting_model(data={"name": "toy"})


@pytest.fixture(scope="session")
def app(model):
    return create_app(model, "counting")


@pytest.fixture(scope="session")
def client(app):
    with TestClient(app) as client:
        yield client


@pytest.fixture(scope="session")
def address(model, tmp_path_factory):
    """The address of ``levcert serve``; the process ends with the tests."""
    path = tmp_path_factory.mktemp("served") / "counting.safetensors"
    model.save(path)
    process = subprocess.Popen(
        [COMMAND, "serve", path, "--port", "0"], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        line = process.stdout.readline()
        yield line.split(" is served at ")[1].split(";")[0]
    finally:
        process.kill()
        process.communicate()
