from quorate.estimate.components.model import facets_of, of_items


def test_what_items_divide():
    assert all(of_items(name, "item") for name in ("item", "item:judge", "cell + replicate", "judge + cell[judge=a]"))
    assert not any(of_items(name, "item") for name in ("judge", "judge:prompt"))


def test_the_facets_of_a_sum():
    assert facets_of("item:judge + cell[judge=a]") == {"item", "judge", "cell"}
