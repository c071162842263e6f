"""Runs on a dask scheduler that other processes are, reached by its address: plain, and with TLS."""

import datetime
import ipaddress
import json
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.soak import make_rows
from tests.cli.test_long_runs import CERTIFY, one_sentence, run

pytest.importorskip("distributed", reason="a cluster needs levcert[cluster]")
pytest.importorskip("cryptography", reason="certificates are made with levcert[sign]")


@dataclass(frozen=True)
class Identity:
    """A certificate that signs itself, so that it is its own authority, and its key."""

    certificate: Path
    key: Path

    @property
    def flags(self) -> list[str]:
        """The flags of dask's commands, and of ours."""
        return ["--tls-ca-file", str(self.certificate), "--tls-cert", str(self.certificate), "--tls-key", str(self.key)]


def self_signed(folder: Path, name: str) -> Identity:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(here, critical=False)
        .sign(key, hashes.SHA256())
    )
    identity = Identity(folder / f"{name}.pem", folder / f"{name}.key")
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    identity.certificate.write_bytes(certificate.public_bytes(pem))
    identity.key.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return identity


@contextmanager
def cluster(folder: Path, protocol: str, flags: list[str]):
    """Start a scheduler and a worker as docs/large-runs.md says; give the address, and end both whatever happens."""
    facts, log = folder / f"{protocol}.json", folder / f"{protocol}.log"
    common = ["--protocol", protocol, *flags, "--no-dashboard"]
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(facts), *common]
    with ExitStack() as stack, log.open("w") as output:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "dask", *arguments]
            process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
            stack.callback(process.wait, 60)
            stack.callback(process.kill)
            return process

        started = start(*scheduler)
        while not facts.exists():  # otherwise this test runs into its time limit
            assert started.poll() is None, log.read_text()
            time.sleep(0.05)
        address = json.loads(facts.read_text())["address"]
        start("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "60", *common)
        yield address


@pytest.fixture
def rows(folder, invoke):
    """Rows to certify, and what one process makes of them."""
    make_rows(folder / "rows.csv", 500)
    assert invoke(*CERTIFY, "-o", "alone.csv", "--workers", 1).exit_code == 0
    return (folder / "alone.csv").read_bytes()


def test_a_scheduler_elsewhere_gives_the_bytes_of_one_process(folder, rows):
    with cluster(folder, "tcp", []) as address:
        assert address.startswith("tcp://127.0.0.1:")
        result = run(folder, *CERTIFY, "-o", "cluster.csv", "--cluster", address)
        assert (result.returncode, result.stderr) == (0, "")
        assert (folder / "cluster.csv").read_bytes() == rows
    gone = run(folder, *CERTIFY, "-o", "gone.csv", "--cluster", address)
    assert gone.returncode == 2
    assert one_sentence(gone.stderr)
    assert f"Cannot connect to a dask scheduler at {address}: " in gone.stderr
    assert not list(folder.glob("gone.csv*"))


def test_a_scheduler_with_tls_answers_those_who_have_its_certificate(folder, rows):
    ours, another = self_signed(folder, "ours"), self_signed(folder, "another")
    with cluster(folder, "tls", ours.flags) as address:
        assert address.startswith("tls://127.0.0.1:")
        result = run(folder, *CERTIFY, "-o", "tls.csv", "--cluster", address, *ours.flags)
        assert (result.returncode, result.stderr) == (0, "")
        assert (folder / "tls.csv").read_bytes() == rows
        for flags, message in ((another.flags, "certificate does not match"), ([], "TLS needs three files")):
            refused = run(folder, *CERTIFY, "-o", "refused.csv", "--cluster", address, *flags)
            assert refused.returncode == 2
            assert one_sentence(refused.stderr)
            assert message in refused.stderr
            assert not list(folder.glob("refused.csv*"))
        plain = run(folder, *CERTIFY, "-o", "refused.csv", "--cluster", address.replace("tls", "tcp"), *ours.flags)
        assert (plain.returncode, one_sentence(plain.stderr)) == (2, True)
