"""Variants of a prompt, drafted by paraphrase: a judge words the instruction anew, all the rest of a prompt stays."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from quorate import rules
from quorate.arguments import argument
from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Expects
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import run as runner
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.study import drafting
from quorate.study.file import Study, load
from quorate.study.goal import EndpointSettings, LocalSettings, PythonSettings
from quorate.study.judges import made, price
from quorate.study.questions import questions
from quorate.study.quote import PER_TOKEN, JudgeQuote, Range
from quorate.study.status import status
from quorate.table.results import Result

Answer = Callable[["Draftable"], bool]
_NOTHING = "quorate: drafting was stopped, and nothing is written\n"

MOST = 20
"""Variants that are drafted at once."""

TEMPERATURE = 0.9
"""Of the call for a draft unless given; paraphrases in Messing (2026) were drawn at it."""

FOLDER = "prompts"
_CANNOT = {
    "person": "is a person, and is not asked for drafts",
    "replay": "replays recorded scores and cannot write",
    "batch": "answers in batches, which take hours for every draft",
}
_LIMITS = ("max_tokens", "max_completion_tokens")
_ROOM = 256
_FRAME = 64


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
        study, prompt=prompt, n=n, judge=judge, judges=judges, temperature=temperature, out=out, force=force, yes=yes
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


async def _asked(
    draftable: Draftable, ledger: Ledger, functions: Mapping[str, Any], stop: asyncio.Event
) -> drafting.Drafted:
    name, study = draftable.judge, draftable.study
    settings: Any = study.judges[name]
    if isinstance(settings, EndpointSettings | LocalSettings):  # free of what holds it to the form of a score
        unheld = None if isinstance(settings, EndpointSettings) else False
        settings = settings.model_copy(update={"structured": unheld})
    alone = study.model_copy(update={"judges": {name: settings}})
    judge = made(alone, {key: function for key, function in functions.items() if key == name})[name]
    try:
        return await drafting.Drafting(judge, draftable.bounds, draftable.ask, ledger, draftable.others, stop).drafted()
    finally:
        await judge.close()


# ---- what can be checked before a judge is asked


@dataclass(frozen=True, eq=False)
class Draftable:
    """What will be asked, before it is.

    Parameters
    ----------
    study : Study
        The study.
    bounds : Bounds
        The prompt, and what drafts are held against.
    others : tuple of tuple of str
        Wordings that the study has already.
    judge : str
        Who is asked.
    ask : Ask
        How often, and within which budget.
    files : mapping of str to Path
        File of each variant.
    quote : JudgeQuote
        What it may cost.
    left : Budget
        What is left of the study's budget.
    """

    study: Study
    bounds: drafting.Bounds
    others: tuple[tuple[str, ...], ...]
    judge: str
    ask: drafting.Ask
    files: Mapping[str, Path]
    quote: JudgeQuote
    left: Budget

    @property
    def words(self) -> int:
        """Words of the instruction that are worded anew."""
        return self.bounds.text.words

    @property
    def copies(self) -> dict[Path, str]:
        """Where the original is copied to, if it is a built-in prompt: to be read beside the variants."""
        original = self.bounds.original
        folder = next(iter(self.files.values())).parent
        built_in = self.study.prompts[original.name].file is None
        return {place(folder, original.name): original.source} if built_in else {}


def prepared(
    study: str | os.PathLike[str],
    *,
    prompt: str | None = None,
    n: int = 4,
    judge: str | None = None,
    judges: Mapping[str, Any] | None = None,
    temperature: float = TEMPERATURE,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Draftable:
    """Everything that can be checked before a judge is asked; see `variants`."""
    rules.whole("n", n, 1, MOST)
    rules.number("temperature", temperature, least=0, most=2)
    loaded = load(study)
    name = _named("prompt", prompt, loaded.prompts)
    writer = _writer(loaded, judge, judges or {})
    asked = questions(loaded)
    rows = list(asked.items.fields.values())
    items = dict.fromkeys(text for row in rows for text in drafting.texts(row) if text)
    text = drafting.instruction(asked.prompts[name])
    bounds = drafting.Bounds(asked.prompts[name], text, rows[0], tuple(items))
    others = []
    for key, other in asked.prompts.items():
        if key != name:
            with contextlib.suppress(InvalidInput):  # which has no instruction
                others.append(drafting.instruction(other).parts)
    alike = tuple(parts for parts in others if len(parts) == len(text.parts))
    params: dict[str, Any] = getattr(loaded.judges[writer], "params", {})
    named = next((limit for limit in _LIMITS if limit in params), _LIMITS[0])
    given = params.get(named)
    limit = max(given if isinstance(given, int) else 0, _ROOM + sum(map(len, text.parts)))
    worst, budget = price(loaded, writer).cost(_longest(text), limit), loaded.cap
    ask = drafting.Ask(n, loaded.tries, {"temperature": temperature, named: limit}, worst, budget)
    left = _room_left(loaded, writer, ask.worst, status(study).spend)
    folder = loaded.folder / FOLDER if out is None else Path(out)
    files = {new: place(folder, new) for new in names(loaded, name, n)}
    draftable = Draftable(loaded, bounds, alike, writer, ask, files, quotation(loaded, writer, text, ask), left)
    free({**dict.fromkeys(files.values()), **draftable.copies}, force=force, study=loaded)
    return draftable


def _named(what: str, given: str | None, known: Mapping[str, Any]) -> str:
    listed = ", ".join(known)
    if given is None and len(known) > 1:
        raise InvalidInput(f"{what}: the study has {listed}; name one of them")
    name = next(iter(known)) if given is None else given
    if name not in known:
        raise InvalidInput(f'{what}: the study has no {what} "{name}", it has {listed}; name one, or add it there')
    return name


def _writer(study: Study, judge: str | None, functions: Mapping[str, Any]) -> str:
    """The judge that words the prompt anew."""
    name = _named("judge", judge, study.judges)
    settings = study.judges[name]
    if settings.kind in _CANNOT:
        raise InvalidInput(f'judge "{name}": {_CANNOT[settings.kind]}; name another judge')
    if isinstance(settings, PythonSettings) and name not in functions:
        raise InvalidInput(
            f'judge "{name}": is a function, which a file cannot hold; '
            f'call quorate.variants(path, judges={{"{name}": function}}), or name another judge'
        )
    return name


def _room_left(study: Study, judge: str, worst: float | None, spend: Spend) -> Budget:
    """What is left of the budget, which has room for a call at least."""
    budget = study.budget
    if budget.money is not None and worst is None:
        raise InvalidInput(f"judges.{judge}: price is missing, so that money cannot be capped; give it")
    left = Budget(
        None if budget.calls is None else max(budget.calls - spend.calls - spend.reserved, 0),
        None if budget.money is None else max(budget.money - spend.money - spend.reserved_money, 0.0),
    )
    if left.calls == 0 or (left.money is not None and (worst or 0.0) > left.money):
        raise InvalidInput("budget: has no room for another call; raise it in the study file")
    return left


def _longest(text: drafting.Instruction) -> int:
    """Bytes of the longest question, each at most a token."""
    return (
        sum(len(turn.content.encode()) for turn in drafting.messages(text.parts, "x" * drafting.MOST_REASON)) + _FRAME
    )


def quotation(study: Study, judge: str, text: drafting.Instruction, ask: drafting.Ask) -> JudgeQuote:
    """What the drafts may cost: low, expected and high."""
    calls = ask.number * ask.tries
    sent = sum(len(turn.content) for turn in drafting.messages(text.parts)) / PER_TOKEN
    reply = sum(map(len, text.parts)) / PER_TOKEN
    limit = max(ask.params[name] for name in _LIMITS if name in ask.params)
    each = price(study, judge).cost(math.ceil(sent), math.ceil(reply))
    likely = None if each is None else ask.number * each
    return JudgeQuote(
        judge,
        ask.number,
        Range(ask.number, ask.number, calls),
        Range(ask.number * (sent + reply) / 2, ask.number * (sent + reply), calls * (_longest(text) + limit)),
        Range(likely, likely, None if ask.worst is None else calls * ask.worst),
        ask.worst,
    )


# ---- files: the templates, the lines that name them in a study file, and writing them whole.


_EXPECTED = {"integer": True, "labels": {}, "reasoned": False, "name": "score", "expected": False}


def names(study: Study, prompt: str, number: int) -> tuple[str, ...]:
    """Names of new variants of a prompt, the first ones that the study has not."""
    free: Iterator[str] = (name for at in range(1, 10_000) if (name := f"{prompt}-{at}") not in study.prompts)
    return tuple(next(free) for _ in range(number))


def place(folder: Path, name: str) -> Path:
    """File of a variant."""
    stem = re.sub(r"[^\w.-]+", "-", name).strip(".")
    return folder / f"{stem or 'prompt'}.j2"


def with_origin(source: str, origin: Iterable[str]) -> str:
    """A template with a first line that says where it is from, which is not sent to judges."""
    line = re.sub(r"[{}#%]", " ", "; ".join(" ".join(part.split()) for part in origin))
    return f"{{# {line} #}}\n{source}"


def prompt_lines(study: Study, prompt: str, expects: Expects, files: Mapping[str, Path]) -> str:
    """The part ``prompts`` of a study file, with new variants of a prompt after it."""
    answer: dict[str, Any] = {"scale": [expects.low, expects.high]}
    for name, usual in _EXPECTED.items():
        if (value := getattr(expects, name)) != usual:
            answer[name] = dict(value) if isinstance(value, Mapping) else value
    lines = ["prompts:"]
    for name, known in study.prompts.items():
        given = known.model_dump(exclude_unset=True)
        lines.append(_line(name, given["built_in"] if given.keys() == {"built_in"} else given))
        if name == prompt:
            paths = {new: Path(os.path.relpath(path, study.folder)).as_posix() for new, path in files.items()}
            lines += [_line(new, {"file": path, **answer}) for new, path in paths.items()]
    return "\n".join(lines)


def free(contents: Mapping[Path, str | None], *, force: bool, study: Study | None = None) -> None:
    """Check that files can be written, before anything is paid for.

    Parameters
    ----------
    contents : mapping of Path to str
        What each file is to hold, where that is known: one that holds it already may be there.
    force : bool
        Whether others may be there, too.
    study : Study, optional
        Whose own prompts are never written over.

    Raises
    ------
    InvalidInput
        If one is there already, or its place is no folder.
    """
    read = (
        set() if study is None else {(study.folder / one.file).resolve() for one in study.prompts.values() if one.file}
    )
    for path, text in contents.items():
        if path.resolve() in read and path.read_bytes() != (text or "\0").encode():
            raise InvalidInput(f"out: {path} is a prompt that the study reads; choose another folder")
        if path.is_dir() or any(parent.exists() and not parent.is_dir() for parent in path.parents):
            raise InvalidInput(f"out: {path} cannot be written, since a file or folder is in its place; name another")
        if not force and path.exists() and path.read_bytes() != (text or "\0").encode():
            rule = f"out: {path} is there already; choose another folder, or overwrite it with "
            raise InvalidInput(rule + argument("force", True))


def write(contents: Mapping[Path, str], *, force: bool) -> None:
    """Write all files, or none: each is whole before the first has its name.

    Raises
    ------
    InvalidInput
        If one is there already with other content, unless ``force``, or cannot be written.
    """
    free(contents, force=force)
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in contents}
    try:
        for path, text in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[path].write_text(text, encoding="utf-8")
        for path, draft in drafts.items():
            draft.replace(path)
    except OSError as error:
        raise InvalidInput(f"out: {error.filename} cannot be written ({error.strerror}); name another folder") from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _line(name: str, value: Any) -> str:
    """One entry on one line."""
    text: str = yaml.safe_dump(
        {name: _tidy(value)}, default_flow_style=True, width=float("inf"), allow_unicode=True, sort_keys=False
    )
    return f"  {text.strip()[1:-1]}"


def _tidy(value: Any) -> Any:
    """The value with whole numbers written as such."""
    if isinstance(value, Mapping):
        return {key: _tidy(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_tidy(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
