from pathlib import Path

import pytest

from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.address import Address, place_of, title_of

CANARY = "canary7secret"
WHOLE = "postgresql://ann@db.example:6432/evals?schema=my%20study&password_env=EVALS_PASSWORD&sslmode=require"


@pytest.fixture(autouse=True)
def nobody(monkeypatch):
    monkeypatch.setenv("PGUSER", "sam")


def test_an_address_is_read_and_written_again():
    found = place_of(WHOLE)
    assert found == Address("ann", "db.example", 6432, "evals", "my study", "EVALS_PASSWORD", "require")
    assert str(found) == WHOLE
    assert place_of(str(found)) == found
    assert place_of(found) is found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgres://db.example/evals", "postgresql://sam@db.example/evals"),
        ("postgresql:///evals", "postgresql://sam@localhost/evals"),
        ("postgresql:///evals?host=/run/pg", "postgresql://sam@/evals?host=/run/pg"),
        ("postgresql://ann@:5433/evals?host=/run/pg", "postgresql://ann@:5433/evals?host=/run/pg"),
        ("postgresql://ann%40home@[::1]/evals?schema=quorate", "postgresql://ann%40home@[::1]/evals"),
    ],
)
def test_what_is_not_said_is_taken_from_the_environment(text, said):
    assert str(place_of(text)) == said
    assert place_of(said) == place_of(text)


@pytest.mark.parametrize("text", [WHOLE, "postgresql:///evals?host=/run/pg", "postgres://db.example/evals"])
def test_an_address_survives_being_taken_for_a_path(text):
    assert place_of(Path(text)) == place_of(text)


def test_other_sources_are_paths():
    assert place_of("a/postgresql.csv") == Path("a/postgresql.csv")
    assert title_of(Path("a.csv")) == "a.csv"


def test_a_title_names_no_machine_and_nobody():
    assert title_of(place_of(WHOLE)) == "Postgres ledger my study"


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{CANARY}@db.example/evals",
        f"postgresql://ann:{CANARY}@db.example",
        f"postgresql://ann:{CANARY}/x@db.example/evals",
        f"postgresql://ann:12/{CANARY}@db.example/evals",
        f"postgresql://ann:12?{CANARY}@db.example/evals",
        f"postgresql://ann:{CANARY}#@db.example/evals",
        f"postgresql://ann:{CANARY}@x@db.example/evals",
        f"postgresql://[{CANARY}/evals",
        f"postgresql://db.example/evals?password={CANARY}",
        f"postgresql://db.example/evals?sslpassword={CANARY}",
        f"postgresql://db.example/evals?{CANARY}=1",
        f"postgresql://db.example/evals?sslmode={CANARY}",
        f"postgresql://db.example/evals?password_env={CANARY}-",
        f"postgresql://db.example:{CANARY}/evals",
        f"POSTGRESQL://ann:{CANARY}@db.example/evals",
        f"postgresql+psycopg://ann:{CANARY}@db.example/evals",
        f" \tPostgres+asyncpg:/ann:{CANARY}@db.example/evals",
        f"postgresql://ann%3A{CANARY}@db.example/evals",
        f"postgresql://ann%3a{CANARY}@db.example/evals",
        f"postgresql://db.example/evals?password_env={CANARY}",
    ],
)
def test_a_password_is_refused_and_not_repeated(text):
    with pytest.raises(InvalidInput, match=r"^Postgres address: ") as caught:
        place_of(text)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "text",
    [
        f"mysql://ann:{CANARY}@db.example/evals",
        f" mysql+driver:\\\\ann:{CANARY}@db.example\\evals",
        f"mysql:/ann:12/{CANARY}@db.example/evals",
        f"https://{CANARY}@files.example/votes.csv",
        f"postgresql:ann:{CANARY}@db.example/evals",
        f"postgresql+psycopg-binary://ann:{CANARY}@db.example/evals",
    ],
)
def test_other_addresses_with_a_login_are_no_files(text):
    with pytest.raises(InvalidInput, match=r"^address: has a login, and is no file") as caught:
        place_of(text)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["C:/me@home/a.csv", "C:\\me@home\\a.csv", "me@home.csv", "a:b@c.csv", "runs/x:/y@z.db", "postgres@db.csv"]
)
def test_file_names_with_such_signs_are_paths(text):
    assert place_of(text) == Path(text)


def test_a_driver_and_capitals_make_no_other_address():
    for text in ("POSTGRESQL://ann@db.example/evals", " postgresql+psycopg://ann@db.example/evals"):
        assert str(place_of(text)) == "postgresql://ann@db.example/evals"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgresql://ann:x@db.example/evals", "holds a password; leave it out, and put it into the .* PGPASSWORD"),
        ("postgresql://db.example/", "names no database; write postgresql://user@host/database"),
        ("postgresql://db.example:port/evals", "its host or port cannot be read"),
        ("postgresql://db.example/evals?schema=pg_toast", "schema must be a name"),
        ("postgresql://db.example/evals?schema=" + "x" * 64, "at most 63 bytes"),
        ("postgresql://db.example/evals?sslmode=prefer", "must be one of disable, require, verify-full"),
        ("postgresql://db.example/evals?timeout=3", "it takes schema, password_env, sslmode, host"),
    ],
)
def test_what_an_address_cannot_say(text, said):
    with pytest.raises(InvalidInput, match=said):
        place_of(text)


def test_the_password_is_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("EVALS_PASSWORD", CANARY)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert place_of(WHOLE).password() == CANARY
    assert place_of("postgresql://db.example/evals").password() is None
    assert CANARY not in repr(place_of(WHOLE))


def test_strangers_show_who_they_are():
    assert place_of("postgresql://db.example/evals").sslmode == "verify-full"
    assert {place_of(f"postgresql://{host}/evals").sslmode for host in ("", "localhost", "127.0.0.1")} == {"disable"}
