import numpy as np
import pytest
from examples import any_text
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.streams import stream

SEEDS = st.integers(0, 2**128 - 1)


def draw(seed, name):
    return stream(seed, name).bit_generator.random_raw(4).tolist()


@given(SEEDS, any_text())
def test_the_same_name_gives_the_same_numbers_whatever_was_drawn_before(seed, name):
    first = draw(seed, name)
    stream(seed, name + "'").normal(size=10)
    assert draw(seed, name) == first


@given(SEEDS, st.lists(any_text(), min_size=2, max_size=5, unique=True))
def test_different_names_give_different_numbers(seed, names):
    assert len({tuple(draw(seed, name)) for name in names}) == len(names)


@given(st.lists(SEEDS, min_size=2, max_size=5, unique=True))
def test_different_seeds_give_different_numbers(seeds):
    assert len({tuple(draw(seed, "bootstrap")) for seed in seeds}) == len(seeds)


def test_streams_of_neighbouring_names_are_uncorrelated():
    normals = np.array([stream(1, f"bootstrap/{i}").standard_normal(10_000) for i in range(10)])
    correlations = np.corrcoef(normals)[np.triu_indices(10, k=1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(10_000)


def test_reference_values():
    """A stored seed must give the same study in years to come.

    Made by NumPy 2.4.6; random_raw is covered by its promise that bit generators keep their streams (NEP 19)::

        words = numpy.frombuffer(hashlib.sha256(b"assignment").digest(), dtype="<u4")
        numpy.random.PCG64(numpy.random.SeedSequence(1, spawn_key=tuple(words.tolist()))).random_raw(2)
    """
    assert stream(1, "assignment").bit_generator.random_raw(2).tolist() == [9734525743900296741, 10557395397721383474]


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(InvalidInput, match="seed: must be a whole number of at least 0, got"):
        stream(seed, "assignment")


def test_numpy_integers_are_whole_numbers():
    assert draw(np.int64(7), "a") == draw(7, "a")
