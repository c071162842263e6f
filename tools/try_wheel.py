"""Install what ``make dist`` built into empty environments, and use it there: core alone, then each extra on its own.

    python tools/try_wheel.py python3.11 python3.12 python3.13
    python tools/try_wheel.py python3.12 --only core --only hub

Each trial makes a new virtual environment and an empty folder, installs the wheel (and once the sdist) with one extra,
and runs something that needs this extra; a model for that is trained first, by the Python that runs this script.  The
table that it prints says what worked; the exit code is 1 if something did not.  Environments are deleted afterwards.
pip takes packages from wherever it is configured to.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DIST = Path(__file__).resolve().parents[1] / "dist"

SERVE = """
import subprocess, sys, time, urllib.request
from pathlib import Path
levcert = Path(sys.executable).with_name("levcert")
server = subprocess.Popen([levcert, "serve", "toy.safetensors", "--port", "8765"])
try:
    for attempt in range(120):
        time.sleep(1)
        try:
            page = urllib.request.urlopen("http://127.0.0.1:8765/").read()
            break
        except OSError:
            pass
    assert b"levcert" in page
finally:
    server.terminate()
"""
SKLEARN = """
import levcert
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
data = levcert.load_dataset("toy")
texts, labels = list(data.train.texts), [data.labels[y] for y in data.train.labels]
levcert.LevenshteinClassifier().fit(texts, labels).certify(["hello w0rld"])
pipeline = make_pipeline(TfidfVectorizer(analyzer="char"), LogisticRegression()).fit(texts, labels)
levcert.certify(levcert.from_sklearn(pipeline), ["hello w0rld"], max_distance=1)
"""
SIGN = """
import subprocess
def openssl(command): subprocess.run(["openssl", *command.split()], check=True)
openssl("genpkey -algorithm ed25519 -out private.pem")
openssl("pkey -in private.pem -pubout -out public.pem")
openssl("pkeyutl -sign -rawin -inkey private.pem -in toy.safetensors -out toy.safetensors.sig")
import levcert
levcert.load("toy.safetensors", trusted_key="public.pem")
"""

TRIALS = {  # extra → what to run after the installation: a command, or lines of Python
    "core": ["levcert --version", "levcert demo"],
    "web": [SERVE],
    "sklearn": [SKLEARN],
    "sign": [SIGN],
    "excel": ["levcert predict toy.safetensors --file texts.xlsx --text-column text"],
    "cluster": ["levcert predict toy.safetensors --file texts.csv --cluster local:2 -o rows.csv"],
    "benchmark": ["\nimport matplotlib, levcert.benchmark.figures\n"],
    "hub": ["\nimport datasets, huggingface_hub, levcert\n"],
    "train": ["levcert train toy --model conv --epochs 1 --filters 8 --kernel-size 3 -o conv.safetensors",
              "levcert certify conv.safetensors hello --max-distance 1"],
}  # fmt: skip


def workbook(path, texts):
    """Write the smallest workbook with one column ``text``."""
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}</t></is></c></row>' for n, text in enumerate(texts, 1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        )
        for folder, target, what in (
            ("", "xl/workbook.xml", "officeDocument"), ("xl/", "worksheets/sheet1.xml", "worksheet")
        ):  # fmt: skip
            name = f"{folder}_rels/{'workbook.xml' if folder else ''}.rels"
            relation = f'<Relationship Id="r1" Type="{office}/{what}" Target="{target}"/>'
            file.writestr(name, f'<Relationships xmlns="{package}/relationships">{relation}</Relationships>')
        sheets = '<sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets>'
        file.writestr("xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{office}">{sheets}</workbook>')
        file.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        )


def attempt(python, archive, extra, uses, model, constraints):
    """Give "works", or the step that failed and the end of what it printed."""
    folder = Path(tempfile.mkdtemp(prefix="levcert-wheel-"))
    binaries, empty = folder / "venv" / "bin", folder / "empty"
    try:
        empty.mkdir()
        (empty / "texts.csv").write_text("text\nhello w0rld\n12 34\n", encoding="utf-8")
        shutil.copy(model, empty / "toy.safetensors")
        workbook(empty / "texts.xlsx", ["text", "hello w0rld", "12 34"])
        wanted = str(archive) if extra == "core" else f"{archive}[{extra}]"
        steps = [
            [python, "-m", "venv", folder / "venv"],
            [binaries / "pip", "install", "--quiet", *constraints, wanted],
        ]
        for use in uses:
            name, *arguments = use.split()
            steps.append([binaries / "python", "-c", use] if use[0] == "\n" else [binaries / name, *arguments])
        environment = {"PATH": f"{binaries}:/usr/bin:/bin", "HOME": str(Path.home())}
        for step in steps:
            done = subprocess.run(step, cwd=empty, env=environment, capture_output=True, text=True, timeout=1200)
            if done.returncode:
                print(done.stdout[-2000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
                said = (done.stderr or done.stdout).strip().splitlines()[-1:]
                return f"FAILED at {Path(str(step[0])).name} {' '.join(map(str, step[1:3])).strip()[:40]}: {said}"
        return "works"
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pythons", nargs="+", help="interpreters, such as python3.12")
    parser.add_argument("--only", action="append", choices=[*TRIALS, "sdist"], help="only this trial; may be repeated")
    parser.add_argument("--constraint", help="a file for pip's -c; constraints.txt has the versions that we test")
    options = parser.parse_args()
    constraints = ["-c", str(Path(options.constraint).resolve())] if options.constraint else []
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    failures = 0
    model = Path(tempfile.mkdtemp(prefix="levcert-model-")) / "toy.safetensors"
    subprocess.run([sys.executable, "-m", "levcert", "train", "toy", "-o", model], check=True, capture_output=True)
    for python in options.pythons:
        version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        trials = {"sdist": (sdist, "core", TRIALS["core"])} | {name: (wheel, name, TRIALS[name]) for name in TRIALS}
        for name, trial in trials.items():
            if not options.only or name in options.only:
                outcome = attempt(python, *trial, model, constraints)
                failures += outcome != "works"
                print(f"| {version} | {name} | {outcome} |", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
