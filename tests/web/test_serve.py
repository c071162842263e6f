"""The command: what it says and how it ends."""

import signal
import socket
import subprocess

import httpx
import pytest

import levcert
from levcert.web import serve
from levcert.web.server import _listen
from tests.web.conftest import COMMAND


def run(*arguments):
    return subprocess.run([COMMAND, "serve", *arguments], capture_output=True, text=True, check=False, timeout=60)


def test_it_listens_here_only_and_answers(address):
    assert address.startswith("http://127.0.0.1:")
    assert httpx.get(f"{address}/model").json()["name"] == "counting.safetensors"
    assert "server" not in httpx.get(address).headers


def test_answers_are_not_held_back():
    """Asyncio switches the delay of small packets off where a socket names its protocol (see its _set_nodelay)."""
    with _listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_a_taken_port_is_one_sentence(model, tmp_path):
    model.save(tmp_path / "model.safetensors")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run(tmp_path / "model.safetensors", "--port", str(taken.getsockname()[1]))
    assert result.returncode == 2
    assert result.stderr.startswith("levcert: Cannot serve at 127.0.0.1")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("host", ["no.such.host.invalid", "a" * 300])
def test_a_strange_host_is_one_sentence(model, host):
    with pytest.raises(levcert.InputError, match=r"Cannot serve at .* Choose another with --host or --port\.$"):
        serve(model, host=host)


def test_a_missing_model_is_one_sentence(tmp_path):
    result = run(tmp_path / "none.safetensors")
    assert result.returncode == 2
    assert "does not exist" in result.stderr


def test_ctrl_c_ends_it_quietly(model, tmp_path):
    model.save(tmp_path / "model.safetensors")
    command = [COMMAND, "serve", tmp_path / "model.safetensors", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert "is served at" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert complaints == ""
