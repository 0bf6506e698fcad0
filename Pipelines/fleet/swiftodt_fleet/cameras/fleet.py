"""All cameras of a file, for as long as they stand in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .configuration import Configuration, ConfigurationError
from .export import Destinations
from .leftovers import Leftovers
from .mqtt import Broker, password_of
from .post import Post
from .worker import Order


@dataclass(frozen=True)
class FleetOptions:
    """What holds for all cameras."""

    configuration: Path
    place: str
    journals: Path
    cpus: float = 1.0
    live: str | None = None
    every: float = 60.0
    retry: float = 60.0


class Fleet:
    """Has each camera of the file watched; looks after the file, and after those who watch. It belongs to one thread."""

    def __init__(self, options: FleetOptions, say: Callable[[str], None]) -> None:
        """Raises ConfigurationError."""
        self._options, self._say = options, say
        self._posts: dict[str, Post] = {}
        # Those that are taken away, or followed by another one once they are over.
        self._ending: dict[str, Post] = {}
        self._stamp = self._look_at_file()
        self.configuration = Configuration.read(options.configuration)
        self._destinations = self._destinations_of(self.configuration)
        for warning in self.configuration.warnings:
            say(warning)
        self._leftovers = Leftovers(self._destinations, set(self.configuration.cameras))

    def attend(self, ray: Any) -> None:
        """Does what is due, on these machines."""
        self._read_again()
        self._leftovers.watched = {*self._posts, *self._ending, *self.configuration.cameras}
        for name, leaving in list(self._ending.items()):
            leaving.attend()
            if leaving.is_over:
                del self._ending[name]
        for name, camera in self.configuration.cameras.items():
            order = Order(camera, self._destinations, self._options.live, self._options.retry)
            post: Post | None = self._posts.get(name)
            if post and _gist(post.order) != _gist(order):
                self._end(name)
                post = None
            if post is None and name not in self._ending:
                self._posts[name] = Post(ray, order, self._options.cpus, self._options.retry)
        for name in set(self._posts) - set(self.configuration.cameras):
            self._end(name)
            self._say(f"{name}: is not in {self._options.configuration} any more")
        for name, staying in self._posts.items():
            for complaint in staying.attend():
                self._say(f"{name}: {complaint}")

    @property
    def status(self) -> list[dict[str, Any]]:
        """Of all cameras, in the order of the file."""
        posts = self._posts
        return [{"name": name, "workers": posts[name].workers} | posts[name].status for name in self.configuration.cameras if name in posts]

    def end(self, patience: float = 40.0) -> None:
        """Ends all of them; what could not be told by then waits for the next time."""
        try:
            for name in list(self._posts):
                self._end(name)
            end = time.monotonic() + patience
            while self._ending and time.monotonic() < end:
                for name in [name for name, post in self._ending.items() if post.is_over]:
                    del self._ending[name]
                time.sleep(0.05)
        except Exception as error:
            # Without Ray, workers end by themselves.
            self._say(f"Ray does not answer ({str(error).splitlines()[0]})")
        self._leftovers.stop()

    def _end(self, name: str) -> None:
        post = self._ending[name] = self._posts.pop(name)
        post.end()

    def _read_again(self) -> None:
        """The file, where it has changed. One with a mistake in it changes nothing."""
        stamp = self._look_at_file()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            configuration = Configuration.read(self._options.configuration)
            destinations = self._destinations_of(configuration)
        except ConfigurationError as error:
            self._say(f"{error}; all goes on as it was")
            return
        self.configuration, self._destinations = configuration, destinations
        self._leftovers.destinations = destinations

    def _look_at_file(self) -> tuple[int, int, int] | None:
        try:
            status = self._options.configuration.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _destinations_of(self, configuration: Configuration) -> Destinations:
        options, folder = configuration.options, self._options.configuration.resolve().parent
        broker = None
        if "mqtt" in options:
            files = {key: str(folder / options[key]) for key in ("mqtt-ca", "mqtt-cert", "mqtt-key", "mqtt-password-file") if key in options}
            try:
                for file in files.values():
                    open(file, "rb").close()
                password = password_of(files.get("mqtt-password-file"))
                broker = Broker.named(
                    options["mqtt"], password=password, authority=files.get("mqtt-ca"), certificate=files.get("mqtt-cert"),
                    key=files.get("mqtt-key"),
                )  # fmt: skip
            except (OSError, ValueError) as error:
                raise ConfigurationError(f"{self._options.configuration}: mqtt: {error}") from None
        return Destinations(self._options.place, self._options.journals, broker, self._options.every, self._options.retry)


def _gist(order: Order) -> tuple[str, Destinations]:
    return order.camera.gist, order.destinations
