"""What can go wrong, in a sentence."""


class Error(Exception):
    """What the element, or another one in the pipeline, says that it cannot do."""


class PropertyError(Error, ValueError):
    """A property that the element does not have, or a value that it cannot take."""


class MissingPackage(Error, ImportError):
    """A package that this needs is not installed. The sentence says which."""
