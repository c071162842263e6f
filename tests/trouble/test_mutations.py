"""Bugs that are put back are found: the searches can fail."""

import pytest

from tests.trouble.mutations import MUTATIONS, caught, false_sentences
from tests.trouble.searches import SEARCHES


@pytest.fixture(scope="module")
def without():
    return {search: false_sentences(search) for search in SEARCHES}


@pytest.mark.long
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_bug_that_is_put_back_is_found(name, without):
    assert caught(name, without) is not None
