"""Files of prompt variants: the templates, the lines that name them in a study file, and writing them whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from quorate.arguments import argument
from quorate.collect.expects import Expects
from quorate.errors import InvalidInput
from quorate.study.file import Study

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
