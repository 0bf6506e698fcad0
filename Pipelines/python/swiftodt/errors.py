"""The exceptions of this package."""


class Error(Exception):
    """An error of the element or of another element in the pipeline."""


class PropertyError(Error, ValueError):
    """A property that the element does not have, or an invalid value for one."""


class MissingPackage(Error, ImportError):
    """A package that this function needs is not installed. The text names the package."""
