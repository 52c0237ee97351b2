from pathlib import Path

import pytest
import yaml

from quorate.collect.judge import Expects
from quorate.collect.prompt import Prompt, built_in
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.questions import questions
from quorate.study.variants import free, names, place, prompt_lines, with_origin, write


def test_names_are_those_that_are_free(study):
    found = load(study(prompts={"direct": "score", "direct-1": "score", "direct-3": "score"}))
    assert names(found, "direct", 3) == ("direct-2", "direct-4", "direct-5")


@pytest.mark.parametrize(
    ("name", "file"),
    [("direct-1", "direct-1.j2"), ("a/b ../c", "a-b-..-c.j2"), ("..", "prompt.j2"), ("größe", "größe.j2")],
)
def test_a_file_stays_in_its_folder(name, file):
    assert place(Path("prompts"), name) == Path("prompts") / file


def test_the_origin_is_no_template_code_and_not_sent():
    source = with_origin("Rate it.", ['by "m" #} {{ x }}\n{% y %}', "two"])
    head, rest = source.split("\n", 1)
    assert rest == "Rate it."
    assert head.count("{") == head.count("}") == 1
    prompt = Prompt("own", source, Expects(1, 5))
    assert [turn.content for turn in prompt.messages({"response": "r"})] == ["Rate it."]
    child = Prompt("own", with_origin(built_in("score").source, ["x"]), Expects(1, 10))
    item = {"prompt": "p", "response": "r"}
    assert child.messages(item) == built_in("score").messages(item)


@pytest.mark.parametrize("name", ["score", "helpfulness-reasoned", "pairwise", "safety-reasoned"])
def test_the_settings_make_the_same_question(study, tmp_path, name):
    path = study(prompts={"yes: no": {"built_in": name, "expected": True}, "last": name})
    found, original = load(path), built_in(name)
    copy = tmp_path / "prompts" / "copy.j2"
    write({copy: original.source}, force=False)
    lines = prompt_lines(found, "yes: no", original.expects, {"yes: no-1": copy})
    assert [line.partition(": ")[0].strip().strip("'") for line in lines.splitlines()][2:] == ["yes", "last"]
    changed = yaml.safe_load(path.read_text()) | yaml.safe_load(lines)
    path.write_text(yaml.safe_dump(changed))
    rows = [{"id": "q", "prompt": "p", "response": "r", "response_a": "a", "response_b": "b"}]
    study(rows=rows, **changed)
    prompts = questions(load(path)).prompts
    assert list(prompts) == ["yes: no", "yes: no-1", "last"]
    new, last = prompts["yes: no-1"], prompts["last"]
    assert new.expects == last.expects == original.expects
    fields = {name: value for name, value in rows[0].items() if name != "id"}
    assert new.messages(fields) == last.messages(fields)


def test_all_files_are_written_or_none(tmp_path, monkeypatch):
    first, second = tmp_path / "new" / "a.j2", tmp_path / "new" / "b.j2"
    second.parent.mkdir()
    second.write_text("mine")
    with pytest.raises(InvalidInput, match=r"out: .*b\.j2 is there already"):
        write({first: "1", second: "2"}, force=False)
    assert [path.name for path in second.parent.iterdir()] == ["b.j2"]
    write({first: "1", second: "2"}, force=True)
    assert (first.read_text(), second.read_text()) == ("1", "2")

    def full(self, text, **_):
        self.touch()
        if text == "4":
            raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        write({first: "3", second: "4"}, force=True)
    assert (first.read_text(), second.read_text()) == ("1", "2")
    assert len(list(first.parent.iterdir())) == 2


def test_a_place_that_cannot_be_is_refused_before(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder.j2").mkdir()
    for path in (tmp_path / "file" / "a.j2", tmp_path / "folder.j2"):
        with pytest.raises(InvalidInput, match="in its place"):
            free({path: None}, force=True)


def test_what_is_there_already_with_the_same_content_may_be(tmp_path):
    path = tmp_path / "score.j2"
    path.write_text("as it is")
    write({path: "as it is", tmp_path / "score-1.j2": "new"}, force=False)
    assert (tmp_path / "score-1.j2").read_text() == "new"
    with pytest.raises(InvalidInput, match=r"score\.j2 is there already"):
        write({path: "another", tmp_path / "score-2.j2": "new"}, force=False)
