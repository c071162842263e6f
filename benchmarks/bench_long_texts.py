"""Long and hostile texts: seconds of the processor and peak memory of each, every one in a process of its own.

python benchmarks/bench_long_texts.py VOTES.safetensors CONVOLUTION.safetensors [--only search|size] [--most 1000000]

"search": auto without a budget, and with one of 0.5 s, for texts from 1,000 to 1,000,000 characters: sentences of the
corpus; the same in an order that keeps the margin near 0, so that every edit matters; one letter; symbols at random.
"size": predict, one pass and chains for texts of 1, 10 and 100 MB.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time

KINDS = ("sentences", "near 0", "one letter", "at random")
LENGTHS = (1_000, 4_000, 16_000, 64_000, 100_000, 1_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--only", choices=["search", "size"])
    parser.add_argument("--most", type=int, default=100_000_000)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measured(arguments.models[0], **json.loads(arguments.child))))
        return
    for model in arguments.models:
        print(model)
        if arguments.only != "size":
            for length in LENGTHS:
                for budget in (None, 0.5):
                    for kind in KINDS:
                        show(model, arguments.most, kind=kind, length=length, method="auto", budget=budget)
        if arguments.only != "search":
            for length in (10**6, 10**7, 10**8):
                for method in ("predict", "lipschitz", "chains"):
                    show(model, arguments.most, kind="sentences", length=length, method=method, budget=None)


def show(model: str, most: int, **what) -> None:
    if what["length"] > most:
        return
    command = [sys.executable, __file__, model, "--child", json.dumps(what)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr.strip().splitlines()[-1]
    print("  " + ", ".join(f"{value}" for value in what.values()) + f": {found}", flush=True)


def measured(path: str, kind: str, length: int, method: str, budget: float | None) -> dict:
    import levcert

    model = levcert.load(path)
    short = text_of(model, "sentences", 300)
    text = text_of(model, kind, length)
    use(model, short, method, budget)  # compiles, or loads what was compiled
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    used, started = time.process_time(), time.perf_counter()
    said = use(model, text, method, budget)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "processor": round(time.process_time() - used, 2), "wall": round(time.perf_counter() - started, 2),
        "MB": after, "MB more": after - before, "answer": said,
    }  # fmt: skip


def use(model, text: str, method: str, budget: float | None) -> str:
    import levcert

    if method == "predict":
        return str(model.predict([text])[0])
    try:
        row = levcert.certify(model, [text], method, budget=budget)[0]
    except levcert.InputError as error:
        return str(error)
    return f"{row.radius} {row.claim} {row.undecided or ''}"


def text_of(model, kind: str, length: int) -> str:
    rng = random.Random(0)
    letters = [symbol for symbol in model.alphabet.symbols if isinstance(symbol, str)]
    if kind == "one letter":
        return "a" * length
    if kind == "at random":
        return "".join(rng.choices(letters, k=length))
    import levcert

    sentences = list(map(str, levcert.load_dataset("sst2", os.environ.get("LEVCERT_DATA")).test.texts))
    if kind == "near 0":
        scores = model.scores(sentences)
        leads = (scores[:, 0] - scores[:, 1]).tolist()
        for_first = [s for s, lead in zip(sentences, leads, strict=True) if lead > 0]
        for_second = [s for s, lead in zip(sentences, leads, strict=True) if lead <= 0]
        lead_of, lead, parts, size = dict(zip(sentences, leads, strict=True)), 0.0, [], 0
        while size < length:
            chosen = rng.choice(for_second if lead > 0 else for_first)
            lead += lead_of[chosen]
            parts.append(chosen)
            size += len(chosen)
        return "".join(parts)[:length]
    whole = " ".join(sentences)
    return (whole * (length // len(whole) + 1))[:length]


if __name__ == "__main__":
    main()
