"""Replicates: the same whatever the chunks and the workers, kept, and read again only if they are whole."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import NotConverged, NotEstimable
from quorate.reproduction import reproduce as registry
from quorate.reproduction import reproduce as samples
from quorate.reproduction.reproduce import Chunk, chunks, collected, drawn
from quorate.reproduction.study import MonteCarlo, Results


def replicate(law, rng):
    """Two normal numbers about the law; one in seven fails."""
    if rng.random() < 1 / 7:
        raise NotConverged("no optimum")
    return law + rng.normal(size=2)


STUDY = MonteCarlo("mc.toy", "Normal numbers", {"zero": 0.0, "ten": 10.0}, replicate, lambda _: Results({}), chunk=10)


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setattr(registry, "STUDIES", (STUDY,))
    clear = samples._source.cache_clear
    clear()
    yield
    clear()


def test_chunks_cover_the_replicates_once():
    asked = chunks(STUDY, 25, seed=1)
    assert [(one.law, one.first, one.count) for one in asked] == [
        (law, first, count) for law in ("zero", "ten") for first, count in ((0, 10), (10, 10), (20, 5))
    ]


def test_a_replicate_has_its_own_random_numbers():
    """The numbers depend on the seed, the study, the law and the place alone, not on the chunk."""
    whole = Chunk("mc.toy", "ten", 0, 12, 1).draw()
    parts = [Chunk("mc.toy", "ten", first, 4, 1).draw() for first in (0, 4, 8)]
    assert np.array_equal(whole, np.concatenate(parts), equal_nan=True)
    assert not np.array_equal(whole, Chunk("mc.toy", "ten", 0, 12, 2).draw(), equal_nan=True)
    assert 0 < np.isnan(whole).all(axis=1).sum() < 12
    assert np.nanmean(whole) == pytest.approx(10, abs=1)


def test_a_killed_run_goes_on(tmp_path, monkeypatch):
    asked = chunks(STUDY, 25, seed=1)
    first = dict(drawn(asked[:4], folder=tmp_path))
    assert len(list(tmp_path.glob("*.npy"))) == 4
    asked[0].file(tmp_path).write_bytes(b"torn")
    np.save(asked[1].file(tmp_path), np.zeros((3, 2)))
    done = []
    monkeypatch.setattr(Chunk, "draw", lambda self, draw=Chunk.draw: done.append(self) or draw(self))
    parts = dict(drawn(asked, folder=tmp_path))
    assert set(done) == {asked[0], asked[1], asked[4], asked[5]}
    for chunk, numbers in first.items():
        assert np.array_equal(parts[chunk], numbers, equal_nan=True)
    assert {law: numbers.shape for law, numbers in collected(STUDY, parts).items()} == {"zero": (25, 2), "ten": (25, 2)}


def test_what_another_version_of_the_study_kept_is_not_taken(tmp_path, monkeypatch):
    [chunk, *_] = chunks(STUDY, 10, seed=1)
    before = chunk.file(tmp_path)
    monkeypatch.setattr(samples, "_source", lambda _: "other")
    assert chunk.file(tmp_path) != before


def test_no_replicate_at_all_is_said():
    asked = chunks(STUDY, 10, seed=1)
    with pytest.raises(NotEstimable, match="no replicate of zero could be estimated"):
        collected(STUDY, {chunk: np.full((10, 1), np.nan) for chunk in asked})
