"""The progress bar: what people see, and that nobody else sees anything."""

import io
import re

from rich.console import Console

from levcert.runs.progress_bar import ProgressBar, watched
from levcert.training.progress import Progress, Reporter


def screen():
    return Console(file=io.StringIO(), force_terminal=True, width=160, color_system=None)


def shown(console):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue())


def test_a_known_total_shows_total_rate_and_time_left():
    console = screen()
    with ProgressBar("certifying", 4, console=console) as bar:
        for _ in range(3):
            bar.advance()
    last = shown(console).splitlines()[-1]
    assert "certifying" in last
    assert "3/4" in last
    assert re.search(r" [\d,]+/s ", last)
    assert re.search(r"0:00:0\d 0:00:0\d", last)  # since the start, and until the end


def test_without_a_total_the_count_and_the_time_are_shown():
    console = screen()
    with ProgressBar("certifying", console=console) as bar:
        for _ in range(3):
            bar.advance()
    last = shown(console).splitlines()[-1]
    assert re.search(r"\b3 (?!/)", last)  # no total: nothing behind the count
    assert "?" not in last
    assert re.search(r"[\d,]+/s 0:00:0\d\s*$", last)


def test_a_total_may_come_later():
    console = screen()
    with ProgressBar("main", console=console) as bar:
        bar.update(2, 7, "a note")
    last = shown(console).splitlines()[-1]
    assert "2/7" in last
    assert "a note" in last


def test_nothing_is_shown_where_stderr_is_no_terminal(capsys):
    assert list(watched(range(3), "certifying", 3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_the_first_frame_of_training_claims_no_loss():
    console = screen()
    state = Progress()
    with Reporter(2, 5, show=True, console=console) as reporter:
        reporter._bar.refresh()
        first = shown(console)
        assert "epoch 1/2" in first
        assert "0/10" in first
        assert "nan" not in first
        assert "loss" not in first
        state.count(8, 0.5, 6)
        reporter.step(state, 0.1)
    last = shown(console).splitlines()[-1]
    assert "1/10" in last
    assert "loss 0.5000  accuracy 75.0%  learning rate 0.1" in last
