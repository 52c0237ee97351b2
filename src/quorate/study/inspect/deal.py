"""Deal: which judges, with which prompts, are asked about a sample, without knowing the other samples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.errors import InvalidInput
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import Scheme
from quorate.roles import JUDGE, PROMPT
from quorate.table.cells import labels, whole

_MOST_REPLICATES = 1_000


@dataclass(frozen=True)
class Deal:
    """The turns of a layout, of which a hash gives one to each attempt at a sample.

    A scorer sees one sample at a time, so turns cannot be counted off: each comes with the same chance, independent of
    what is in the sample, and the numbers of samples of the turns differ by chance, as in a multinomial draw. A
    sample that is scored again gets the same turn, in whatever order samples are done.

    Parameters
    ----------
    judges, prompts : sequence of str
        Who may be asked, and with which prompts.
    layout : str
        As for `quorate.assign`; with one prompt "latin" is "cyclic".
    per_item : int, optional
        Judges per attempt for "blocks", pairs per attempt for "latin".
    replicates : int
        How often each is asked.
    seed : int
        Another seed gives other turns.

    Raises
    ------
    InvalidInput
        If names repeat, or the layout does not fit.

    Examples
    --------
    >>> Deal(["x", "y"], ["score"], layout="cyclic").calls("q1", epoch=1)
    (('x', 'score', 1),)
    """

    judges: Sequence[str]
    prompts: Sequence[str]
    layout: LayoutName = "cyclic"
    per_item: int | None = None
    replicates: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("judges", "prompts"):
            object.__setattr__(self, name, labels(getattr(self, name), name))
            if not getattr(self, name):
                raise InvalidInput(f"{name}: at least one is needed, got none")
        whole(self.replicates, "replicates", 1, _MOST_REPLICATES)
        if self.layout == "weighted":
            raise InvalidInput('layout: "weighted" needs items that are counted; name another, or plan with assign')
        _ = self.turns

    @cached_property
    def turns(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """The (judge, prompt) pairs of each turn."""
        layout = "cyclic" if self.layout == "latin" and len(self.prompts) == 1 and not self.per_item else self.layout
        scheme = Scheme(layout, self.per_item)
        every = {JUDGE: np.arange(len(self.judges))[None, :], PROMPT: np.arange(len(self.prompts))[None, :]}
        assigned = LAYOUTS[layout].assigned
        order = scheme.order({name: codes.size for name, codes in every.items()}) if assigned else {}
        count = max((len(codes) for codes in order.values()), default=1)
        turns = []
        for turn in range(count):
            judge, prompt = (order[name][turn] if name in order else every[name][0] for name in (JUDGE, PROMPT))
            both = len(order) > 1
            pairs = zip(judge, prompt, strict=True) if both else ((j, p) for j in judge for p in prompt)
            turns.append(tuple((self.judges[j], self.prompts[p]) for j, p in pairs))
        return tuple(turns)

    def calls(self, sample: object, epoch: int) -> tuple[tuple[str, str, int], ...]:
        """Judge, prompt and replicate of every call about one attempt.

        Its turn is SHA-256 of the JSON list of seed, id as text and epoch, modulo the number of turns.

        Parameters
        ----------
        sample : str or int
            Id of the sample.
        epoch : int
            Which attempt it is.
        """
        digest = hashlib.sha256(json.dumps([self.seed, str(sample), epoch]).encode()).digest()
        pairs = self.turns[int.from_bytes(digest) % len(self.turns)]
        return tuple((judge, prompt, number) for judge, prompt in pairs for number in range(1, self.replicates + 1))
