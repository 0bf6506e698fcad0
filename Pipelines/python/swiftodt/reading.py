"""Parses messages from structures, JSON, files and metadata."""
from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Optional, TypeVar, Union

from swiftodt.errors import Error
from swiftodt.messages import LabelCount, Message, Object, Result, TrackEvent, ZoneCount, ZoneEvent

KINDS: dict[str, type] = {"swiftodt": Result, "swiftodt-track": TrackEvent, "swiftodt-zone": ZoneEvent}
PARTS: dict[str, type] = {"objects": Object, "zones": ZoneCount, "by_label": LabelCount}
# The value of an unknown time in structures (GST_CLOCK_TIME_NONE).
UNKNOWN = 2**64 - 1

Kind = TypeVar("Kind")


def from_json(line: Union[str, bytes, Mapping[str, Any]]) -> Optional[Message]:
    """Parses a message from JSON text or from the result of json.loads.

    Returns None for other messages, such as the statistics at the end of a file. Raises Error for JSON without a field `message`.
    """
    try:
        content = line if isinstance(line, Mapping) else json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Error(f"is not JSON: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("message"), str):
        raise Error('is no message of swiftodt: it has no field "message"')
    if content["message"] not in KINDS:
        return None
    # With message-format=json the structure has the message as text in the field json, and only that text contains the objects.
    if content["message"] == "swiftodt" and "objects" not in content and isinstance(content.get("json"), str):
        return from_json(content["json"])
    message: Message = made(KINDS[content["message"]], content)
    return message


def messages(source: Union[str, os.PathLike[str], IO[str], IO[bytes]]) -> Iterator[Message]:
    """Yields the messages of a file of JSON lines, as Pipelines/bus-to-json and odt annotate --json write it.

    Omits an incomplete last line, as a killed recording may have. Raises Error, with the line number, for any other invalid line.
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield from lines_of(file, os.fspath(source))
    else:
        yield from lines_of(source, getattr(source, "name", "the stream"))


def lines_of(file: Iterable[Union[str, bytes]], name: object) -> Iterator[Message]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            message = from_json(line)
        except Error as error:
            if is_truncated(line):
                return
            raise Error(f"{name}:{number}: {error}") from None
        if message is not None:
            yield message


def is_truncated(line: Union[str, bytes]) -> bool:
    """Whether a line is the beginning of a JSON object without its end."""
    if line[-1:] in ("\n", b"\n") or line.lstrip()[:1] not in ("{", b"{"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def from_message(message: Any) -> Optional[Message]:
    """Parses a bus message (`Gst.Message`). Returns None for messages of other elements."""
    structure = message.get_structure()
    return None if structure is None else from_structure(structure)


def from_structure(structure: Any) -> Optional[Message]:
    """Parses a structure (`Gst.Structure`). Returns None for structures of other elements."""
    name = structure.get_name()
    if name not in KINDS:
        return None
    content = plain(structure)
    if name == "swiftodt" and "objects" not in content and isinstance(content.get("json"), str):
        return from_json(content["json"])
    message: Message = made(KINDS[name], content)
    return message


def from_buffer(buffer: Any) -> Optional[Result]:
    """Parses the element's metadata of a buffer (`Gst.Buffer`, attach-meta=custom). Returns None if the buffer has none."""
    meta = buffer.get_custom_meta("SwiftOdtMeta")
    return None if meta is None else made(Result, plain(meta.get_structure()))


def plain(value: Any) -> Any:
    """Returns a value of a structure as a type that JSON has."""
    if hasattr(value, "nth_field_name"):
        names = map(value.nth_field_name, range(value.n_fields()))
        return {name: plain(value.get_value(name)) for name in names}
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    return [plain(item) for item in value]


# Of each dataclass the fields: attribute name, name in messages, whether it is required, whether it is an integer.
FIELDS: dict[type, list[tuple[str, str, bool, bool]]] = {
    kind: [(field.name, field.name.rstrip("_").replace("_", "-"), field.default is dataclasses.MISSING, "int" in str(field.type))
           for field in dataclasses.fields(kind)]
    for kind in (Result, TrackEvent, ZoneEvent, Object, ZoneCount, LabelCount)}


def made(kind: type[Kind], content: Mapping[str, Any]) -> Kind:
    """Makes a dataclass from the fields of a message. Ignores fields that this version does not have."""
    values: dict[str, Any] = {}
    for name, key, is_needed, is_whole in FIELDS[kind]:
        if key not in content:
            if is_needed:
                raise Error(f'has no field "{key}"')
            continue
        value = content[key]
        if name in PARTS:
            if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
                raise Error(f'has a field "{key}" that is not a list of structures')
            value = tuple(made(PARTS[name], part) for part in value)
        elif is_whole and value == UNKNOWN:
            value = None
        elif is_whole and value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise Error(f'has a field "{key}" that is not a whole number')
        values[name] = value
    return kind(**values)
