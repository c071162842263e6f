"""Workers on many machines, by dask.distributed: the same interface as a pool of processes.

A scheduler runs whatever it is sent: an open one means that anyone who reaches it runs code on its workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from levcert.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

_LOCAL: Final = "local:"


@dataclass(frozen=True)
class Tls:
    """Certificates and key for a scheduler that is reached by TLS (addresses that begin with tls://)."""

    ca_file: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


@contextmanager
def connected(address: str, tls: Tls | None = None) -> Iterator[Client]:
    """Give a client of the scheduler at an address, or of a new cluster on this machine (``local:N``)."""
    try:
        import distributed
    except ImportError:
        raise InputError("A cluster needs dask.distributed; install levcert[cluster].") from None
    if address.startswith(_LOCAL):
        count = _local_workers(address)
        with (
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(address, security=_security(distributed, address, tls), timeout="10s")
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"Cannot connect to a dask scheduler at {address}: {str(error).rstrip('.')}.") from None
    with client:
        yield client


def workers_of(client: Client) -> int:
    """Return how many chunks a cluster can answer at once; at least 1, for workers may join later."""
    return max(1, int(sum(client.nthreads().values())))


def begin_on_workers(client: Client, name: str, begin: Callable[[], None]) -> None:
    """Run ``begin`` once on every worker, also on those that join later or replace one that died."""
    from distributed import WorkerPlugin

    class Begin(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            begin()

    client.register_plugin(Begin(), name=name)


def _local_workers(address: str) -> int:
    count = address.removeprefix(_LOCAL)
    if not count.isdecimal() or not int(count):
        raise InputError(f"--cluster local:N takes a number of workers, such as local:4, not {address!r}.")
    return int(count)


def _security(distributed: Any, address: str, tls: Tls | None) -> Any:
    tls = tls or Tls()
    if tls == Tls() and not address.startswith("tls:"):
        return None
    for path in (tls.ca_file, tls.certificate, tls.key):
        if path is None or not path.is_file():
            raise InputError("TLS needs three files: --tls-ca-file, --tls-cert and --tls-key.")
    return distributed.Security(
        tls_ca_file=str(tls.ca_file), tls_client_cert=str(tls.certificate), tls_client_key=str(tls.key),
        require_encryption=True,
    )  # fmt: skip


def in_words(error: Exception) -> Exception:
    """Return an error of the cluster as one that users understand; any other error as it is."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if "KilledWorker" in names:
        return InputError("Workers of the cluster died again and again over the same rows; see their logs.")
    if names & {"CommClosedError", "FutureCancelledError"}:
        return InputError("The cluster has gone away; check the scheduler.")
    return error
