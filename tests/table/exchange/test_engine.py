"""Connections that share a database and see nothing of one another."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from quorate.table.exchange.engine import connection


def test_a_name_is_seen_by_its_own_connection_alone():
    one, other = connection(), connection()
    one.register("mine", {"a": np.arange(2)})
    assert one.sql("SELECT count(*) FROM mine").fetchall() == [(2,)]
    with pytest.raises(duckdb.CatalogException):
        other.sql("SELECT * FROM mine")
