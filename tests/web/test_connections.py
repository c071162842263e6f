"""Clients that open connections and do nothing useful with them, against the real command."""

import resource
import signal
import socket
import time
from contextlib import ExitStack

import httpx
import pytest

import levcert
from levcert.web import file_descriptors
from tests.web.conftest import served

HALF_A_HEAD = b"POST /predict HTTP/1.1\r\nHost: localhost\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
COMPLETE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
WAIT = 30  # seconds until a test gives up; nothing is measured


def connect(port, sent=b"", host="127.0.0.1"):
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT, source_address=(host, 0))
    connection.sendall(sent)
    return connection


def everything(connection):
    """Read until the server closes the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def closing(header="X: y"):
    return COMPLETE.replace(b"\r\n\r\n", f"\r\n{header}\r\nConnection: close\r\n\r\n".encode())


def until_answered(port):
    """Ask again and again, until the server has seen that a connection is free; return the status line."""
    answer = b""
    while not answer.startswith(b"HTTP/1.1 200"):
        with connect(port, closing()) as connection:
            answer = everything(connection)
    return answer.partition(b"\r\n")[0].decode()


def until_closed(connection, packet, pause=0.0):
    while True:
        connection.sendall(packet)
        time.sleep(pause)


def test_half_open_connections_do_not_keep_the_server_alive(saved_model):
    with served(saved_model, "--max-read-seconds", 600) as (process, port), ExitStack() as stack:
        for sent in (b"", HALF_A_HEAD, HALF_A_BODY, HALF_A_BODY):
            stack.enter_context(connect(port, sent))
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200  # the others have arrived, too
        process.terminate()
        _, complaints = process.communicate(timeout=WAIT)
    assert process.returncode == -signal.SIGTERM
    assert "Traceback" not in complaints


def test_a_search_does_not_keep_the_server_alive(saved_model):
    """Heavy work that nobody can stop: 64 texts of 5,000 characters, while the server may take half a second to end."""
    body = {"texts": [f"{number} " + "ab1 " * 1200 for number in range(64)], "method": "exact"}
    flags = ("--max-shutdown-seconds", 0.5, "--max-seconds", 600)
    with served(saved_model, *flags) as (process, port):
        request = httpx.Request("POST", f"http://127.0.0.1:{port}/certify", json=body)
        head = b"".join(name + b": " + value + b"\r\n" for name, value in request.headers.raw)
        with connect(port, b"POST /certify HTTP/1.1\r\n" + head + b"\r\n" + request.content):
            while httpx.get(f"http://127.0.0.1:{port}/healthz").status_code != 200:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=WAIT)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def impatient(saved_model):
    flags = ("--max-read-seconds", 0.4, "--max-idle-seconds", 0.4, "--max-header-bytes", 2000, "--no-access-log")
    with served(saved_model, *flags) as (_, port):
        yield port


@pytest.mark.parametrize(
    ("sent", "answer"),
    [(b"", b""), (HALF_A_HEAD, b"HTTP/1.1 408"), (HALF_A_BODY, b"HTTP/1.1 408"), (COMPLETE, b"HTTP/1.1 200")],
    ids=["nothing", "half a head", "half a body", "a request, then nothing"],
)
def test_a_silent_connection_is_closed(impatient, sent, answer):
    with connect(impatient, sent) as connection:
        assert everything(connection).startswith(answer)


def test_a_second_request_that_never_ends_is_closed_as_well(impatient):
    """Its beginning comes in the same packet as the first request."""
    with connect(impatient, COMPLETE + HALF_A_BODY) as connection:
        received = everything(connection)
    assert received.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in received


def test_a_trickle_does_not_help(impatient):
    with connect(impatient, HALF_A_HEAD) as connection, pytest.raises(ConnectionError):
        until_closed(connection, b"X: 1\r\n", pause=0.1)


def test_a_client_that_does_not_read_is_closed(impatient):
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(WAIT)
        connection.connect(("127.0.0.1", impatient))
        ask = COMPLETE.replace(b"/healthz", b"/openapi.json")
        with pytest.raises(ConnectionError):
            until_closed(connection, ask)


def test_long_headers_are_rejected(impatient):
    with connect(impatient, HALF_A_HEAD + b"X: " + b"x" * 4000) as connection:
        assert everything(connection).startswith(b"HTTP/1.1 400")


def test_one_connection_too_many_is_told_so(saved_model):
    """Three connections for a client and seven in all; a trusted proxy speaks for many clients."""
    flags = ("--max-connections-per-client", 3, "--max-connections", 7, "--trusted-proxy", "127.0.0.9")
    with served(saved_model, *flags) as (process, port), ExitStack() as stack:
        own = [stack.enter_context(connect(port)) for _ in range(3)]
        with connect(port) as fourth:
            assert everything(fourth).startswith(b"HTTP/1.1 503")
        own.pop().close()
        assert "200" in until_answered(port)
        for name in ("10.0.0.6", "10.0.0.7"):  # the first is not believed
            host = "127.0.0.1" if name.endswith("6") else "127.0.0.9"
            with connect(port, closing(f"X-Forwarded-For: {name}"), host) as connection:
                assert everything(connection).startswith(b"HTTP/1.1 200")
        for _ in range(5):
            stack.enter_context(connect(port, host="127.0.0.9"))
        with connect(port, host="127.0.0.3") as eighth:
            assert everything(eighth).startswith(b"HTTP/1.1 503")
        process.terminate()
        log = process.communicate(timeout=WAIT)[1]
    assert '"10.0.0.7" "GET /healthz" 200 answered' in log
    assert "10.0.0.6" not in log


def test_few_file_descriptors_are_enough(saved_model):
    """asyncio would try to accept for ever, and write 19 MB of log in a minute."""

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with served(saved_model, preexec_fn=few) as (process, port):
        with ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(connect(port))
            with connect(port) as one_more:
                assert everything(one_more).startswith(b"HTTP/1.1 503")
        assert "200" in until_answered(port)
        process.terminate()
        _, complaints = process.communicate(timeout=WAIT)
    assert [line for line in complaints.splitlines() if "GET /healthz" not in line] == []


def test_far_too_few_file_descriptors_are_one_sentence(monkeypatch):
    monkeypatch.setattr(file_descriptors, "_open_descriptors", lambda: 10**9)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (64, 64))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    with pytest.raises(levcert.InputError, match=r"Only 64 file descriptors are allowed, .* raise `ulimit -n`\."):
        file_descriptors.connections_that_fit(256)
