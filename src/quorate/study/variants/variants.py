"""Variants of a prompt, drafted by paraphrase: a judge words the instruction anew, all the rest of a prompt stays."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quorate.collect.budget import Spend
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import run as runner
from quorate.errors import InvalidInput
from quorate.study.goal import EndpointSettings, LocalSettings
from quorate.study.judges import made
from quorate.study.variants.plan import (
    TEMPERATURE,
    Draftable,
    Drafted,
    Drafting,
    prepared,
    prompt_lines,
    with_origin,
    write,
)
from quorate.table.results import Result

Answer = Callable[[Draftable], bool]
_NOTHING = "quorate: drafting was stopped, and nothing is written\n"


@dataclass(frozen=True)
class Variants(Result):
    """Variants of a prompt that were drafted and written to files.

    Parameters
    ----------
    prompt : str
        The prompt's name in the study.
    judge : str
        Who worded it anew.
    files : mapping of str to Path
        File of each new variant, by its name.
    original : Path, optional
        Copy of the original, where it is a built-in prompt.
    settings : str
        The part ``prompts`` for the study file, with the variants and all prompts that it had.
    spend : Spend
        What the calls cost.
    shortfall : str
        Why there are fewer than were wanted; empty if there are not.
    """

    prompt: str
    judge: str
    files: Mapping[str, Path]
    original: Path | None
    settings: str
    spend: Spend
    shortfall: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "prompt": self.prompt,
            "judge": self.judge,
            "original": None if self.original is None else str(self.original),
            "files": {name: str(path) for name, path in self.files.items()},
            "settings": self.settings,
            "spend": asdict(self.spend),
            "shortfall": self.shortfall,
        }


def variants(
    study: str | os.PathLike[str],
    *,
    prompt: str | None = None,
    n: int = 4,
    judge: str | None = None,
    judges: Mapping[str, Any] | None = None,
    temperature: float = TEMPERATURE,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    yes: bool | Answer = True,
) -> Variants:
    """Have a judge word a prompt of a study anew, several times, to see how much the words matter.

    The instruction is worded anew, and nothing else: variables, blocks, the marks around items and the form of the
    answer are those of the original, whatever the judge replies. A draft that changes a number, a level of the scale
    or a quoted word, or that hardly differs, is turned down, and another one asked for. Whether it *means* the same
    only a reader can say: read every draft before you use it.

    Paraphrases of one instruction show how much its words matter. Other authors would also frame the question in
    their own way: the variance of paraphrases is rather too small for that than too large.

    Parameters
    ----------
    study : path
        The study file. It is not changed; `Variants.settings` has the lines for it.
    prompt : str, optional
        A prompt of the study; may be left out if there is one.
    n : int
        Drafts, besides the original. Two or more with the original make the least from which a variance of prompts is
        estimated with little bias.
    judge : str, optional
        Who words it anew; may be left out if there is one.
    judges : mapping of str to callable, optional
        The functions behind judges of kind ``python``; they return the words of the reply.
    temperature : float
        Of the call; at 0 most models repeat themselves.
    out : path, optional
        Folder of the files; ``prompts`` beside the study unless given.
    force : bool
        Whether files that are there are overwritten.
    yes : bool or callable
        Whether to go ahead; or a function of what will be asked, with its ``quote``, that says so.

    Returns
    -------
    Variants

    Raises
    ------
    InvalidInput
        If the study breaks a rule, the judge cannot write, a file is there already, the budget has no room, or no
        draft can be used. Nothing is written then.
    KeyboardInterrupt
        If Ctrl-C stopped it before a draft could be used, or a second one ended it at once. Nothing is written then,
        which a line on standard error says. Otherwise the drafts that there are are written.

    Notes
    -----
    Every call counts in the study's ledger, which is made if there is none, so that its budget is for all drafts and
    runs together.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, appendices C (assumption 1) and I.
    """
    drafted = carry_out(
        study,
        prompt=prompt,
        n=n,
        judge=judge,
        judges=judges,
        temperature=temperature,
        out=out,
        force=force,
        yes=yes,
    )
    if drafted is None:
        raise InvalidInput("yes: the quote was declined, so nothing was asked")
    return drafted


def carry_out(
    study: str | os.PathLike[str],
    *,
    judges: Mapping[str, Any] | None = None,
    force: bool = False,
    yes: bool | Answer = True,
    **options: Any,
) -> Variants | None:
    """As `variants`; None if it was declined."""
    draftable = prepared(study, judges=judges, force=force, **options)
    if not (yes(draftable) if callable(yes) else yes):
        return None
    try:
        with Ledger.open(draftable.study.database) as ledger:
            drafted = runner.run(lambda stop: _asked(draftable, ledger, dict(judges or {}), stop))
    except KeyboardInterrupt:  # a second one, by which nothing is kept
        sys.stderr.write(_NOTHING)
        raise
    if drafted.stopped and not drafted.drafts:
        sys.stderr.write(_NOTHING)
        raise KeyboardInterrupt
    if not drafted.drafts:
        raise InvalidInput(
            f'judge "{draftable.judge}": gave no usable draft in {drafted.spend.calls} calls; '
            f"the last one: {drafted.shortfall}"
        )
    prompt, text = draftable.bounds.original, draftable.bounds.text
    files = dict(list(draftable.files.items())[: len(drafted.drafts)])
    new = zip(files.items(), drafted.drafts, strict=True)
    model = getattr(draftable.study.judges[draftable.judge], "model", None)
    origin = (
        f"by {draftable.judge}" + (f" ({model})" if model else ""),
        f"temperature {draftable.ask.params['temperature']:g}",
        f"original sha256 {hashlib.sha256(prompt.source.encode()).hexdigest()}",
    )
    sources = {}
    for (name, path), parts in new:
        first = f'Variant {name} of the prompt "{prompt.name}", drafted by quorate init --variants'
        sources[path] = with_origin(text.worded(parts), (first, *origin))
    write({**draftable.copies, **sources}, force=force)
    lines = prompt_lines(draftable.study, prompt.name, prompt.expects, files)
    copy = next(iter(draftable.copies), None)
    return Variants(prompt.name, draftable.judge, files, copy, lines, drafted.spend, drafted.shortfall)


async def _asked(draftable: Draftable, ledger: Ledger, functions: Mapping[str, Any], stop: asyncio.Event) -> Drafted:
    name, study = draftable.judge, draftable.study
    settings: Any = study.judges[name]
    if isinstance(settings, EndpointSettings | LocalSettings):  # free of what holds it to the form of a score
        unheld = None if isinstance(settings, EndpointSettings) else False
        settings = settings.model_copy(update={"structured": unheld})
    alone = study.model_copy(update={"judges": {name: settings}})
    judge = made(alone, {key: function for key, function in functions.items() if key == name})[name]
    try:
        return await Drafting(judge, draftable.bounds, draftable.ask, ledger, draftable.others, stop).drafted()
    finally:
        await judge.close()
