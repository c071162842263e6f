"""A small service: one model, a JSON interface, and a page to try it on."""

from levcert.web.app import create_app
from levcert.web.server import serve

__all__ = ["create_app", "serve"]
