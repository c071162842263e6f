"""The service as an ASGI application: a page, its files, a JSON API and its description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from levcert import __version__
from levcert.certificates.difference import readable
from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.web import schemas
from levcert.web.limits import LARGEST_BATCH, Limits
from levcert.web.middleware import SafeHeaders, SizeLimit
from levcert.web.sample_texts import SAMPLES
from levcert.web.service import Service
from levcert.web.thread_gate import BusyError, Gate, LateError

STATIC: Final = Path(__file__).parent / "static"
_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": schemas.Error, "description": "The body is not JSON."},
    413: {"model": schemas.Error, "description": "The request is too large."},
    422: {"model": schemas.Error, "description": "The request is invalid or exceeds a limit."},
    503: {"model": schemas.Error, "description": "The server is busy, or the request took too long; try again."},
}
_SENTENCES: Final = {
    400: "The body is not UTF-8 encoded JSON; see /docs.",
    404: "There is nothing at this address; see /docs.",
    405: "This address does not support that method; see /docs.",
}


def create_app(
    model: WindowModel,
    name: str = "model",
    *,
    limits: Limits | None = None,
    samples: Sequence[tuple[str, str]] | None = None,
) -> FastAPI:
    """Return the application for one model, with all kernels compiled.

    ``samples`` are titles and texts for the page's gallery; by default, those for the dataset the model was trained on.
    """
    limits = limits or Limits()
    service = Service(model, limits)
    gate = Gate(limits)
    about = _about(service, name, samples)

    app = FastAPI(
        title="levcert",
        version=__version__,
        description=f"Labels with a proof that no k typos change them, by {name}.",
        docs_url=None,  # FastAPI's own page loads its script from another server
        redoc_url=None,
    )
    app.add_middleware(SizeLimit)
    app.add_middleware(SafeHeaders)
    _answer_errors(app, limits)

    @app.post("/predict", responses=_ERRORS, summary="Labels and scores")
    async def predict(request: schemas.PredictRequest) -> schemas.Predictions:
        return await gate.run(lambda deadline: service.predict(request, deadline))

    @app.post(
        "/certify",
        responses=_ERRORS,
        summary="The certified radius of each text: how many edits cannot change its label",
    )
    async def certify(request: schemas.CertifyRequest) -> schemas.Certificates:
        return await gate.run(lambda deadline: service.certify(request, deadline))

    @app.post("/attack", responses=_ERRORS, summary="Edits that change the label of each text, if the attack finds any")
    async def attack(request: schemas.AttackRequest) -> schemas.Attacks:
        return await gate.run(lambda deadline: service.attack(request, deadline))

    @app.get("/model", summary="The model, its methods and its limits")
    async def model_() -> schemas.About:
        return about

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "page.html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html")

    app.mount("/static", StaticFiles(directory=STATIC))
    return app


def _about(service: Service, name: str, samples: Sequence[tuple[str, str]] | None) -> schemas.About:
    model = service.model
    if samples is None:
        samples = SAMPLES.get(str(model.training.data.get("name")), ())
    return schemas.About(
        name=name,
        description=repr(model),
        labels=list(model.labels),
        certifiers=service.certifiers,
        attacks=list(get_args(schemas.Attacker)),
        longest_text=service.longest_text,
        largest_batch=LARGEST_BATCH,
        samples=[schemas.Sample(title=title, text=text) for title, text in samples],
    )


def _answer_errors(app: FastAPI, limits: Limits) -> None:
    """Give every error the same form; never echo what was sent."""

    def on(kind: type[Exception], answer: Callable[[Any], tuple[int, str, dict[str, str]]]) -> None:
        async def handler(_: Request, error: Exception) -> JSONResponse:
            status, sentence, headers = answer(error)
            return JSONResponse({"error": sentence}, status, headers)

        app.add_exception_handler(kind, handler)

    soon = {"Retry-After": "1"}
    late = (
        f"The request took longer than {limits.seconds:g} s; send fewer or shorter texts, or use the method lipschitz."
    )
    on(InputError, lambda error: (422, str(error), {}))
    on(RequestValidationError, lambda error: (422, _sentence(error), {}))
    on(BusyError, lambda _: (503, "Too many requests are waiting; try again in a second.", soon))
    on(LateError, lambda _: (503, late, soon))
    on(
        HTTPException,
        lambda error: (
            error.status_code,
            _SENTENCES.get(error.status_code, str(error.detail)),
            dict(error.headers or {}),
        ),
    )


def _sentence(error: RequestValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    return f"{readable(place[:60])}: {first['msg']}; see /docs."  # a field's name may be anything
