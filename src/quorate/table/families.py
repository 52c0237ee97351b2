"""Families of judges: a facet that judges are nested in, by their makers or as said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np

from quorate.errors import InvalidInput, UnknownTerm
from quorate.roles import FAMILY, JUDGE
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments
from quorate.table.notes import Note
from quorate.wording import counted, listed

_MAKERS = {
    "openai": r"(?:chat)?gpt|o[134]|davinci|text-davinci|whisper-(?:tiny|base|small|medium|large|v\d)",
    "anthropic": r"claude",
    "google": r"gemini|gemma|palm|bison|google|flan-t5|flan-ul2|m?t5-(?:small|base|large|xx?l)|madlad",
    "deepl": r"deepl",
    "meta": r"(?:meta-)?(?:code)?llama|nllb|m2m-?100|m?bart-(?:base|large)|wav2vec-?2|seamless",
    "mistral": r"mistral|mixtral|ministral|magistral|codestral",
    "alibaba": r"qwen|qwq|通义|千问",
    "deepseek": r"deepseek",
    "cohere": r"cohere|command-[ar]|c4ai|aya-",
    "xai": r"grok",
    "microsoft": r"phi-?\d",
    "nvidia": r"nemotron",
    "01-ai": r"yi-\d",
    "zhipu": r"(?:chat)?glm|智谱",
    "moonshot": r"kimi",
    "ai2": r"olmo|tulu",
    "amazon": r"(?:amazon-)?nova-|titan-",
    "tii": r"falcon-?\d",
    "upstage": r"solar-\d",
    "lmsys": r"vicuna",
    "huggingface": r"zephyr-|smollm|starchat",
    "bigcode": r"starcoder|santacoder",
    "databricks": r"dolly|dbrx",
    "mosaicml": r"mpt-\d",
    "eleutherai": r"pythia-|gpt-?(?:j|neox?)",
    "wizardlm": r"wizard(?:lm|coder|math)",
    "bigscience": r"bloomz?",
    "stability": r"stable-?lm",
    "nous": r"(?:nous-)?hermes-",
    "openchat": r"openchat",
    "baidu": r"ernie|文心",
    "bytedance": r"doubao|豆包",
    "tencent": r"hunyuan|混元",
    "iflytek": r"sparkdesk|星火",
    "minimax": r"minimax-",
    "yandex": r"yandexgpt",
    "sber": r"gigachat",
    "naver": r"hyperclova",
    "speakleash": r"bielik",
    "maritaca": r"sabi[aá]-?\d",
    "ibm": r"granite-",
    "ai21": r"jamba|jurassic-?\d",
    "reka": r"reka-(?:core|flash|edge)",
    "aleph-alpha": r"luminous-|pharia-",
    "snowflake": r"(?:snowflake-)?arctic-(?:instruct|base)",
    "internlm": r"intern(?:lm|vl)\d?",
    "baichuan": r"baichuan\d?|百川",
    "lg": r"exaone",
    "kakao": r"kanana|kogpt",
    "inception": r"jais",
    "bsc": r"salamandra-\d",
    "cyfragovpl": r"pllum",
    "utter": r"eurollm",
    "trendyol": r"trendyol-llm",
    "aisingapore": r"sea-?lion",
    "stockmark": r"stockmark-",
    "elyza": r"elyza",
    "rinna": r"rinna-",
    "haotian-liu": r"llava",
}
_KNOWN = re.compile("|".join(f"((?:{names})(?![a-z]))" for names in _MAKERS.values()), re.IGNORECASE)
"""A group for each maker, in their order."""
_SIZED = re.compile(r"(?i)[a-z][-_ ]\d+(?:\.\d+)?b(?![a-z0-9])")
"""Behind a name how many billions of parameters a model has."""
_BETWEEN = re.compile(r"[\s_]+")


def maker(name: str) -> str | None:
    """Who made a model, by its name or by the organisation before it; None where neither says so.

    Examples
    --------
    >>> [maker(name) for name in ("gpt-4o", "meta-llama/Llama-3-70b", "acme/judge-2", "ann")]
    ['openai', 'meta', 'acme', None]
    """
    organisation, slash, model = name.strip().rpartition("/")
    known = _KNOWN.match(_BETWEEN.sub("-", model.strip()))
    if known is not None:
        return [*_MAKERS][(known.lastindex or 1) - 1]
    return organisation.rsplit("/", 1)[-1].strip().casefold() or None if slash else None


_VERSION = re.compile(r"(?i)(?<![a-z0-9])v\d+(\.\d+)?$|\d\.\d")
_WHAT_IT_IS = re.compile(
    r"(?i)[a-z][- ]?(bot|gpt|llm|nmt|former)$|[-_ ](mt|lm|chat|чат|ai|rag|base|mini|xl|pro)$|\w-l$"
)
"""Words for a product, or its size, that names of products end with."""


def is_model(name: str) -> bool:
    """Whether a name is that of a model: of a maker who is known, or with how many parameters it has.

    Examples
    --------
    >>> is_model("gpt-4o"), is_model("mica-9b"), is_model("acme/judge-2"), is_model("/shop/cart")
    (True, True, False, False)
    """
    return maker(name) in _MAKERS or _SIZED.search(name) is not None


def is_product(name: str) -> bool:
    """Whether a name is written as those of products are: a capital within, a version, or a word for what it is.

    Examples
    --------
    >>> [is_product(name) for name in ("DeepTrans", "Lingua v2", "Osprey 3.1", "tldrbot", "PONS-MT", "Сова-Чат")]
    [True, True, True, True, True, True]
    >>> [is_product(name) for name in ("Fluency", "rating", "Q3", "Anna", "overall_score", "Section 2", "DE")]
    [False, False, False, False, False, False, False]
    """
    bare = name.strip()
    within = any(one.islower() and other.isupper() for one, other in pairwise(bare))
    return within or _VERSION.search(bare) is not None or _WHAT_IT_IS.search(bare) is not None or is_model(bare)


def shared(names: Iterable[str]) -> dict[str, list[str]]:
    """Makers of two or more of the models, with the names of these.

    Examples
    --------
    >>> shared(["gpt-4o", "gpt-4.1", "claude-3-opus", "ann"])
    {'openai': ['gpt-4o', 'gpt-4.1']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        if (made_by := maker(name)) is not None:
            found.setdefault(made_by, []).append(name)
    return {made_by: own for made_by, own in found.items() if len(own) > 1}


AUTO: Literal["auto"] = "auto"
Families = Literal["auto"] | Mapping[str, str]


def in_families(table: Judgments, families: Families) -> Judgments:
    """The same judgments with the judges, taken as drawn, nested in families that are drawn too.

    Parameters
    ----------
    table : Judgments
        With several judges.
    families : "auto" or mapping of str to str
        Family of each judge, or by the makers that their names tell; a judge without one is a family alone.

    Raises
    ------
    InvalidInput
        If there are no judges, they are nested already, or no two are of one family.
    UnknownTerm
        If a judge is named that is not there.
    """
    if JUDGE not in table.names or FAMILY in table.names or table.facet(JUDGE).parent is not None:
        raise InvalidInput("families: there are no judges to group, or they are in groups already; leave it out")
    judges = table.facet(JUDGE).levels
    own = families_of(judges, families)
    levels = sorted(set(own))
    if len(levels) == len(judges):
        raise InvalidInput(f"families: no two of the judges are of one family by name ({listed(judges, most=5)})")
    codes = np.array([levels.index(name) for name in own], dtype=np.int32)
    facets = [replace(f, fixed=False, parent=FAMILY) if f.name == JUDGE else f for f in table.facets]
    family = Facet(FAMILY, table.facet(JUDGE).column, tuple(levels))
    members = [f"{name}: {listed([j for j, of in zip(judges, own, strict=True) if of == name])}" for name in levels]
    note = Note(f"{counted(len(judges), 'judge')} in {counted(len(levels), FAMILY)} ({'; '.join(members)})")
    return replace(
        table,
        facets=(*facets, family),
        codes=np.column_stack([table.codes, codes[table.column(JUDGE)]]),
        notes=(*table.notes, note),
    )


def families_of(judges: Sequence[str], families: Families) -> list[str]:
    """Family of each judge, as said or by the makers that names tell; a judge without one is a family alone.

    Raises
    ------
    InvalidInput
        If families are neither "auto" nor a mapping.
    UnknownTerm
        If a judge is named that is not there.
    """
    if isinstance(families, str):
        if families != AUTO:
            raise InvalidInput(f'families: "auto" or the family of each judge is needed, got {families!r}')
        return [maker(name) or name for name in judges]
    for name in families:
        if name not in judges:
            raise UnknownTerm(name, judges, "judge")
    return [families.get(name, name) for name in judges]
