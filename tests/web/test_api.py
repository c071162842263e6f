from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import given, settings

import levcert
from levcert import kernels
from levcert.models.window import WindowModel
from levcert.web import schemas
from levcert.web.deadline import Deadline
from levcert.web.limits import Limits, longest_text
from levcert.web.sample_texts import SAMPLES
from levcert.web.service import Service
from tests.counting_model import WEIGHT, counting_model, margin, radius
from tests.slow_twins import AnyWindowModel, random_votes

LIMITS, DEADLINE = Limits(), Deadline(np.inf)
TEXTS = ["hello world", "31415926535", "ab12cd34e", "<script>alert(1)</script>", "", "ab12", "żółw 7"]


def ask(client, path, **body):
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()["results"]


def test_predict_is_the_models_answer(client, model):
    results = ask(client, "/predict", texts=TEXTS)
    assert [row["label"] for row in results] == list(model.predict(TEXTS))
    assert [list(row["scores"].values()) for row in results] == model.scores(TEXTS).tolist()
    assert list(results[0]["scores"]) == ["letters", "digits"]


@pytest.mark.parametrize("text", ["hello world", "31415926535", "ab12cd34e", "a"])
def test_certify_gives_the_radius_that_counting_gives(client, model, text):
    row = ask(client, "/certify", texts=[text], losses=True)[0]
    assert (row["radius"], row["claim"], row["margin"]) == (radius(text), "exact", margin(text))
    assert row["losses"] == levcert.character_losses(model, text).tolist()
    found = row["counterexample"]
    assert found["distance"] == row["radius"] + 1 == levcert.levenshtein(text, found["text"])
    assert str(model.predict([found["text"]])[0]) == found["label"] != row["label"]
    assert (sorted(row["operations"]), row["unit"]) == (["delete", "insert", "substitute"], "characters")
    pieces = {
        kind: [part["text"] for part in found["difference"] if part["kind"] != kind] for kind in ("added", "removed")
    }
    assert "".join(pieces["added"]) == text
    assert "".join(pieces["removed"]) == found["text"]


@pytest.mark.parametrize("operations", [["insert"], ["delete"], ["substitute"], ["delete", "insert"]])
@pytest.mark.parametrize("method", ["auto", "lipschitz", "lipslev"])
def test_certify_is_the_librarys_answer(client, model, method, operations):
    rows = ask(client, "/certify", texts=TEXTS, method=method, operations=operations, max_distance=3)
    expected = levcert.certify(model, TEXTS, method, operations=operations, max_distance=3)
    assert [(row["label"], row["radius"], row["claim"]) for row in rows] == [
        (row.label, row.radius, row.claim) for row in expected
    ]


def test_the_empty_text_has_the_first_label_until_something_is_typed(client):
    row = ask(client, "/certify", texts=[""], losses=True)[0]
    assert (row["label"], row["radius"], row["counterexample"]["label"]) == ("letters", 0, "digits")
    assert row["sentence"] == "One edit can change the label."


def test_attack_finds_what_is_there(client):
    near, far = ask(client, "/attack", texts=["ab1", "hello world"], max_distance=2)
    assert near["counterexample"]["distance"] == 1
    assert far["counterexample"] is None


def test_the_model_says_what_it_is(client):
    about = client.get("/model").json()
    assert about["labels"] == ["letters", "digits"]
    assert about["certifiers"][0] == "auto"
    assert about["longest_text"] == LIMITS.characters
    assert [sample["text"] for sample in about["samples"]] == [text for _, text in SAMPLES["toy"]]


def test_samples_belong_to_known_datasets():
    from levcert.datasets import DATASETS

    assert set(SAMPLES) <= set(DATASETS)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"texts": ["a" * (LIMITS.characters + 1)]},
            "Text 1 has 5,001 characters; this server accepts at most 5,000 for this model.",
        ),
        (
            {"texts": ["a"] * (LIMITS.texts + 1)},
            "The request has 65 texts; this server accepts at most 64. Send fewer.",
        ),
        ({"texts": []}, "texts: List should have at least 1 item"),
        ({"texts": "abc"}, "texts: Input should be a valid list"),
        ({}, "texts: Field required"),
        ({"texts": ["a"], "operations": []}, "operations: List should have at least 1 item"),
        ({"texts": ["a"], "operations": ["swap"]}, "operations.0: Input should be"),
        ({"texts": ["a"], "method": "magic"}, "method: Input should be"),
        ({"texts": ["a"], "max_distance": 99}, "max_distance is 99; this server accepts at most 12."),
        ({"texts": ["a"], "max_distance": "1"}, "max_distance: Input should be a valid integer"),
        ({"texts": ["a"], "depth": 1}, "depth: Extra inputs are not permitted"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(client, body, message):
    response = client.post("/certify", json=body)
    assert response.status_code == 422
    assert list(response.json()) == ["error"]
    assert response.json()["error"].startswith(message)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"texts": ["\\ud800"]}', b'{"texts": ["a"], "\\ud800": 1}', b"[" * 5000],
)
def test_junk_is_refused(client, content):
    response = client.post("/certify", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert list(response.json()) == ["error"]


def test_a_refusal_does_not_repeat_what_was_sent(client):
    response = client.post("/certify", json={"texts": ["<b>secret</b>", 1], "<i>": 1})
    assert "secret" not in response.text


def test_requests_have_a_largest_size(client):
    said = client.post("/predict", content=b"x" * 2_000_000)
    came = client.post("/predict", content=(b"x" * 100_000 for _ in range(20)))
    for response in (said, came):
        assert response.status_code == 413
        assert response.json()["error"].startswith("A request may have at most")


def test_a_large_alphabet_has_shorter_texts(model):
    large = AnyWindowModel(levcert.Alphabet("".join(map(chr, range(0x4E00, 0x4E00 + 4000)))), "abcde", 2)
    assert longest_text(large, LIMITS) == 209
    service = Service(model, Limits())
    service.longest_text = 3
    with pytest.raises(levcert.InputError, match="Text 2 has 4 characters; this server accepts at most 3 for"):
        service.is_light(schemas.PredictRequest(texts=["ab", "abba"]))


class Parity(WindowModel):
    """A window sum that is not a convolution and has no bounds: symbols with odd ids against the others."""

    alphabet, labels, width = levcert.Alphabet("abcd"), ("even", "odd"), 1

    def window_scores(self, windows):
        known = windows[:, 0] > 0
        return np.stack([known & (windows[:, 0] % 2 == rest) for rest in (0, 1)], axis=1).astype(np.float64)

    def rounding(self, windows):
        return 0.0


def test_methods_that_do_not_know_the_model_are_not_offered():
    service = Service(Parity(), Limits())
    assert service.certifiers == ["auto", "exact", "smoothing"]
    with pytest.raises(levcert.InputError, match="lipslev does not support this model; use auto"):
        service.is_light(schemas.CertifyRequest(texts=["a"], method="lipslev"))


def test_a_byte_model_answers_about_characters():
    service = Service(counting_model(levcert.Alphabet.bytes()), Limits())
    row = service.certify(schemas.CertifyRequest(texts=["hé7ü"], losses=True), DEADLINE).results[0]
    assert row.label == "letters"
    assert len(row.losses) == 4  # not 6, the number of bytes
    assert row.losses[0] == 1 + WEIGHT
    cut = service._shown("é".encode(), "é".encode()[:1], 1)
    assert cut.text is None
    assert cut.difference[0].text == "\\xc3"


def test_answers_are_remembered_unless_their_time_was_short(model):
    service = Service(model, Limits())
    request = schemas.CertifyRequest(texts=["hello world"])
    first = service.certify(request, DEADLINE).results[0]
    assert service.certify(request, DEADLINE).results[0] is first
    hasty = Service(model, Limits())
    hasty._remembered("hello world", request, budget=1e-9)
    assert not hasty._known


@pytest.mark.parametrize("make", [counting_model, lambda: random_votes(0)], ids=["conv", "votes"])
def test_nothing_is_compiled_or_loaded_after_the_start(make):
    def compiled():
        modules = [import_module(f"levcert.kernels.{found.name}") for found in iter_modules(kernels.__path__)]
        known = [value for module in modules for value in vars(module).values()]
        return {str(kernel): len(kernel.signatures) for kernel in known if hasattr(kernel, "signatures")}

    service = Service(make(), Limits())
    before = compiled()
    assert sum(before.values()) > 5
    symbols = service.model.alphabet.symbols
    texts = [symbols[0], symbols[:3] * 4, symbols[-1] * 300, (symbols[:2] + " " + symbols[1:3]) * 20]
    for method in service.certifiers:
        service.certify(schemas.CertifyRequest(texts=texts, method=method, losses=True), DEADLINE)
    service.attack(schemas.AttackRequest(texts=texts[:2], max_distance=4), DEADLINE)
    assert compiled() == before


@pytest.mark.parametrize("path", ["/", "/docs", "/model", "/openapi.json", "/static/page.js", "/nowhere"])
def test_every_answer_has_the_safe_headers(client, path):
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_unknown_paths_and_methods(client):
    assert client.get("/nowhere").json() == {"error": "There is nothing at this address; see /docs."}
    response = client.get("/certify")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/predict", "/certify", "/attack", "/model"])
def test_the_interface_is_as_described(app, path):
    """Ask for what the description allows and for what it forbids; every answer must be one that it promises."""
    description = schemathesis.openapi.from_asgi("/openapi.json", app)
    operation = description[path]["GET" if path == "/model" else "POST"]

    @settings(max_examples=15, database=None)
    @given(operation.as_strategy() | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
    def check(case):
        case.call_and_validate()

    check()


def test_one_sided_answers_are_those_of_the_library(client, model):
    row, already = ask(client, "/certify", texts=["hello", "123"], target="digits", losses=True)
    expected = levcert.certify(model, ["hello"], target="digits")[0]
    assert (row["target"], row["radius"], row["margin"]) == ("digits", expected.radius, expected.margin)
    assert row["losses"] == levcert.character_losses(model, "hello", target="digits").tolist()
    assert row["counterexample"]["label"] == "digits"
    assert (already["claim"], already["losses"]) == ("is the target", [0, 0, 0])
    found = ask(client, "/attack", texts=["ab"], target="digits", max_distance=3)[0]
    assert found["counterexample"]["label"] == "digits"
    for path in ("/certify", "/attack"):
        refused = client.post(path, json={"texts": ["a"], "target": "<ham>"})
        assert refused.status_code == 422
        assert refused.json()["error"] == "The target is not a label of this model; GET /model lists them."


def test_samples_of_the_model_come_first():
    from levcert.web import create_app

    stored = [{"label": "letters", "text": "my own"}, {"label": 1, "text": "not a label"}, "nothing"]
    model = counting_model(data={"name": "toy", "samples": stored})
    with TestClient(create_app(model, allowed_hosts=["testserver"])) as client:
        assert client.get("/model").json()["samples"] == [{"title": "letters", "text": "my own"}]
