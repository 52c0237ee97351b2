from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import quorate
from quorate.arguments import argument
from quorate.cli import entry
from quorate.cli import entry as waiting
from quorate.cli.analyze import AnalysisFiles
from quorate.cli.console import MOST_COLUMNS, console, heading, points, print_json, say, table, whole
from quorate.cli.entry import Bar, main
from quorate.cli.options import Output
from quorate.cli.options.groups import options_of
from quorate.cli.verbs import SPELLED, STAGES, VERBS, reading_options, spelling_of
from quorate.errors import InvalidInput
from quorate.wording import dollars


def test_help_lists_the_questions_by_stage(run):
    ran = run("--help")
    assert ran.code == 0
    places = [ran.out.index(f"\n{stage}:\n") for stage in STAGES]
    assert places == sorted(places)
    assert all(f"\n  {name} " in ran.out[places[0] :] for name in VERBS)


def test_the_readme_has_every_verb():
    table = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert not [name for name in VERBS if not re.search(f"`(quorate )?{name}", table)]


def test_what_a_verb_says_of_a_command_is_what_its_own_help_begins_with():
    said = {spelling: question.says for spelling, question in SPELLED.items()}
    assert said == {name: command.get_short_help_str(200) for name, command in entry.program().commands.items()}


@pytest.mark.parametrize("example", [example for verb in VERBS.values() for example in verb.examples])
def test_examples_can_be_typed(example):
    name, *words = example.split()[1:]
    question, left = VERBS[name].asked(words)
    command = entry.program().commands[spelling_of(question)]
    command.make_context(name, left, resilient_parsing=False)


@pytest.mark.parametrize(
    ("words", "spelling"),
    [
        ("rank votes.csv", "rank"),
        ("rank scores.csv --tries=9", "rank --tries"),
        ("rank votes.csv --pipelines --human ann", "rank --pipelines"),
        ("judges votes.csv --human-label gold", "judges --human"),
        ("analyze scores.csv --posterior --check 9", "analyze --posterior"),
        ("agents chain runs.csv", "agents chain"),
    ],
)
def test_an_option_says_which_question_of_a_verb_is_asked(words, spelling):
    name, *rest = words.split()
    question, left = VERBS[name].asked(rest)
    assert spelling_of(question) == spelling
    assert len(rest) - len(left) <= 1


def test_options_of_reading_are_listed_once(run):
    assert "--facet ROLE=COLUMN" in run("help", "reading").out
    ran = run("help", "rank")
    assert ran.out == run("rank", "--help").out
    assert "--facet" not in ran.out
    assert "quorate help reading" in ran.out
    assert run("agents").err.startswith("quorate: agents: is followed by one of hazard, chain, ensemble")


def test_a_verb_has_a_screen_of_options_of_its_own():
    shared = {*reading_options(), *options_of(AnalysisFiles), *options_of(Output), "force"}
    for name in ("analyze", "compare", "plan", "rank"):
        params = entry.program().commands[name].params
        assert len([one for one in params if one.param_type_name == "option" and one.name not in shared]) <= 25


def test_the_version(run):
    assert run("--version").out == f"quorate {quorate.__version__}\n"


def test_without_a_command_the_help_is_shown_and_a_script_does_not_pass(run):
    ran = run()
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == run("--help").out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["analyse"], "no such command 'analyse'. Did you mean 'analyze'? (see quorate --help)"),
        (["analyze", "--zzz"], "no such option: --zzz (see quorate analyze --help)"),
        (["analyze"], "missing argument 'FILE' (see quorate analyze --help)"),
        (["analyze", "scores.csv", "--level"], "option '--level' requires an argument (see quorate --help)"),
    ],
    ids=["command", "option", "argument", "value"],
)
def test_a_usage_error_is_one_line_and_exit_1(run, words, line):
    ran = run(*words)
    assert (ran.code, ran.out, ran.err) == (1, "", f"quorate: {line}\n")


def failing(error):
    def command(**_: object) -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InvalidInput("level: too big"), "level: too big"),
        (InvalidInput("two\nlines \x1b[31m"), r"two\nlines \x1b[31m"),
        (InvalidInput("x" * 5000), "x" * 997 + "..."),
        (PermissionError(13, "Permission denied", "a.csv"), "a.csv: Permission denied"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (KeyError("x"), "internal error (KeyError: 'x'); run again with --debug to see where"),
        (OSError("odd"), "internal error (OSError: odd); run again with --debug to see where"),
        (InvalidInput("say which: " + argument("facets", {"judge": ...})), "say which: --facet judge=COLUMN"),
        (InvalidInput("name it in " + argument("facets", {...: ...})), "name it in --facet ROLE=COLUMN"),
        (InvalidInput("use " + argument("judge", "panel", group="targets")), "use --target judge=panel"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_an_error_is_one_line_and_exit_1(run, monkeypatch, error, line):
    monkeypatch.setattr(entry.program().commands["doctor"], "callback", failing(error))
    ran = run("doctor", "a.csv")
    assert (ran.code, ran.out, ran.err) == (1, "", f"quorate: {line}\n")


def test_debug_shows_the_traceback_before_the_line(run):
    ran = run("analyze", "none.csv", "--debug")
    assert ran.code == 1
    assert ran.err.startswith("Traceback")
    assert ran.err.endswith("\nquorate: source: no such file none.csv\n")


def test_an_interrupt_is_130_without_a_word(run, monkeypatch):
    monkeypatch.setattr(entry.program().commands["doctor"], "callback", failing(KeyboardInterrupt()))
    ran = run("doctor", "a.csv")
    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "")


def interrupted_within(*_, **__):
    raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()


def test_an_error_that_is_its_own_cause_is_a_line(run, monkeypatch):
    error = InvalidInput("a: is wrong")
    error.__cause__ = error
    monkeypatch.setattr(entry.program().commands["doctor"], "callback", failing(error))
    assert (run("doctor", "a.csv").code, run("doctor", "a.csv").err) == (1, "quorate: a: is wrong\n")


@pytest.mark.parametrize("failure", [interrupted_within, failing(RuntimeError("Query interrupted"))])
def test_an_interrupt_that_a_library_made_an_error_of_is_one(run, monkeypatch, failure):
    monkeypatch.setattr(entry.program().commands["doctor"], "callback", failure)
    assert run("doctor", "a.csv").code == 130


def test_ctrl_c_waits_for_the_import_of_duckdb_which_it_would_abort(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"item": 1, "score": 2}')  # few rows of CSV are read without it
    (tmp_path / "duckdb.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(0.1)\nprint('made', flush=True)\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from quorate.cli import main; sys.exit(main())"
    call = [sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + code]
    ran = subprocess.run([*call, "doctor", tmp_path / "a.jsonl"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.strip()) == (130, "made\n", "")


@pytest.mark.wide(1)
@pytest.mark.parametrize(
    ("closed", "there"),
    [
        *((">&-", True), ("2>&-", False), ("<&- >&- 2>&-", True)),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in ((">&-", False), ("<&-", False), ("<&- >&- 2>&-", False))
        ),
    ],
)
def test_what_is_closed_at_the_start_is_no_error_of_ours(scores, closed, there):
    code = "import sys; from quorate.cli import main; sys.exit(main())"
    words = ["doctor", str(scores) if there else "none.csv"]
    call = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", code, *words]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    assert ran.returncode in ((0, 2) if there else (1,))
    assert "internal error" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_input_closed_at_the_start_is_an_empty_one(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert run("--version").code == 0
    with sys.stdin as empty:
        assert not empty.isatty()
        assert empty.read() == ""


def test_a_reader_that_goes_away_is_no_error():
    code = "import sys; from quorate.cli import main; sys.exit(main())"
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as gone:
        ran = subprocess.run([sys.executable, "-c", code, "--help"], stdout=gone, stderr=subprocess.PIPE, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_an_option_of_one_value_is_given_once(run, scores):
    ran = run("analyze", scores, "--no-report", "--level", "0.9", "--level", "0.8")
    line = "quorate: --level: is given 2 times, and one value counts; give it once (see quorate analyze --help)\n"
    assert (ran.code, ran.out, ran.err) == (1, "", line)


def test_several_reports_are_written(run, scores, tmp_path):
    ran = run("judges", scores, "--report", "a.md", "--report", "a.json")
    assert ran.code in (0, 2), ran.err
    assert ran.out.endswith("Report: a.md\nReport: a.json\n")
    assert all((tmp_path / name).stat().st_size for name in ("a.md", "a.json"))


@pytest.mark.parametrize("option", ["--random", "--covariate", "--residual-by", "--method"])
@pytest.mark.parametrize(("command", "why"), entry.OWN_MODELS.items())
def test_commands_with_models_of_their_own_refuse_others_by_name(run, command, option, why):
    ran = run(*command.split(), "scores.csv", option, "item")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"quorate: {option}: {command} {why}; analyze, rank and compare take it\n"


HOSTILE = "[red]x[/red]\x1b[31m:smile:"
SHOWN = r"[red]x[/red]\x1b[31m:smile:"


@pytest.mark.parametrize(
    "show",
    [
        lambda out: say(out, HOSTILE),
        lambda out: heading(out, HOSTILE),
        lambda out: points(out, [HOSTILE]),
        lambda out: table(out, {HOSTILE: "left"}, [["1"]]),
        lambda out: table(out, {"a": "left"}, [[HOSTILE]]),
    ],
    ids=["say", "heading", "points", "column", "cell"],
)
def test_no_label_is_taken_as_markup(capsys, show):
    show(console())
    out = capsys.readouterr().out
    assert SHOWN in out
    assert "\x1b" not in out


def test_lines_fit_and_do_not_end_in_blanks(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = console()
    say(out, "word " * 60)
    points(out, ["word " * 60])
    table(out, {"name": "left", "n": "right"}, [["long " * 60, 1], ["b", 22]])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 12
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]


def test_a_command_is_not_broken(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    whole(console(), "Next: " + "word " * 40 + HOSTILE)
    assert capsys.readouterr().out == "Next: " + "word " * 40 + SHOWN + "\n"


def test_a_wide_terminal_is_not_filled(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert console().width == MOST_COLUMNS


def test_colour_is_left_out_when_told(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not console().no_color
    monkeypatch.setenv("NO_COLOR", "1")
    assert console().no_color


def test_a_table_without_names_has_no_heading(capsys):
    table(console(), {" ": "left", "  ": "right"}, [["a", "b"]])
    assert capsys.readouterr().out == "  a  b\n"


def test_json_has_null_for_what_is_no_number(capsys):
    print_json({"a": [float("nan"), float("inf"), 1.5], "b": {"c": (1, None, "\x1b")}})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": [None, None, 1.5], "b": {"c": [1, None, "\x1b"]}}
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "unknown"), (0.0, "$0.00"), (12.345, "$12.35"), (1234.5, "$1,234"), (2e6, "$2,000,000")],
)
def test_prices_have_cents_where_they_matter(amount, shown):
    assert dollars(amount) == shown


GONE = "\x1b[2K"
"""What clears a line of the terminal."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand, at a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    now = [100.0]
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_shown_of_what_is_quick(clock, capsys):
    bar = Bar()
    for done in range(5):
        bar("draws", done, 4)
        clock[0] += 0.4
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_is_shown_on_standard_error_and_cleared(clock, capsys):
    bar = Bar()
    for done in range(4):
        bar("draws", done, 3)
        bar("inner", 0, 2)
        bar("inner", 2, 2)
        clock[0] += 1.5
    out, err = capsys.readouterr()
    assert out == ""
    assert "draws" in err
    assert "2/3" in err, "after two seconds"
    assert "1/3" not in err, "and not before"
    assert "inner" not in err, "the outer one alone"
    assert err.endswith(GONE)


def test_what_cannot_say_how_long_it_takes_says_its_step(clock, capsys):
    bar = Bar()
    for done in range(3):
        bar("steps", done, None)
        clock[0] += 1.5
    bar("steps", 3, 3)
    assert "2/?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "terminal", "shown"), [([], True, True), (["--quiet"], True, False), ([], False, False)]
)
def test_it_is_for_terminals_and_not_for_the_quiet(words, terminal, shown, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    monkeypatch.setattr(waiting, "EVERY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    rows = [f"{i},{j},{(i * 7 + j * 3) % 5}" for i in range(6) for j in (1, 2)]
    (tmp_path / "scores.csv").write_text("\n".join(["item,judge,score", *rows]))
    assert main([*words, "doctor", "scores.csv"]) in {0, 2}
    assert ("0/" in capsys.readouterr().err) == shown
