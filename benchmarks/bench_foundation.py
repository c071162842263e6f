"""Encoding speed against a dictionary loop, start-up time, and what a ball costs; one core, one run."""

import subprocess
import sys
import time

from levcert import Alphabet, Ball, load_dataset


def seconds(function, repeat=5):
    """The best of some runs: the machine is shared, and the best run is the least disturbed."""
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def encoding():
    texts = list(load_dataset("languages").train.texts) * 10
    alphabet = Alphabet.from_corpus(texts)
    characters = sum(map(len, texts))
    id_of = {symbol: number for number, symbol in enumerate(alphabet.symbols, 1)}
    alphabet.encode("warm up")
    fast = seconds(lambda: alphabet.encode_many(texts))
    slow = seconds(lambda: [[id_of[c] for c in text.lower() if c in id_of] for text in texts], repeat=1)
    print(f"encode_many: {characters / fast / 1e6:.0f} million characters/s, {slow / fast:.0f}x a dictionary loop")


def start_up():
    def python(*arguments):
        command = [sys.executable, *arguments]
        return 1000 * seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), repeat=10)

    bare = python("-c", "pass")
    print(f"import levcert: {python('-c', 'import levcert') - bare:.0f} ms more than python itself")
    print(f"levcert --help: {python('-m', 'levcert', '--help'):.0f} ms")
    print(f"load_dataset('languages'): {seconds(lambda: load_dataset('languages'), 3):.2f} s")


def balls():
    text = "the quick brown fox jumps over the lazy dog. " * 5
    for k in (1, 2, 3):
        ball = Ball(text, k, Alphabet("abcdefghijklmnopqrstuvwxyz ."))
        cost = seconds(lambda k=k: Ball(text, k, Alphabet("abcdefghijklmnopqrstuvwxyz .")), 2)
        print(f"Ball of {len(text)} characters, k={k}: {ball.size:,} texts counted in {1000 * cost:.0f} ms")


if __name__ == "__main__":
    encoding()
    start_up()
    balls()
