"""Initialises GStreamer on first use. Reading files of messages does not need it."""
from __future__ import annotations

import difflib
import operator
import os
import sys
from functools import cache
from typing import Any, Optional

from swiftodt.errors import Error, MissingPackage, PropertyError
from swiftodt.native import LIBRARY, obstacle, plugin_folder


def gstreamer() -> Any:
    """Returns the initialised module Gst, with the element available. Raises Error in a fork of the process that initialised it.

    A fork has none of the threads of GStreamer and OpenVINO, so that it would wait for them forever.
    """
    if is_fork():
        raise Error('GStreamer cannot be used in a fork of a process that used it; use the start method "spawn" of multiprocessing')
    return initialised()[0]


def is_fork() -> bool:
    """Whether this process is a fork of one that had initialised GStreamer, with this package or without it."""
    return (gstreamer_process or initialised()[1]) != os.getpid()


# The id of the earliest process in the chain of ancestors, including this process, that forked after it had initialised GStreamer.
gstreamer_process: Optional[int] = None


def note_fork() -> None:
    """Records this process if it has initialised GStreamer. Runs before each fork."""
    global gstreamer_process
    Gst = sys.modules.get("gi.repository.Gst")
    if gstreamer_process is None and Gst is not None and Gst.is_initialized():
        gstreamer_process = os.getpid()


os.register_at_fork(before=note_fork)


@cache
def initialised() -> tuple[Any, int]:
    """Initialises GStreamer. Returns the module Gst, and the id of this process.

    The plugin of the checkout or wheel that contains this package takes precedence over an installed one.
    """
    try:
        import gi

        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        raise MissingPackage(f"GStreamer's bindings are missing ({error}): apt-get install python3-gi python3-gst-1.0, and create a virtual "
                             "environment with --system-site-packages") from None
    built = plugin_folder()
    if not Gst.is_initialized():
        if built:
            others = os.environ.get("GST_PLUGIN_PATH")
            os.environ["GST_PLUGIN_PATH"] = f"{built}:{others}" if others else str(built)
        Gst.init(None)
    if not Gst.ElementFactory.find("swiftodt") and built:
        Gst.Registry.get().scan_path(str(built))
    if not Gst.ElementFactory.find("swiftodt"):
        raise Error(built and obstacle(built / LIBRARY) or "GStreamer finds no element swiftodt: run Pipelines/setup --install in its checkout")
    return Gst, os.getpid()


def size(caps: Any) -> tuple[int, int]:
    """Returns width and height of raw video. Reads GstVideoInfo, because PyGObject 1.26 lends structures of caps only within `with`."""
    import gi

    gi.require_version("GstVideo", "1.0")
    from gi.repository import GstVideo

    picture = GstVideo.VideoInfo.new_from_caps(caps)
    return picture.width, picture.height


def set_property(element: Any, keyword: str, value: Any) -> None:
    """Sets a property by its name with underscores. Raises PropertyError for an unknown name or value, which GStreamer would ignore."""
    name = keyword.replace("_", "-")
    about = element.find_property(name)
    if about is not None and not about.flags & 2:  # GObject.ParamFlags.WRITABLE
        raise PropertyError(f"the property {keyword} cannot be set")
    if about is None:
        near = difflib.get_close_matches(name, [one.name for one in element.list_properties() if one.flags & 2], 1)
        hint = f"; did you mean {near[0].replace('-', '_')}?" if near else ": docs/properties.md lists them"
        raise PropertyError(f"swiftodt has no property {keyword}{hint}")
    try:
        set_value(element, about, keyword, value)
    except PropertyError:
        raise
    except (TypeError, OverflowError, ValueError) as error:
        raise PropertyError(f"{value!r} is no valid value of {keyword}: {error}") from None


def set_value(element: Any, about: Any, keyword: str, value: Any) -> None:
    """Sets the property that `about` describes. Raises PropertyError, or an error of Python or PyGObject if the value has a wrong type."""
    Gst, name, kind = gstreamer(), about.name, about.value_type.fundamental.name
    if kind == "gchararray" and isinstance(value, LISTS):
        # The lists among the properties are texts with commas.
        if not all(isinstance(part, str) and "," not in part for part in value):
            raise PropertyError(f"{value!r} is no valid value of {keyword}: it needs names without commas")
        value = ",".join(value)
    if kind in ("GEnum", "GFlags"):
        text = "+".join(map(str, value)) if isinstance(value, LISTS) else str(value)
        if is_bool(value):
            # The enumeration of draw-coasting has the values "true" and "false".
            text = text.lower()
        Gst.util_set_object_arg(element, name, text)
        now = element.get_property(name)
        heard = {now.value_nick} if kind == "GEnum" else set(now.value_nicks)
        wanted = {part for part in text.split("+") if part and part != "0"}
        if heard != wanted:
            raise PropertyError(f"{value!r} is no valid value of {keyword}; gst-inspect-1.0 swiftodt lists the values")
        return
    value = checked_array(value, name) if kind == "GstValueArray" else checked(value, kind)
    if kind in (*WHOLE, "gdouble") and not about.minimum <= value <= about.maximum:
        raise PropertyError(f"{keyword} must be from {about.minimum} to {about.maximum}, not {value}")
    element.set_property(name, value)


LISTS = (list, tuple, set, frozenset)
WHOLE = ("guint", "gint", "guint64", "gint64")


def checked(value: Any, kind: str) -> Any:
    """Returns a value for a property of a fundamental type. Raises TypeError for values that PyGObject would convert to a wrong one."""
    if kind == "gboolean":
        if not is_bool(value):
            raise TypeError("it needs True or False")
        return bool(value)
    elif kind in WHOLE:
        if is_bool(value):
            raise TypeError("it needs a whole number")
        return operator.index(value)
    elif kind == "gdouble":
        if is_bool(value) or isinstance(value, str):
            raise TypeError("it needs a number")
        return float(value)
    elif kind == "gchararray" and value is not None:
        value = os.fspath(value)
        if not isinstance(value, str) or "\0" in value:
            raise TypeError("it needs a text without NUL")
    return value


def is_bool(value: Any) -> bool:
    """Whether a value is a bool of Python or numpy. numpy is not imported, because it is optional."""
    return isinstance(value, bool) or type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")


def checked_array(value: Any, name: str) -> Any:
    """Returns a value for an array. Raises TypeError for other types, of which PyGObject and the element would use only parts."""
    Gst = gstreamer()
    part, parts = (Gst.Structure, "structures") if name == "zones-array" else (str, "texts without NUL")
    if not isinstance(value, (list, tuple, Gst.ValueArray)) or not all(isinstance(one, part) and "\0" not in str(one) for one in value):
        raise TypeError(f"it needs a list of {parts}")
    return value
