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
from levcert.web.access_log import NOTES, AccessLog
from levcert.web.answering import Answering, ClientGoneError
from levcert.web.bearer_token import BearerToken
from levcert.web.deadline import LateError
from levcert.web.host_check import HostCheck
from levcert.web.lanes import BusyError, Lanes
from levcert.web.limits import Limits
from levcert.web.middleware import HeadAsGet, SafeHeaders, SizeLimit
from levcert.web.sample_texts import SAMPLES
from levcert.web.service import Service

STATIC: Final = Path(__file__).parent / "static"
_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": schemas.Error, "description": "The body is not JSON."},
    401: {"model": schemas.Error, "description": "The server needs a token."},
    413: {"model": schemas.Error, "description": "The request is too large."},
    421: {"model": schemas.Error, "description": "The server does not answer for that host."},
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
    allowed_hosts: Sequence[str] = (),
    token: str | None = None,
    log: Callable[[str], None] | None = None,
) -> FastAPI:
    """Return the application for one model, with all kernels compiled.

    ``samples`` are titles and texts for the page's gallery; by default, those for the dataset the model was trained on.
    It answers for ``localhost``, for numeric addresses and for ``allowed_hosts``; ``log`` gets a line for each request.
    """
    limits = limits or Limits()
    service = Service(model, limits)
    lanes = Lanes(limits)
    answering = Answering(service, lanes)
    about = _about(service, name, samples)

    app = FastAPI(
        title="levcert",
        version=__version__,
        description="Labels with a proof that no k typos change them.",
        docs_url=None,  # FastAPI's own page loads its script from another server
        redoc_url=None,
    )
    described = app.openapi
    app.openapi = lambda: schemas.with_limits(  # type: ignore[method-assign]
        described(), limits, service.longest_text, model.labels
    )
    # The last one is asked first.
    app.add_middleware(SizeLimit, largest=limits.largest_body)
    if token is not None:
        app.add_middleware(BearerToken, token=token)
    app.add_middleware(HostCheck, allowed=allowed_hosts)
    app.add_middleware(HeadAsGet)
    app.add_middleware(SafeHeaders)
    if log is not None:
        app.add_middleware(AccessLog, write=log)
    _answer_errors(app, limits)

    @app.post("/predict", responses=_ERRORS, summary="Labels and scores")
    async def predict(http: Request, request: schemas.PredictRequest) -> schemas.Predictions:
        return await answering.answer(http, request, service.predict)

    @app.post(
        "/certify",
        responses=_ERRORS,
        summary="The certified radius of each text: how many edits cannot change its label",
    )
    async def certify(http: Request, request: schemas.CertifyRequest) -> schemas.Certificates:
        return await answering.answer(http, request, service.certify)

    @app.post("/attack", responses=_ERRORS, summary="Edits that change the label of each text, if the attack finds any")
    async def attack(http: Request, request: schemas.AttackRequest) -> schemas.Attacks:
        return await answering.answer(http, request, service.attack)

    @app.get("/model", summary="The model, its methods and its limits")
    async def model_() -> schemas.About:
        return about

    @app.get("/healthz", summary="Whether the server lives")
    async def healthz() -> schemas.State:
        return schemas.State(status="ok")

    @app.get("/readyz", responses={503: _ERRORS[503]}, summary="Whether the server takes requests")
    async def readyz() -> schemas.State:
        if lanes.are_full():
            raise BusyError
        return schemas.State(status="ready")

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
        samples = model.training.samples or SAMPLES.get(str(model.training.data.get("name")), ())
    return schemas.About(
        name=name,
        description=repr(model),
        labels=list(model.labels),
        certifiers=service.certifiers,
        attacks=list(get_args(schemas.Attacker)),
        longest_text=service.longest_text,
        largest_batch=service.limits.texts,
        farthest_edit=service.limits.distance,
        samples=[schemas.Sample(title=title, text=text) for title, text in samples],
    )


def _answer_errors(app: FastAPI, limits: Limits) -> None:
    """Give every error the same form; never echo what was sent."""

    def on(kind: type[Exception], answer: Callable[[Any], tuple[int, str, dict[str, str]]]) -> None:
        async def handler(request: Request, error: Exception) -> JSONResponse:
            status, sentence, headers = answer(error)
            if isinstance(error, LateError):
                request.scope.get(NOTES, {})["verdict"] = "late"
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
    on(ClientGoneError, lambda _: (499, "The client has gone.", {}))
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
