"""Every public name has an example in its docstring, and the example is true."""

import doctest
import inspect
from pathlib import Path

import pytest

import levcert


@pytest.fixture(scope="module")
def toy_votes(tmp_path_factory) -> Path:
    """The small model that examples load."""
    path = tmp_path_factory.mktemp("examples") / "toy.safetensors"
    data = levcert.load_dataset("toy")
    levcert.train(data, orders=(2, 3), table_bits=12, epochs=2, show_progress=False).save(path)
    return path


@pytest.mark.parametrize("name", levcert.__all__)
def test_the_example_of_a_public_name_is_true(name, toy_votes, tmp_path, monkeypatch):
    (tmp_path / "toy.safetensors").write_bytes(toy_votes.read_bytes())
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(getattr(levcert, name)) or ""
    assert ">>> " in text, f"{name} has no example"
    example = doctest.DocTestParser().get_doctest(text, {"levcert": levcert}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not said, "".join(said)
