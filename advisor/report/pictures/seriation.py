"""An order of tables in which those that are used together stand together, and their groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, np.dtype[np.float64]]
Pairs = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seriation:
    """Tables in order, and the groups that they fall into: parts of that order."""

    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]


def group_name(group: Sequence[str], weights: Mapping[str, float]) -> str:
    """Return a group's most read table with the number of the others: ``orders +3``."""
    first = max(group, key=lambda name: (weights[name], name))
    return f"{first} +{len(group) - 1}" if len(group) > 1 else first


def seriated(weights: Mapping[str, float], pairs: Pairs) -> Seriation:
    """Return the tables of `weights` (reads) in the order of their co-access `pairs`.

    Likeness is co-access over the geometric mean of the reads (Ochiai's coefficient, 1957).
    Clusters merge by average linkage; at each merge the ends that are most alike are put together
    (Gruvaeus and Wainer 1972). The groups are the cut with the largest modularity (Newman 2006).
    """
    names = sorted(weights)
    if not names:
        return Seriation(order=(), groups=())
    alike = _likeness(names, weights, pairs)
    clusters = [[index] for index in range(len(names))]
    between = alike.copy()
    best, best_score = [list(c) for c in clusters], _modularity(clusters, alike)
    while len(clusters) > 1:
        np.fill_diagonal(between, -1.0)
        one, other = sorted(int(i) for i in np.unravel_index(between.argmax(), between.shape))
        left, right = clusters[one], clusters[other]
        row = (between[one] * len(left) + between[other] * len(right)) / (len(left) + len(right))
        clusters[one] = _joined(left, right, alike)
        between[one], between[:, one] = row, row
        between = np.delete(np.delete(between, other, 0), other, 1)
        del clusters[other]
        score = _modularity(clusters, alike)
        if score > best_score + 1e-12:
            best, best_score = [list(cluster) for cluster in clusters], score
    order = clusters[0]
    place = {index: number for number, index in enumerate(order)}
    groups = sorted((sorted(c, key=place.__getitem__) for c in best), key=lambda c: place[c[0]])
    return Seriation(
        order=tuple(names[index] for index in order),
        groups=tuple(tuple(names[index] for index in group) for group in groups),
    )


def _likeness(names: Sequence[str], weights: Mapping[str, float], pairs: Pairs) -> Matrix:
    place = {name: index for index, name in enumerate(names)}
    alike = np.zeros((len(names), len(names)))
    for (left, right), weight in pairs.items():
        mean = (weights[left] * weights[right]) ** 0.5
        alike[place[left], place[right]] = alike[place[right], place[left]] = weight / mean
    return alike


def _joined(left: list[int], right: list[int], alike: Matrix) -> list[int]:
    """Return both in the orientation in which the ends that meet are most alike."""
    candidates = [
        (alike[a[-1], b[0]], a, b) for a in (left, left[::-1]) for b in (right, right[::-1])
    ]
    _, first, second = max(candidates, key=lambda candidate: candidate[0])
    return first + second


def _modularity(clusters: Sequence[Sequence[int]], alike: Matrix) -> float:
    total = float(alike.sum())
    if total == 0:
        return 0.0
    degree = alike.sum(axis=0)
    return sum(
        float(alike[np.ix_(c, c)].sum()) / total - (float(degree[c].sum()) / total) ** 2
        for c in (list(cluster) for cluster in clusters)
    )
