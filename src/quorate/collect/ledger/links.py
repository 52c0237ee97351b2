"""Links: who may open a page of a study, as hashes of the words in their addresses.

Whoever reads the ledger cannot open anything with what stands there; a word is shown once, when it is made.
"""

from __future__ import annotations

import hashlib
import secrets

from quorate.collect.ledger.ledger import Ledger

OWNER = ""
"""The name by which the owner of a study has a link."""

LINK = "/link/"
"""Beginning of the address of a link; its word follows."""

_BYTES = 16
_TABLE = "CREATE TABLE IF NOT EXISTS links (hash TEXT PRIMARY KEY, judge TEXT NOT NULL)"


class Links:
    """The links of a ledger; every method is one transaction, or a part of one as those of `Ledger` are."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        with ledger.store.explained():
            ledger.insist(lambda: ledger.store.connection.execute(_TABLE))

    def held(self) -> frozenset[str]:
        """Names that have a link."""
        return frozenset(name for (name,) in self._ledger.store.connection.execute("SELECT judge FROM links"))

    def make(self, names: list[str]) -> dict[str, str]:
        """A new word of 128 random bits for every name; the one that it had is of no use any more."""
        words = {name: secrets.token_urlsafe(_BYTES) for name in names}

        def replace() -> None:
            connection = self._ledger.store.connection
            for name in names:
                connection.execute("DELETE FROM links WHERE judge = ?", (name,))
            rows = ((hashed(word), name) for name, word in words.items())
            connection.executemany("INSERT INTO links VALUES (?, ?)", rows)

        self._ledger.insist(replace)
        return words

    def whose(self, hash: str) -> str | None:  # noqa: A002  (what is looked up)
        """Whose link has this hash; None if it is nobody's."""
        find = "SELECT judge FROM links WHERE hash = ?"
        row = self._ledger.store.connection.execute(find, (hash,)).fetchone()
        return None if row is None else str(row[0])


def hashed(word: str) -> str:
    """SHA-256 of a word, which has too many bits to be guessed from it."""
    return hashlib.sha256(word.encode("utf-8", "replace")).hexdigest()
