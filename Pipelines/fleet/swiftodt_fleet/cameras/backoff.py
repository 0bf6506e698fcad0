"""Pauses between attempts."""


class BackOff:
    """A second, then twice as long each time, up to a longest; from the beginning again after something that held for half a minute."""

    FIRST, LONG_ENOUGH = 1.0, 30.0

    def __init__(self, longest: float = 60.0) -> None:
        self._longest = longest
        self._pause = min(self.FIRST, longest)

    def next(self, held: float = 0.0) -> float:
        """How long to wait now, after what held for so many seconds."""
        if held >= self.LONG_ENOUGH:
            self._pause = min(self.FIRST, self._longest)
        pause = self._pause
        self._pause = min(pause * 2, self._longest)
        return pause
