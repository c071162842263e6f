"""What docs/stop-a-spammer.md promises comes true."""

import shlex

from tests.cli.spam_files import write_spam_files
from tests.cli.test_docs import ROOT, blocks, runs


def test_the_walk_through_runs_on_a_generated_file(invoke, folder):
    write_spam_files(folder)
    script = "".join(block.code for block in blocks(ROOT / "docs" / "stop-a-spammer.md") if runs(block))
    said = ""
    for command in script.splitlines():
        result = invoke(*shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}: {result.output}"
        said += result.stdout
    for promise in (
        "verified recall k=3",
        "cannot be made 'ham' with 3 edits",
        "label 'ham'",
        "2 of 2 requirements met",
    ):
        assert promise in said
    for name in ("spam.safetensors", "check.xml", "check.json", "report.html"):
        assert (folder / name).stat().st_size
    missed = invoke("check", "spam.safetensors", "test.csv", "--min-recall", "spam:9:0.99")
    assert missed.exit_code == 1
