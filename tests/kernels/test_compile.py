import os
import subprocess
import sys

import numba

from levcert.kernels.compile import kernel


def add_one(x):
    return x + 1


def test_where_no_cache_can_be_written_kernels_still_work(monkeypatch):
    plain = numba.njit

    def no_locator(*arguments, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'add_one': no locator available for file")
        return plain(*arguments, **options)

    monkeypatch.setattr(numba, "njit", no_locator)
    assert kernel(add_one)(2) == 3


def test_the_first_use_says_that_it_compiles_and_later_ones_start_at_once(tmp_path):
    code = (
        "import numpy; from levcert.kernels.farthest_pair import farthest_pair; "
        "print(farthest_pair(numpy.array([[0.0, 1.0]]), 1.0))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [run.stdout.strip() for run in runs] == ["(0, 1)", "(0, 1)"]
    assert "compiling kernels" in runs[0].stderr
    assert runs[1].stderr == ""


def test_kernels_do_not_use_fast_math():
    from levcert.kernels import conv_edits, conv_scores, far_edits, vote_scores

    for module in (conv_scores, conv_edits, far_edits, vote_scores):
        for value in vars(module).values():
            if hasattr(value, "targetoptions"):
                assert not value.targetoptions.get("fastmath")
