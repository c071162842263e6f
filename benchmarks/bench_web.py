"""How long a page waits: /certify for texts of 250 characters, 8 clients at once, a server on one core.

python benchmarks/bench_web.py MODEL.safetensors DATA_DIR [--requests 400]
python benchmarks/bench_web.py MODEL.safetensors DATA_DIR --load [--seconds 20]

"at once" clients ask again as soon as they are answered; "typing" clients ask three times a second, as the page does
while somebody types.  Fresh texts were never asked before; remembered ones were.  --load asks more than the server can
answer (see load_on_a_server.py), which may use every core then.
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time

import numpy as np

import levcert

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from benchmarks.load_on_a_server import Load

CLIENTS = 8
LENGTH = 250
TYPING = 1 / 3  # seconds between two questions of one person


class Server:
    """The real command on its own core and a free port; ends with the block."""

    def __init__(self, model, one_core=True):
        self.model, self.one_core = model, one_core

    def __enter__(self):
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from levcert.cli.app import main; main()", "serve", self.model, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self.one_core:
            os.sched_setaffinity(self.process.pid, {min(os.sched_getaffinity(0))})
        line = self.process.stdout.readline()
        print(f"ready after {time.perf_counter() - started:.1f} s: {line.strip()}")
        self.port = int(line.split("://127.0.0.1:")[1].split(";")[0])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def client(port, texts, options, pause, waits, failures):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for text in texts:
        started = time.perf_counter()
        body = json.dumps({"texts": [text], **options})
        connection.request("POST", "/certify", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        seconds = time.perf_counter() - started
        waits.append(seconds)
        failures += [answer.status] if answer.status != 200 else []
        time.sleep(max(pause - seconds, 0) * random.uniform(0.5, 1.5))


def processor_seconds(pid):
    """Return what the server has used of its core: a figure that other processes do not disturb."""
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(name, server, texts, options, pause=0.0):
    waits, failures = [], []
    threads = [
        threading.Thread(target=client, args=(server.port, texts[number::CLIENTS], options, pause, waits, failures))
        for number in range(CLIENTS)
    ]
    used, started = processor_seconds(server.process.pid), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = len(waits) / (time.perf_counter() - started)
    used = 1000 * (processor_seconds(server.process.pid) - used) / len(waits)
    median, late = (1000 * np.quantile(waits, share) for share in (0.5, 0.95))
    print(
        f"{name:38} median {median:6.1f} ms, 95 % within {late:6.1f} ms, {rate:5.0f}/s, "
        f"{used:5.1f} ms of processor each, {len(failures)} refused"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("data_dir")
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    name = levcert.load(arguments.model).training.data["name"]
    corpus = " ".join(str(text) for text in levcert.load_dataset(name, arguments.data_dir).test.texts)

    if arguments.load:
        with Server(arguments.model, one_core=False) as server:
            asyncio.run(Load(server.port, corpus, arguments.seconds).all())
        sys.exit()

    def fresh(number):
        """Give texts that no other measurement asks for."""
        first = number * arguments.requests * LENGTH
        return [corpus[first + i * LENGTH :][:LENGTH] for i in range(arguments.requests)]

    with Server(arguments.model) as server:
        quick, one = {"method": "lipschitz"}, {"max_distance": 1}
        measure("one pass, fresh, at once", server, fresh(0), quick)
        measure("auto, one edit, fresh, typing", server, fresh(1), one, TYPING)
        measure("auto, one edit, remembered, at once", server, fresh(1), one)
        measure("auto, one edit, fresh, at once", server, fresh(2), one)
        measure("auto, any distance, fresh, typing", server, fresh(3)[:160], {}, TYPING)
