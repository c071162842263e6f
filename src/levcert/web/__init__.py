"""A small web service: one model, a JSON API, and a page to try it."""

from levcert.web.app import create_app
from levcert.web.server import serve

__all__ = ["create_app", "serve"]
