"""Who is let in, and what is written down: hosts, the token, the log, HEAD, health checks, clients that leave."""

import asyncio
import re
import threading
from dataclasses import fields
from inspect import signature

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

import levcert
from levcert.cli.commands.serve import serve as command
from levcert.web import create_app, schemas
from levcert.web.access_log import escaped
from levcert.web.answering import Answering, ClientGoneError
from levcert.web.bearer_token import read_token
from levcert.web.host_check import HostCheck
from levcert.web.lanes import Lanes
from levcert.web.limits import Limits
from levcert.web.service import Service

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def log():
    return []


@pytest.fixture(scope="module")
def guarded(model, log):
    """A server with a token, a log, and small limits."""
    limits = Limits(characters=300, texts=2, distance=3, body_bytes=2000)
    app = create_app(model, "secret name", limits=limits, allowed_hosts=["testserver"], token=TOKEN, log=log.append)
    with TestClient(app) as client:
        yield client


def allowed():
    return {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("host", "answers"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("localhost.", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("levcert.example.org", True),
        ("levcert.example.org:443", True),
        ("evil.example.org", False),  # a page of this name rebinds it to 127.0.0.1
        ("127.0.0.1.evil.org", False),
        ("localhost.evil.org", False),
        ("evil.org@localhost", False),
        ("localhost/evil.org", False),
        ("localhost#evil.org", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_a_server_answers_only_for_its_own_names(host, answers):
    check = HostCheck(None, ["Levcert.example.org"])
    assert check.answers_for([host]) is answers
    assert not check.answers_for([host, host])
    assert not check.answers_for([])


def test_dns_rebinding_is_rejected(client):
    response = client.post("/predict", json={"texts": ["a"]}, headers={"Host": "evil.example.org:8000"})
    assert response.status_code == 421
    assert "--allowed-host" in response.json()["error"]


@pytest.mark.parametrize("given", [None, "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN, "Bearer é"])
@pytest.mark.parametrize("path", ["/predict", "/certify", "/attack", "/model", "/nowhere", "/docs/../model"])
def test_nobody_asks_the_model_without_the_token(guarded, path, given):
    headers = {} if given is None else {"Authorization": given.encode()}
    response = guarded.request("GET" if path == "/model" else "POST", path, headers=headers)
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert response.headers["X-Frame-Options"] == "DENY"


def test_the_token_opens_the_rest(guarded):
    assert guarded.get("/model", headers=allowed()).status_code == 200
    assert guarded.post("/predict", headers=allowed(), json={"texts": ["a"]}).status_code == 200
    for path in ("/", "/docs", "/static/page.js", "/openapi.json", "/healthz", "/readyz"):
        response = guarded.get(path)
        assert response.status_code == 200
        assert "secret name" not in response.text


@pytest.mark.parametrize(
    "content", ["", "short", "fifteen letters\n", "with a space in it", "é" * 20, "two\nlines of it all"]
)
def test_a_token_that_is_not_one_is_rejected(tmp_path, content):
    (tmp_path / "token").write_text(content)
    with pytest.raises(levcert.InputError, match="must contain one token of at least 16 visible ASCII characters"):
        read_token(tmp_path / "token")


def test_a_token_file_may_end_with_a_line_break(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    assert read_token(tmp_path / "token") == TOKEN
    with pytest.raises(levcert.InputError, match="does not exist"):
        read_token(tmp_path / "none")


LINE = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z "testclient" "(.*)" (\d{3}) ([a-z JSON()]+) [\d.]+ ms')


def test_each_request_is_one_line_with_its_verdict(guarded, log):
    token = allowed()
    del log[:]
    guarded.get("/healthz")
    guarded.post("/predict", json={"texts": ["my secret text"]}, headers=token)
    guarded.post("/certify", json={"texts": ["my secret text"]}, headers=token)
    guarded.post("/certify", json={"texts": ["my secret text"] * 3}, headers=token)
    guarded.post("/predict", content=b"x" * 3000, headers=token)
    guarded.post("/predict", json={"texts": ["my secret text"]})
    guarded.get("/healthz", headers={"Host": "evil.org"})
    guarded.get('/a b"c%7F%0Ad%1B[31m\u2028é', headers=token)
    guarded.get("/" + "x" * 500, headers=token)
    assert [LINE.fullmatch(line).groups() for line in log[:7]] == [
        ("GET /healthz", "200", "answered"),
        ("POST /predict", "200", "answered (light)"),
        ("POST /certify", "200", "answered (heavy)"),
        ("POST /certify", "422", "invalid"),
        ("POST /predict", "413", "too large"),
        ("POST /predict", "401", "no token"),
        ("GET /healthz", "421", "other host"),
    ]
    assert all(re.fullmatch("[ -~]+", line) for line in log)
    assert r'"GET /a b\"c\u007f\nd\u001b[31m\u2028\u00e9" 404 no such address' in log[7]
    assert max(map(len, log)) < 300
    assert "secret" not in "".join(log)


def test_escapes_have_no_control_characters():
    assert escaped("".join(map(chr, range(300)))).isprintable()


@pytest.mark.parametrize("path", ["/", "/docs", "/model", "/healthz", "/readyz", "/openapi.json", "/static/page.js"])
def test_head_is_get_without_the_body(client, path):
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(got.content))


def test_health(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_a_full_server_lives_but_is_not_ready(model, monkeypatch):
    monkeypatch.setattr(Lanes, "are_full", lambda self: True)
    with TestClient(create_app(model, allowed_hosts=["testserver"])) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503


def test_the_limits_of_a_server_are_enforced_and_described(guarded):
    described = guarded.get("/openapi.json").json()["components"]["schemas"]
    for name in ("PredictRequest", "CertifyRequest", "AttackRequest"):
        texts = described[name]["properties"]["texts"]
        assert (texts["maxItems"], texts["items"]["maxLength"]) == (2, 300)
    assert described["AttackRequest"]["properties"]["max_distance"]["maximum"] == 3
    about = guarded.get("/model", headers=allowed()).json()
    assert (about["longest_text"], about["largest_batch"], about["farthest_edit"]) == (300, 2, 3)
    for path, body in [
        ("/predict", {"texts": ["a" * 301]}),
        ("/predict", {"texts": ["a"] * 3}),
        ("/certify", {"texts": ["a"], "max_distance": 4}),
        ("/attack", {"texts": ["a"], "max_distance": 4}),
    ]:
        response = guarded.post(path, json=body, headers=allowed())
        assert response.status_code == 422
        assert "this server accepts at most" in response.json()["error"]


def test_every_limit_has_a_flag_with_the_same_default():
    flags = {name[4:]: flag.default for name, flag in signature(command).parameters.items() if name[:4] == "max_"}
    defaults = {limit.name: limit.default for limit in fields(Limits)}
    assert flags.pop("workers") is None
    defaults.pop("workers")  # depends on the machine
    assert flags == defaults


def test_a_client_that_leaves_is_not_worked_for(model):
    async def go():
        lanes, hold, begun = Lanes(Limits(workers=1)), threading.Event(), []
        answering = Answering(Service(model, Limits()), lanes)
        busy = asyncio.create_task(lanes.heavy.run("another", lambda _: hold.wait(20)))

        async def receive():
            return {"type": "http.disconnect"}

        http = Request({"type": "http", "headers": [], "client": ("10.0.0.1", 1)}, receive)
        with pytest.raises(ClientGoneError):
            await answering.answer(http, schemas.AttackRequest(texts=["a"]), lambda *given: begun.append(given))
        hold.set()
        await busy
        await lanes.heavy.run("another", lambda _: None)
        assert begun == []

    asyncio.run(go())
