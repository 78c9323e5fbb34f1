"""The part of a file that is looked at, with the place in the file at which it is."""

from collections.abc import Iterable

_WITHIN_CHARACTERS = bytes(range(0x80, 0xC0))


class Window:
    """The bytes of a file from the first one that is still needed on.

    `at` is the offset in `data` of the next byte that is not passed yet. The byte before it stays
    for patterns that look behind. `is_last` says that nothing follows `data`.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self.data = b""
        self.at = 0
        self.is_last = False
        self._blocks = iter(blocks)
        self._line, self._column, self._noted = 1, 1, 0

    @property
    def is_over(self) -> bool:
        """Whether all bytes are passed."""
        return self.is_last and self.at >= len(self.data)

    def more(self) -> None:
        """Add the next block, or find that there is none."""
        block = next(self._blocks, None)
        if block is None:
            self.is_last = True
            return
        self.place()
        done = max(0, self.at - 1)
        self.data = self.data[done:] + block
        self.at -= done
        self._noted = self.at

    def fill(self, size_bytes: int) -> None:
        """See to it that so many bytes are ahead, or all that are left."""
        while not self.is_last and len(self.data) - self.at < size_bytes:
            self.more()

    def limit(self, margin_bytes: int) -> int:
        """Return the offset before which everything that starts is seen whole.

        `margin_bytes` is the size of the largest thing that is looked for.
        """
        return len(self.data) if self.is_last else max(self.at, len(self.data) - margin_bytes)

    def take(self, end: int) -> bytes:
        """Pass all bytes before the offset `end`, and return them."""
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def place(self) -> tuple[int, int]:
        """Return the 1-based line and column, in characters, of the next byte."""
        start = self._noted
        newlines = self.data.count(b"\n", start, self.at)
        if newlines:
            self._line += newlines
            self._column = 1
            start = self.data.rfind(b"\n", start, self.at) + 1
        self._column += len(self.data[start : self.at].translate(None, _WITHIN_CHARACTERS))
        self._noted = self.at
        return self._line, self._column
