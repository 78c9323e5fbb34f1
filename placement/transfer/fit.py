"""The fit of a link's coefficients to the seconds of whole results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from placement.transfer.link import Link, MessageCost, Result, TransferSettings, counts

_COEFFICIENTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A result that was fetched with some settings, and the seconds that this took."""

    result: Result
    settings: TransferSettings
    seconds: float


def fitted(probes: Sequence[Probe]) -> Link:
    """Return the link that explains the probes best: least squares of relative errors.

    No coefficient is below 0, and a first message takes no less to start and to send than a further
    one: else a round trip would gain time. The thesis fits first and further messages on their own,
    to times out of a server's trace files, by ordinary least squares; to seconds of whole results
    that would give negative coefficients. It has also no weights: then results that take long by
    small batches outweigh the others, which are those that one chooses among.

    Raises:
        ValueError: There is no probe, or one took no time.
    """
    if not probes or any(each.seconds <= 0 for each in probes):
        raise ValueError("a link's fit needs probes, each of which took some time")
    # Every command imports this package, and only calibrating fits: SciPy takes a second.
    from scipy.optimize import nnls

    rows = np.array([_amounts(each) for each in probes])
    seconds = np.array([each.seconds for each in probes])
    weighted = rows / seconds[:, None]
    # Amounts are bytes and counts: the solver sees numbers near 1.
    largest = weighted.max(axis=0)
    used = largest > 0
    found = np.zeros(_COEFFICIENTS)
    found[used] = nnls(weighted[:, used] / largest[used], np.ones(len(probes)))[0] / largest[used]
    more, batch_s, more_message_s, start_s, further_batch_s, message_s = map(float, found)
    return Link(
        first=MessageCost(
            start_s=start_s + more,
            s_per_batch_byte=batch_s,
            s_per_message_byte=message_s + more_message_s,
        ),
        further=MessageCost(
            start_s=start_s, s_per_batch_byte=further_batch_s, s_per_message_byte=message_s
        ),
    )


def _amounts(probe: Probe) -> list[float]:
    """Return what each coefficient is multiplied by.

    The first three are of first messages: what these take more than others, and their batch's part.
    """
    first, further = counts(probe.result, probe.settings)
    batch_bytes = probe.result.batch_bytes(probe.settings.fetch_rows)
    message_bytes = float(probe.settings.message_bytes)
    every = first + further
    return [
        *(float(first), first * batch_bytes, first * message_bytes),
        *(float(every), further * batch_bytes, every * message_bytes),
    ]
