"""Detects and tracks objects in video with the GStreamer element swiftodt.

    import swiftodt

    for frame, objects in swiftodt.track("in.mp4"):
        for thing in objects:
            print(frame.seconds, thing.tracking_id, thing.name, thing.box)

docs/python.md documents the package.
"""
from swiftodt.errors import Error, MissingPackage, PropertyError
from swiftodt.messages import LabelCount, Message, Object, Result, TrackEvent, ZoneCount, ZoneEvent
from swiftodt.reading import from_buffer, from_json, from_message, from_structure, messages
from swiftodt.tables import dataframe, detections, rows
from swiftodt.tracking import Frame, Tracking, track

__all__ = [
    "Error", "Frame", "LabelCount", "Message", "MissingPackage", "Object", "PropertyError", "Result", "TrackEvent", "Tracking",
    "ZoneCount", "ZoneEvent", "dataframe", "detections", "from_buffer", "from_json", "from_message", "from_structure", "messages",
    "rows", "track",
]
