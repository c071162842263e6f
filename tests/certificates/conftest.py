"""Fixtures of this folder."""

import pytest


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.safetensors"

    def save(model):
        model.save(path)
        return path

    return save
