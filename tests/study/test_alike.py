import pytest

from quorate.study.alike import alike


@pytest.mark.parametrize("other", ["gpt\u20114", "GPT-4", "g\u0440t-4", "gpt-\uff14", "gpt-4\u0301", "gpt_4", "gpt 4"])
def test_names_that_look_like_another_are_found(other):
    assert alike(["claude", "gpt-4", other]) == (("gpt-4", other),)


def test_other_names_are_told_apart():
    assert alike(["gpt-4", "gpt-4o", "gpt-41", "llama", "qwen-2.5", "qwen-25", "\u0434\u0430", "\u043d\u0435"]) == ()
