from quorate.cli.phrasing import columns


def test_a_note_says_column_once():
    assert columns("a = column = column b") == "a = = column b"
