"""The plugin and the program odt, which the wheel has in the folder native, and the program's entry point."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from typing import Optional

FOLDER = pathlib.Path(__file__).resolve().parent / "native"
LIBRARY = "libgstswiftodt.so"


def plugin_folder() -> Optional[pathlib.Path]:
    """Returns the folder of the plugin that belongs to this package: in the checkout that contains it, or in the wheel."""
    # The slice is empty if the package is less than four folders deep.
    checkouts = [root / ".build" / "plugin" for root in FOLDER.parents[3:4]]
    return next((folder for folder in (*checkouts, FOLDER / "lib" / "gstreamer-1.0") if (folder / LIBRARY).exists()), None)


def obstacle(plugin: pathlib.Path) -> Optional[str]:
    """Returns why the system cannot load the plugin, with the remedy; None if it can."""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        if "GLIBC" in str(error):
            return f"this system is too old for this wheel ({error}); Debian 12, Ubuntu 24.04 or newer is required"
        return (f"the wheel needs GStreamer, Cairo, Pango and libjpeg-turbo of the system ({error}): apt-get install "
                "gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav "
                "libcairo2 libpangocairo-1.0-0 libturbojpeg0 (Ubuntu: libturbojpeg)")
    return None


def odt() -> int:
    """Replaces this process with the wheel's program odt."""
    if reason := obstacle(FOLDER / "lib" / "gstreamer-1.0" / LIBRARY):
        print(f"odt: {reason}", file=sys.stderr)
        return 1
    # The programs that fetch models run pip of this environment, also if the environment is not activated.
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', os.defpath)}"
    program = FOLDER / "bin" / "odt"
    os.execv(program, [str(program), *sys.argv[1:]])
