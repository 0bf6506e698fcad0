"""Imports the optional packages that some functions need."""
import importlib
from typing import Any

from swiftodt.errors import MissingPackage


def package(name: str, for_what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackage(f"{for_what} needs the package {name}: pip install {name}") from None
