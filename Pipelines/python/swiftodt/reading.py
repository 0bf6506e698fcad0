"""Messages out of structures, JSON, files and metadata."""
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
# Of a time that is not known, in structures.
UNKNOWN = 2**64 - 1

Kind = TypeVar("Kind")


def from_json(line: Union[str, bytes, Mapping[str, Any]]) -> Optional[Message]:
    """A message from its JSON text, or from what json.loads made of that; None where it is none of ours (such as the counters at the
    end of a file)."""
    try:
        content = line if isinstance(line, Mapping) else json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Error(f"is no JSON: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("message"), str):
        raise Error('is no message of swiftodt: it has no field "message"')
    if content["message"] not in KINDS:
        return None
    # With message-format=json the structure carries itself as text, and a result only there has its objects.
    if content["message"] == "swiftodt" and "objects" not in content and isinstance(content.get("json"), str):
        return from_json(content["json"])
    message: Message = made(KINDS[content["message"]], content)
    return message


def messages(source: Union[str, os.PathLike[str], IO[str], IO[bytes]]) -> Iterator[Message]:
    """The messages of a file of JSON lines, one after the other: of what Pipelines/record and Pipelines/bus-to-json write.

    A last line that was cut off, as killed recordings end, is left out; any other that is broken is an `Error` that names it.
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
            if line[-1:] not in ("\n", b"\n"):
                return
            raise Error(f"{name}:{number}: {error}") from None
        if message is not None:
            yield message


def from_message(message: Any) -> Optional[Message]:
    """A message from the bus (`Gst.Message`); None where it is none of ours."""
    structure = message.get_structure()
    return None if structure is None else from_structure(structure)


def from_structure(structure: Any) -> Optional[Message]:
    """A message from its structure (`Gst.Structure`); None where it is none of ours."""
    name = structure.get_name()
    if name not in KINDS:
        return None
    content = plain(structure)
    if name == "swiftodt" and "objects" not in content and isinstance(content.get("json"), str):
        return from_json(content["json"])
    message: Message = made(KINDS[name], content)
    return message


def from_buffer(buffer: Any) -> Optional[Result]:
    """What the element attached to a buffer (`Gst.Buffer`, attach-meta=custom); None where there is nothing."""
    meta = buffer.get_custom_meta("SwiftOdtMeta")
    return None if meta is None else made(Result, plain(meta.get_structure()))


def plain(value: Any) -> Any:
    """A value out of a structure, as JSON knows it."""
    if hasattr(value, "nth_field_name"):
        names = map(value.nth_field_name, range(value.n_fields()))
        return {name: plain(value.get_value(name)) for name in names}
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    return [plain(item) for item in value]


# Of each field: its name here, its name in messages, whether there always is one, whether it is a whole number.
FIELDS: dict[type, list[tuple[str, str, bool, bool]]] = {
    kind: [(field.name, field.name.rstrip("_").replace("_", "-"), field.default is dataclasses.MISSING, "int" in str(field.type))
           for field in dataclasses.fields(kind)]
    for kind in (Result, TrackEvent, ZoneEvent, Object, ZoneCount, LabelCount)}


def made(kind: type[Kind], content: Mapping[str, Any]) -> Kind:
    """A dataclass from the fields of a message. What a newer element says besides is left out."""
    values: dict[str, Any] = {}
    for name, key, is_needed, is_whole in FIELDS[kind]:
        if key not in content:
            if is_needed:
                raise Error(f'has no field "{key}"')
            continue
        value = content[key]
        if name in PARTS:
            if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
                raise Error(f'has a field "{key}" that is no list of structures')
            value = tuple(made(PARTS[name], part) for part in value)
        elif is_whole and value == UNKNOWN:
            value = None
        values[name] = value
    return kind(**values)
