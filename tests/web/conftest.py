"""A served model: as an application, and as the real command on a free port."""

import os
import subprocess
import sys
from contextlib import contextmanager
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
    return create_app(model, "counting", allowed_hosts=["testserver"])


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
        [COMMAND, "serve", path, "--port", "0", "--no-access-log"], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        line = process.stdout.readline()
        yield line.split(" is served at ")[1].split(";")[0]
    finally:
        process.kill()
        process.communicate()


@contextmanager
def served(path, *flags, **options):
    """Run ``levcert serve`` with flags; yield the process and its port, and end it."""
    command = [COMMAND, "serve", path, "--port", "0", *map(str, flags)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, **options) as process:
        try:
            line = process.stdout.readline()
            assert " is served at " in line, process.communicate()
            yield process, int(line.split(";")[0].rpartition(":")[2])
        finally:
            process.kill()


@pytest.fixture(scope="session")
def saved_model(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "counting.safetensors"
    model.save(path)
    return path
