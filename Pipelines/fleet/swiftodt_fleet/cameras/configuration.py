"""The file that `odt watch --config` takes, read so that each camera gets what is its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

# What of [watch] is done here for all cameras together, and what has no use here.
OURS = {"page", "page-token-file", "mqtt", "mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key"}
USELESS = {
    "json": "events are in the tables, and at the broker", "quiet": "lines go to nobody", "store": "the tables are what is kept",
    "store-days": "the tables are what is kept", "store-size": "the tables are what is kept",
    "mqtt-discovery": "Home Assistant is told by odt watch alone", "mqtt-queue": "events wait on the disk, all of them",
}  # fmt: skip
# What names files, as seen from the file that names them.
FILES = {"record", "page-token-file", "mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key"}
NAME = re.compile(r"[^\W_][\w.-]*")


class ConfigurationError(Exception):
    """What is wrong, with its line."""


@dataclass(frozen=True)
class CameraOrder:
    """One camera as it is asked for.

    text: a configuration for it alone, in which each line stands where it stood, so that odt names the right one when it complains.
    file: where it stands.
    """

    name: str
    text: str
    file: str

    @property
    def gist(self) -> str:
        """What is the same as long as the same is asked for, wherever it stands."""
        return "\n".join(line for line in self.text.splitlines() if line)


@dataclass
class _Group:
    name: str
    # By the number of their lines.
    entries: dict[int, tuple[str, str]] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True)
class Configuration:
    """All of a file."""

    cameras: dict[str, CameraOrder]
    # What of [watch] is done here.
    options: dict[str, str]
    warnings: list[str]

    @classmethod
    def read(cls, path: Path) -> Configuration:
        """Raises ConfigurationError."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise ConfigurationError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None
        groups = _groups(text, path)
        names = [group.name.removeprefix("camera ") for group in groups if group.name.startswith("camera ")]
        for group in groups:
            _check(group, path)
        options, warnings = {}, []
        for group in groups:
            for number, (key, value) in sorted(group.entries.items()):
                if group.name == "watch" and key in OURS:
                    options[key] = value
                elif group.name == "watch" and key in USELESS:
                    warnings.append(f"{path}:{number}: {key} has no effect here: {USELESS[key]}")
        cameras = {name: CameraOrder(name, _text_for(name, groups), str(path)) for name in names}
        return cls(cameras, options, warnings)


def _groups(text: str, path: Path) -> list[_Group]:
    groups: list[_Group] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            name = line[1:-1]
            if not line.endswith("]") or not name or set(name) & set("[]"):
                raise ConfigurationError(f"{path}:{number}: a group is a name between [ and ], not '{line}'")
            if any(group.name == name for group in groups):
                raise ConfigurationError(f"{path}:{number}: [{name}] is there already")
            groups.append(_Group(name, line=number))
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key:
            raise ConfigurationError(f"{path}:{number}: '{line}' is neither a group, nor a key with its value, nor a comment")
        if not groups:
            raise ConfigurationError(f"{path}:{number}: '{key}' stands before the first group")
        if any(key == other for other, _ in groups[-1].entries.values()):
            raise ConfigurationError(f"{path}:{number}: {key} is there already")
        groups[-1].entries[number] = (key, _whole(groups[-1].name, key, value, path.resolve().parent))
    return groups


def _whole(group: str, key: str, value: str, folder: Path) -> str:
    """Files by their whole names; zones as they are, which other machines need not have as a file."""
    if key == "zones" and not value.startswith(("[", "{")):
        try:
            text = (folder / value).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            # Which odt says better, and with its line.
            return str(folder / value)
        return " ".join(text.split()).replace("\\", "\\\\")
    is_file = key in FILES if group == "watch" else key == "source" and "://" not in value
    return str(folder / value) if is_file and value else value


def _check(group: _Group, path: Path) -> None:
    if group.name in ("watch", "cameras"):
        return
    place, name = f"{path}:{group.line}", group.name.removeprefix("camera ")
    if name == group.name:
        raise ConfigurationError(f"{place}: there is no group [{name}]: they are [watch], [cameras] and [camera NAME]")
    if not NAME.fullmatch(name) or len(name.encode()) > 64:
        raise ConfigurationError(f"{place}: '{name}' cannot be a camera's name: letters, digits, '-', '_' and '.' can be in one")
    if not any(key == "source" and value for key, value in group.entries.values()):
        raise ConfigurationError(f"{place}: [{group.name}] has no source=")


def _text_for(name: str, groups: list[_Group]) -> str:
    lines: dict[int, str] = {}
    for group in groups:
        if group.name not in ("watch", "cameras", f"camera {name}"):
            continue
        lines[group.line] = f"[{group.name}]"
        for number, (key, value) in group.entries.items():
            if group.name != "watch" or key not in OURS | set(USELESS):
                lines[number] = f"{key}={value}"
    return "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1)) + "\n"
