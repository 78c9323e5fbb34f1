"""The fit of a link's coefficients to the seconds of whole results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from placement.transfer.link import Link, MessageCost, Result, TransferSettings, counts

OF_LINK = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCost:
    """Seconds that are none of the link's: of a statement, and of each of its rows."""

    statement_s: float = 0.0
    row_s: float = 0.0

    def seconds(self, result: Result) -> float:
        """Return the seconds of one statement."""
        return self.statement_s + self.row_s * result.result_bytes / result.row_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A result that was fetched with some settings, and the seconds that this took."""

    result: Result
    settings: TransferSettings
    seconds: float


def fitted(probes: Sequence[Probe]) -> tuple[Link, ClientCost]:
    """Return what explains the probes best, by least squares of their relative errors.

    Where results of several widths are probed, what statements and rows take beside the link is
    told from it. Of one result it is not, and is the link's.

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

    apart = len({each.result.row_bytes for each in probes}) > 1
    rows = np.array([[*_amounts(each), *_of_client(each, apart=apart)] for each in probes])
    seconds = np.array([each.seconds for each in probes])
    weighted = rows / seconds[:, None]
    # Amounts are bytes and counts: the solver sees numbers near 1.
    largest = weighted.max(axis=0)
    used = largest > 0
    found = np.zeros(len(largest))
    found[used] = nnls(weighted[:, used] / largest[used], np.ones(len(probes)))[0] / largest[used]
    more, batch_s, more_message_s, start_s, further_batch_s, message_s = map(float, found[:OF_LINK])
    link = Link(
        first=MessageCost(
            start_s=start_s + more,
            s_per_batch_byte=batch_s,
            s_per_message_byte=message_s + more_message_s,
        ),
        further=MessageCost(
            start_s=start_s, s_per_batch_byte=further_batch_s, s_per_message_byte=message_s
        ),
    )
    return link, ClientCost(statement_s=float(found[-2]), row_s=float(found[-1]))


def relative_error(link: Link, client: ClientCost, probes: Sequence[Probe]) -> float:
    """Return the mean relative error of what is predicted of the probes."""
    errors = [
        (link.seconds(each.result, each.settings) + client.seconds(each.result)) / each.seconds - 1
        for each in probes
    ]
    return float(np.mean(np.abs(errors)))


def _of_client(probe: Probe, *, apart: bool) -> list[float]:
    """Return what the client's costs are multiplied by; nothing where they cannot be told apart."""
    return [1.0, probe.result.result_bytes / probe.result.row_bytes] if apart else [0.0, 0.0]


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
