"""Figures of the thesis on MIND (L. Belghoul, 2017, tel-01746126): measured, fitted and iterated.

Q3 and Q5 are those of its queries whose results have narrow rows. Table B.4, which should have the
estimates of Q2, repeats table B.3, which has what was measured: nothing here is from it.
"""

import csv
from pathlib import Path

from placement.transfer.fit import Probe
from placement.transfer.link import Link, MessageCost, Result, TransferSettings

Q3 = Result(result_bytes=164_989_583 * 27, row_bytes=27)
Q5 = Result(result_bytes=4_000_000 * 29, row_bytes=29)

HIGH_BANDWIDTH = Link(
    first=MessageCost(start_s=4.5e-4, s_per_batch_byte=2.02e-11, s_per_message_byte=1.17e-8),
    further=MessageCost(start_s=4.35e-6, s_per_batch_byte=1.24e-14, s_per_message_byte=2.73e-10),
)
"""10 Gbit/s (section 4.5)."""
LOW_BANDWIDTH = Link(
    first=MessageCost(start_s=5.12e-4, s_per_batch_byte=1.94e-11, s_per_message_byte=2.94e-8),
    further=MessageCost(start_s=1.29e-4, s_per_batch_byte=4.51e-11, s_per_message_byte=2.25e-8),
)
"""50 Mbit/s (section 4.5)."""

ITERATES = (
    (1_024, 512, 2_003.7),
    (1_538, 682, 1_353.0),
    (2_311, 889, 905.34),
    (3_474, 1_135, 612.2),
    (5_224, 1_428, 410.3),
    (7_859, 1_779, 278.01),
    (11_829, 2_203, 188.64),
    (17_817, 2_719, 128.23),
    (26_860, 3_349, 88.232),
    (40_535, 4_122, 60.28),
    (61_250, 5_074, 42.158),
    (92_691, 6_249, 29.318),
    (140_520, 7_702, 20.905),
    (213_490, 9_502, 14.997),
    (325_150, 11_740, 10.941),
    (496_640, 14_528, 8.196),
    (761_060, 18_012, 6.245),
    (1_170_600, 22_382, 4.878),
    (1_807_900, 27_883, 3.899),
    (2_804_500, 32_767, 3.219),
    (4_385_300, 32_767, 2.745),
    (6_937_100, 32_767, 2.446),
    (11_033_000, 32_767, 2.254),
    (17_536_000, 32_767, 2.151),
    (27_583_000, 32_767, 2.088),
)
"""Table 5.1: bytes of a batch and of a message, and seconds, of Q3 by the high-bandwidth link."""

_RESULTS = {"q3": Q3, "q5": Q5}
_KIB = 1024


def measured(query: str) -> tuple[Probe, ...]:
    """Return what was measured of one query over 10 Gbit/s (appendix B): 629 pairs of settings."""
    with (Path(__file__).parent / "mind_thesis.csv").open() as file:
        names, *lines = csv.reader(file)
    return tuple(
        Probe(
            result=_RESULTS[query],
            settings=TransferSettings(
                fetch_rows=int(rows), message_bytes=round(float(kibibytes) * _KIB)
            ),
            seconds=float(seconds),
        )
        for name, rows, *cells in lines
        if name == query
        for kibibytes, seconds in zip(names[2:], cells, strict=True)
    )
