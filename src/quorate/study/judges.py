"""Judges of a study: made from its settings, and what of those settings their answers depend on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quorate.collect.judge import Judge
from quorate.collect.judges.apis.openai import OPENAI
from quorate.collect.judges.batch import BatchJudge
from quorate.collect.judges.endpoint import Endpoint, EndpointJudge, without_keys
from quorate.collect.judges.local import LocalJudge
from quorate.collect.judges.python import PythonJudge
from quorate.collect.judges.replay import ReplayJudge
from quorate.collect.ledger.plan import digest
from quorate.collect.price import Price
from quorate.collect.runner.limits import Pace
from quorate.errors import InvalidInput
from quorate.roles import REPLICATE
from quorate.study.file import Study
from quorate.study.items import SYSTEM_A, SYSTEM_B
from quorate.study.kinds import (
    BatchSettings,
    EndpointSettings,
    LocalSettings,
    PersonSettings,
    PythonSettings,
    RemoteSettings,
    ReplaySettings,
)
from quorate.table.files import opened, sha256
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores

Given = Mapping[str, Any]
_FREE = Price(call=0.0)
_DRAWN_AS_LATIN = str.maketrans(
    "авекмнорстухіјѕһԁԛԝαβεηικμνορτυχγⅼɡ",
    "abekmhopctyxijshdqwabenikuvoptuxylg",
)
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d_\s-]+")
_FIRST = 64
_OF_BATCHES = {"size", "linger", "poll", "window", "line_url"}
_WAYS = {
    "price",
    "concurrency",
    "rate",
    "timeout",
    "key_env",
    "key_header",
    "threads",
    "idempotency",
    "minutes",
    *_OF_BATCHES,
}
"""Settings that say how a judge is reached, and not what it answers."""


def people(study: Study) -> dict[str, PersonSettings]:
    """The judges of a study that are people, by name."""
    return {name: judge for name, judge in study.judges.items() if isinstance(judge, PersonSettings)}


def made(study: Study, given: Given | None = None) -> dict[str, Judge]:
    """The judges of a study by name; people are asked by ``quorate serve`` and are not among them.

    Parameters
    ----------
    study : Study
        From `quorate.study.file.load`.
    given : mapping of str to callable, optional
        The functions behind its judges of kind ``python``; anything with ``ask`` is taken as a judge.

    Raises
    ------
    InvalidInput
        If a setting breaks its rule, a key is not in the environment, or a function is missing or not wanted.
    """
    functions = dict(given or {})
    for name in functions:
        if not isinstance(study.judges.get(name), PythonSettings):
            raise InvalidInput(f'judges: the study has no judge "{name}" of kind python; add it, or leave it out')
    return {name: _judge(study, name, functions) for name in study.judges if name not in people(study)}


def check(study: Study) -> None:
    """Check the settings of endpoints without their keys, and that no settings hold any."""
    weighed = [prompt for prompt, wording in study.prompts.items() if wording.expected]
    for name, settings in study.judges.items():
        if isinstance(settings, RemoteSettings):
            form = endpoint(name, settings).form
            if weighed and not form.probabilities:
                raise InvalidInput(
                    f'judge "{name}": {form.name} gives no token probabilities, which prompts.{weighed[0]}.expected '
                    "needs; leave expected out, or take another judge"
                )
        else:
            without_keys(name, getattr(settings, "params", {}))


def digests(study: Study) -> dict[str, str]:
    """Hash of every judge's name and of the settings that its answers depend on."""
    hashes = {}
    for name, settings in study.judges.items():
        content: dict[str, Any] = settings.model_dump(exclude=_WAYS)
        if content.get("api") == OPENAI.name:  # as ledgers were planned with before there were others
            del content["api"]
        if isinstance(settings, ReplaySettings):
            table = study.folder / settings.table
            try:
                table.stat()  # said of the study's own line, not of a source
                content["table"] = sha256(table)
            except OSError as error:
                reason = f"{table} cannot be read ({error.strerror})"
                raise InvalidInput(
                    f"{study.path}: judges.{name}.table: {reason}; it is relative to the study"
                ) from None
        if isinstance(settings, PersonSettings):  # what is said to people alone
            said = {prompt: wording.instructions for prompt, wording in study.prompts.items() if wording.instructions}
            content |= {"instructions": said} if said else {}
        hashes[name] = digest([name, content])
    return hashes


def price(study: Study, name: str) -> Price:
    """What a judge's calls cost; a model in this process and a recorded table are free unless the study says so."""
    settings = study.judges[name]
    if isinstance(settings, PersonSettings):
        return Price(call=settings.price)
    if settings.price is not None:
        return Price(**settings.price.model_dump())
    return _FREE if isinstance(settings, (LocalSettings, ReplaySettings)) else Price()


def pace(study: Study, name: str) -> Pace:
    """How hard a judge is asked: carefully at first, but for batches, which are to be full."""
    settings = study.judges[name]
    if isinstance(settings, PersonSettings):
        return Pace()
    first = settings.concurrency if isinstance(settings, BatchSettings) else min(settings.concurrency, _FIRST)
    return Pace(settings.concurrency, settings.rate, first)


def tag(judges: Mapping[str, Judge], ledger: str) -> None:
    """Tell judges behind batches the name of the ledger, by which a later run finds the batches of this one."""
    for name, judge in judges.items():
        if isinstance(judge, BatchJudge):
            judge.tagged(digest([ledger, name]))


def endpoint(name: str, settings: RemoteSettings) -> Endpoint:
    """Settings of an endpoint in the words of the collector."""
    same = settings.model_dump(exclude={"kind", "base_url", "price", "concurrency", "rate", *_OF_BATCHES})
    cost = Price(**settings.price.model_dump()) if settings.price else Price()
    return Endpoint(name=name, url=settings.base_url, price=cost, **same)


def _judge(study: Study, name: str, functions: Given) -> Judge:
    settings = study.judges[name]
    if isinstance(settings, EndpointSettings):
        return EndpointJudge(endpoint(name, settings))
    if isinstance(settings, BatchSettings):
        return BatchJudge(endpoint(name, settings), **settings.model_dump(include=_OF_BATCHES))
    if isinstance(settings, LocalSettings):
        path = None if settings.path is None else study.folder / settings.path
        logprobs = any(wording.expected for wording in study.prompts.values())
        options = settings.model_dump(include={"context", "threads", "params", "structured"})
        return LocalJudge(name, path, price=price(study, name), logprobs=logprobs, **options)
    if isinstance(settings, ReplaySettings):
        return replayed(study, name, settings)
    return of_function(name, functions.get(name), price(study, name))


def of_function(name: str, function: Any, price: Price | None) -> Judge:
    """The judge that a function of the caller's is, or a judge of the caller's own.

    Raises
    ------
    InvalidInput
        If there is none, or its name is another.
    """
    if function is None:
        raise InvalidInput(
            f'judge "{name}": is a function, which a file cannot hold; '
            f'call quorate.run(path, judges={{"{name}": function}})'
        )
    if not hasattr(function, "ask"):
        return PythonJudge(name, function, price=price)
    if function.name != name:
        raise InvalidInput(f'judges: "{name}" is given a judge whose name is "{function.name}"; use one name')
    judge: Judge = function
    return judge


def replayed(study: Study, name: str, settings: ReplaySettings) -> ReplayJudge:
    """The judge that gives recorded answers again."""
    path = study.folder / settings.table
    table = recorded(path) if study.items.system_a else read_scores(path, recognise=True, announce=False)
    return ReplayJudge(name, table, price=price(study, name))


def recorded(path: Path) -> Judgments:
    """A table of recorded verdicts on pairs, as scores: what tells two of them apart are its facets."""
    with opened(path) as file:
        known = file.facets or tuple(name for name in (SYSTEM_A, SYSTEM_B, "order") if name in file.columns)
        whole = bool(file.facets)
    facets = {name: name for name in known} | ({REPLICATE: REPLICATE} if whole else {})
    return read_scores(path, facets=facets, recognise=not whole, announce=False)


def alike(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that look alike, such as with a Cyrillic letter or another dash, each with the first one like it.

    Examples
    --------
    >>> alike(["gpt-4", "gpt-4o", "GPT 4"])
    (('gpt-4', 'GPT 4'),)
    """
    first: dict[str, str] = {}
    pairs = []
    for name in names:  # without case and accents' forms, with one kind of dash, and nothing that has no width
        folded = unicodedata.normalize("NFKC", name).casefold().translate(_DRAWN_AS_LATIN)
        seen = "".join(letter for letter in folded if unicodedata.category(letter) not in ("Cf", "Mn"))
        look = _DASHES.sub("-", seen).replace("0", "o").replace("1", "l")
        if first.setdefault(look, name) != name:
            pairs.append((first[look], name))
    return tuple(pairs)
