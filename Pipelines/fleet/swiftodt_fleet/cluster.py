"""Starts Ray on this machine, or connects to an existing cluster."""

from __future__ import annotations

import logging
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import RunError

# Ray reads these variables when it is imported. The first one makes Ray use 127.0.0.1 as this machine's address, so that it listens
# on no other one. Ray's name for the variable refers to the systems on which it always does that.
ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# Busy machines need longer to start a worker than Ray's default timeouts.
PATIENT = {"RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}
# The smallest object store that Ray accepts. Results are small, and files do not pass through the store.
STORE_BYTES = 80 * 2**20
# The minimum free space in bytes that Ray needs for its logs and sockets.
MINIMUM_FREE_BYTES = 100 * 2**20


@contextmanager
def cluster(address: str | None, cores: int | None = None) -> Iterator[Any]:
    """Connects to a Ray cluster, or starts Ray on this machine, bound to loopback, for the duration of the context.

    :param address: in Ray's syntax: "10.0.0.1:6379", or "auto" for a cluster that this machine belongs to; None starts Ray here.
    :param cores: the number of concurrent tasks on this machine; default: all cores.
    """
    os.environ.update(QUIET)
    for name, seconds in PATIENT.items():
        os.environ.setdefault(name, seconds)
    if address is None:
        check_space()
        os.environ.update(ALONE)
    else:
        check(address)
    import ray

    options: dict[str, Any] = {"address": address} if address else {
        "address": "local", "num_cpus": cores or len(os.sched_getaffinity(0)), "include_dashboard": False, "object_store_memory": STORE_BYTES,
        "_node_ip_address": "127.0.0.1"}
    try:
        ray.init(logging_level=logging.ERROR, log_to_driver=False, configure_logging=True, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        if address is None:
            raise RunError(f"Ray cannot be started: {error}") from error
        hint = " If the cluster requires a token, set RAY_AUTH_MODE=token" if isinstance(error, ConnectionError) else ""
        raise NoCluster(f"cannot join Ray at {address}: {error}{hint}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def check_space() -> None:
    """Checks the file system of Ray's temporary folder. On a full one, Ray would wait forever.

    :raises RunError: if it has too little free space.
    """
    # Ray reads the variables in this order. tempfile.gettempdir() cannot be used, because it skips folders on full file systems.
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        # Ray makes the folder, or names the problem.
        return
    if free < MINIMUM_FREE_BYTES:
        raise RunError(f"{folder} has {free // 2**20} MiB of free space, and Ray needs {MINIMUM_FREE_BYTES // 2**20} MiB; free space there, or set TMPDIR")


def check(address: str) -> None:
    """Raises NoCluster at once if nothing listens at the address. Ray itself would try for minutes.

    :raises NoCluster: if the connection fails.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), 10).close()
    except (OSError, OverflowError) as error:
        raise NoCluster(f"there is no Ray at {address}: {error}; docs/fleet.md describes how to start it") from error


class NoCluster(Exception):
    """There is no Ray cluster at the given address, or it refuses the connection."""
