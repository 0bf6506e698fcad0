"""Ray on this machine alone, or on those that are there already."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Read by Ray when it is imported. The first makes "this machine" 127.0.0.1, so that nothing listens on any other address; it is named for
# systems on which Ray does so anyway.
ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# Machines that have much to do take longer to begin than Ray expects.
PATIENT = {"RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}
# The smallest store that Ray makes: results are figures, files go past it.
STORE_BYTES = 80 * 2**20


@contextmanager
def cluster(address: str | None, cores: int | None = None) -> Iterator[Any]:
    """Ray, connected: with the machines at an address, or started here, bound to loopback, for as long as it is used.

    :param address: as Ray takes it: "10.0.0.1:6379", or "auto" for a cluster that this machine is part of.
    :param cores: how many tasks run at once on this machine; all of its cores unless said.
    """
    os.environ.update(QUIET)
    for name, seconds in PATIENT.items():
        os.environ.setdefault(name, seconds)
    if address is None:
        os.environ.update(ALONE)
    else:
        check(address)
    import ray

    options: dict[str, Any] = {"address": address} if address else {
        "address": "local", "num_cpus": cores or len(os.sched_getaffinity(0)), "include_dashboard": False, "object_store_memory": STORE_BYTES,
        "_node_ip_address": "127.0.0.1"}
    try:
        ray.init(logging_level=logging.ERROR, log_to_driver=False, configure_logging=True, **options)
    except ConnectionError as error:
        raise NoCluster(f"Ray at {address} does not let us in: {error} Does it ask for a token? RAY_AUTH_MODE=token sends it") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def check(address: str) -> None:
    """Ray itself would try for minutes.

    :raises NoMachines: where nobody listens.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), 10).close()
    except (OSError, OverflowError) as error:
        raise NoCluster(f"there is no Ray at {address}: {error}; docs/fleet.md says how to start it") from error


class NoCluster(Exception):
    """Ray is not where it was said to be."""
