"""The memory and the disk of a store, as it says itself."""

from dataclasses import dataclass
from pathlib import Path

WORK = "asking for its settings failed"
"""The work that the error of a store names which does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Settings of a store; None where it cannot be asked.

    `cache_bytes` is the size of its own cache, beside the operating system's page cache. `folder`
    holds its data on its own machine. `found_again_bytes` are the bytes of a sequentially scanned
    table that are still cached at the next scan. `stored_bytes` is the size of the tables in its
    namespace. `reads_past_page_cache` says that the operating system caches nothing for it.
    """

    cache_bytes: int | None = None
    folder: Path | None = None
    found_again_bytes: int | None = None
    stored_bytes: int | None = None
    reads_past_page_cache: bool = False
