"""How a table is read: what its columns are, how sure that is, and the question where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from quorate.arguments import Argument, argument, joined
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.columns.vote_roles import ALIASES as VOTE_ROLES
from quorate.table.exchange.format import Kind
from quorate.table.exchange.wide import CROSSED, shortened

_MOST_WAYS = 3
MOST_MEASURES = 12
"""Measures of one file that are answered one by one."""
Confidence = Literal["sure", "likely", "unsure"]
"""Sure: names and what tells rows apart leave nothing else. Likely: taken, and said. Unsure: asked about."""


@dataclass(frozen=True)
class Meant:
    """One of the ways in which a table may be meant.

    Parameters
    ----------
    options : mapping of str to object
        Arguments of `quorate.read`.
    what : str
        What the columns are then, in a few words.
    verb : str
        The command that answers what is asked of such a table; empty for the one that was typed.
    more : str
        Options of that command beside those that say how the table is read.
    people : mapping of str to object
        Who is a person, as ``human``, judges who are, or ``human_label``, the column of what people said.
    plain : bool
        Whether names say both who is a person and who a judge, so that what is asked is how far they agree.
    measure : str
        The measure that is read so, where the file has others, which are questions of their own; else empty.
    """

    options: Mapping[str, Any]
    what: str = ""
    verb: str = ""
    more: str = ""
    people: Mapping[str, Any] = field(default_factory=dict)
    plain: bool = False
    measure: str = ""


@dataclass(frozen=True)
class Reading:
    """Arguments of `quorate.read`, why each, and how sure they are.

    Parameters
    ----------
    options : mapping of str to object
        Arguments.
    reasons : tuple of str
        A sentence for each that is not plain.
    confidence : {"sure", "likely", "unsure"}
        Whether a table is read so by itself.
    kind : {"scores", "votes"}
        What its rows are.
    said : str
        Of what is likely: what was taken for granted, and the argument that changes it.
    meant : tuple of Meant
        Of what is unsure: the ways in which the table may be meant, the likeliest first; none for this one alone.
    """

    options: Mapping[str, Any]
    reasons: tuple[str, ...] = field(default=())
    confidence: Confidence = "unsure"
    kind: Kind = "scores"
    said: str = ""
    meant: tuple[Meant, ...] = ()

    @property
    def ways(self) -> tuple[Meant, ...]:
        """The ways in which the table may be meant, the likeliest first."""
        return self.meant or (Meant(self.options),)

    def naming(self, roles: Mapping[str, str]) -> Reading:
        """The same, which says the columns of roles that their names do not say."""

        def named(options: Mapping[str, Any]) -> dict[str, Any]:
            facets = options.get("facets", {})
            made = {one for role in options.get("wide", {}) for one in role.split(CROSSED)}
            more = {role: name for role, name in roles.items() if name not in facets.values() and role not in made}
            return {**options, "facets": {**facets, **more}} if more else dict(options)

        return self._with(named)

    def granting(self, what: str) -> Reading:
        """The same, which says also that this was taken for granted."""
        said = joined("; ", [what, *filter(None, [self.said])])
        return replace(self, confidence="likely" if self.confidence == "sure" else self.confidence, said=said)

    def also(self, more: Mapping[str, Any]) -> Reading:
        """The same, with further arguments in every way that it may be meant."""
        return self._with(lambda options: {**options, **more})

    def shortened(self, names: Sequence[str]) -> Reading:
        """The same, with a pattern in the place of many columns of a table that go by one name."""

        def short(options: Mapping[str, Any]) -> dict[str, Any]:
            wide = options.get("wide", {})
            named = {"wide": {role: shortened(columns, names) for role, columns in wide.items()}} if wide else {}
            return {**options, **named}

        return self._with(short)

    def _with(self, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Reading:
        """The same, with options changed in every way that it may be meant."""
        meant = tuple(replace(way, options=change(way.options)) for way in self.meant)
        return replace(self, options=change(self.options), meant=meant)


class Unsure(InvalidInput):
    """A table that may be read in several ways, or in none, as far as its columns say.

    Parameters
    ----------
    problem : str
        What the columns leave open.
    source : object
        The file or frame.
    ways : tuple of Meant
        The ways in which it may be meant; none where somebody has to change the table.
    kind : {"scores", "votes"}
        What its rows are then.
    """

    def __init__(
        self, problem: str, source: object = None, ways: tuple[Meant, ...] = (), kind: Kind = "scores"
    ) -> None:
        self.problem, self.source, self.ways, self.kind = problem, source, ways, kind
        super().__init__(asked(problem, ways, in_python))

    @property
    def measures(self) -> tuple[Meant, ...]:
        """The ways to read one measure each, where which is meant is all that is open; none of any other question."""
        found = tuple(way for way in self.ways if way.measure)
        return found if 1 < len(found) <= MOST_MEASURES else ()

    def beside_people(self, verb: str) -> Meant | None:
        """What a command asks of judges beside people, where names say who is which; None of any other table."""
        plain = [way for way in self.ways if way.plain]
        agree = [way for way in plain if way.verb == verb == "judges"]
        return next(iter(agree or plain), None)

    def meant_by(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options of the way that an argument which was given chooses: where less is better.

        Raises
        ------
        Unsure
            This, if none does.
        """
        less = [way for way in self.ways if way.options.get("less_is_better")]
        if len(less) != 1 or not given.get("less_is_better"):
            raise self
        return less[0].options

    def __reduce__(self) -> tuple[type[Unsure], tuple[str, object, tuple[Meant, ...], Kind]]:
        return type(self), (self.problem, self.source, self.ways, self.kind)


def asked(problem: str, ways: Sequence[Meant], spelled: Callable[[Meant], str]) -> str:
    """A question in one line: what is open, and the likeliest ways to say what is meant."""
    shown = [spelled(way) + (f" ({way.what})" if way.what else "") for way in offered(ways)]
    return problem + ("; it may be meant as: " + joined(", or ", shown) if shown else "")


def offered(ways: Sequence[Meant]) -> Sequence[Meant]:
    """The ways that a question names, three at most; one place is kept for what is not one of many measures."""
    others = [way for way in ways if not way.measure]
    measures = [way for way in ways if way.measure]
    return (*measures[: _MOST_WAYS - bool(others)], *others)[:_MOST_WAYS]


def in_python(way: Meant) -> str:
    """What to pass to `quorate.read`, and who is a person to `quorate.agreement.against`."""
    read = joined(", ", [argument(name, value) for name, value in complete(way.options).items()])
    people = way.people.get("human")  # a column is read as another table
    return joined("", [read, " for agreement.against with ", argument("human", people)]) if people else read


def complete(options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments, with what has the columns that they do not name recognised."""
    votes = {"model_a", "winner", "wins", "rank"} & options.keys()
    return {**options, **({"recognise": True} if "facets" in options and not votes else {})}


def call(source: str, options: Mapping[str, Any]) -> str:
    """The call of `quorate.read` with these arguments."""
    given = "".join(f", {name}={value!r}" for name, value in complete(options).items())
    return f"q.read({source!r}{given})"


def arguments(kind: Kind | None, options: Mapping[str, Any]) -> Iterator[Argument]:
    """Options one by one, for an interface to spell."""
    for name, value in options.items():
        if name == "facets":
            for role, column in value.items():
                yield Argument("roles" if kind == "votes" and role in VOTE_ROLES else "facets", {role: column})
        elif isinstance(value, Mapping) and name != "wide":
            yield from (Argument(name, {key: one}) for key, one in value.items())
        else:
            yield Argument(name, value)
