"""A study of which one judge is done and the other has begun."""

import pytest
from under_way import scored

import quorate as q


@pytest.fixture(scope="session")
def half(tmp_path_factory):
    """60 of 96 cells: one judge is done, the other has begun."""
    return scored(tmp_path_factory.mktemp("half"), calls=60)


@pytest.fixture(scope="session")
def found(half):
    """What that says so far."""
    return q.interim(half)
