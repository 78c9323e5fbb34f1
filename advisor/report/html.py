"""The report as one self-contained page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from advisor import figures
from advisor.report.parts.another_way import answered_otherwise
from advisor.report.parts.broken_limits import broken_limit
from advisor.report.parts.literals import SOURCES
from advisor.report.parts.page import template
from advisor.report.parts.setting import Setting
from advisor.report.parts.throughput import ABOUT, loop_rows, throughput_sentences
from advisor.report.pictures.charts import points, scatter_svg, typical_miss
from advisor.report.pictures.fragment_picture import ROWS, SECONDS, fragments_svg, store_colours
from advisor.report.pictures.groups import groups
from advisor.report.pictures.placement_picture import group_numbers, placement_svg
from advisor.report.recommendation import conclusions
from advisor.report.text.direct_text import beside_direct, direct_totals
from advisor.report.text.predictions_text import described, remarks_on_prices
from evaluation.calibration.contradictions import contradictions
from evaluation.measuring.measurement import CandidateMeasurement, Measurements, QueryMeasurement
from evaluation.measuring.prediction_quality import LEAST_S, prediction_quality
from placement.plan import PlacementPlan, RoutedFragment
from placement.stores import Capability

STAGES = {"set_up": "set-up", "generate": "generate", "load": "load", "run": "run"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One query of one candidate: its seconds, and as a share of the query's slowest."""

    measurement: QueryMeasurement
    share: float
    fastest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The routing of a candidate's queries: whole ones by store, the others by query."""

    whole: Mapping[str, tuple[str, ...]]
    split: Mapping[str, tuple[RoutedFragment, ...]]


def render(measurements: Measurements, setting: Setting) -> str:
    """Return the page; everything that came from users or stores is escaped."""
    marks = points(measurements)
    of_table = groups(setting.table_bytes, setting.graph)
    quality = prediction_quality(measurements)
    colours = store_colours(quality.fragments)
    pictures = [fragments_svg(quality.fragments, what, colours) for what in (ROWS, SECONDS)]
    return template("report.html.j2").render(
        m=measurements,
        setting=setting,
        conclusions=conclusions(measurements, setting),
        scatter=Markup(scatter_svg(marks)),  # noqa: S704 - made by us, escapes its names
        typical_miss=typical_miss(marks),
        quality=quality,
        compared_from_s=LEAST_S,
        remarks=remarks_on_prices(
            measurements,
            setting.rates,
            contradictions(measurements, setting.calibration),
            setting.doubt,
        ),
        described=described,
        beside_direct=beside_direct(measurements),
        direct_totals=direct_totals(measurements),
        literal_sources=SOURCES,
        loops=loop_rows(measurements),
        about_loops=ABOUT,
        loop_sentences=throughput_sentences(measurements),
        live_tables=figures.live_tables(measurements) if measurements.live else "",
        colours=colours,
        fragment_pictures=[Markup(each) for each in pictures],  # noqa: S704 - likewise
        slowest=max((c.measured_s or 0.0 for c in measurements.candidates), default=0.0),
        queries=query_rows(measurements),
        picture=lambda plan: Markup(placement_svg(plan, setting)),  # noqa: S704 - likewise
        routing=routing,
        why_not={c.plan.strategy: broken_limit(c.plan, setting) for c in measurements.candidates},
        ranks=ranks(measurements),
        verified_count=figures.verified_count,
        rows_moved=figures.rows_moved,
        bytes_moved=figures.bytes_moved,
        failures=failures(measurements),
        otherwise=answered_otherwise(measurements),
        tables=_matrix_order(setting, of_table),
        group=of_table,
        number=group_numbers(of_table, setting),
        stages={STAGES.get(k, k): s for k, s in measurements.seconds.items()},
    )


def ranks(measurements: Measurements) -> Mapping[str, int]:
    """Return strategy → place among the verified candidates that can be had, 1 for the best."""
    had = (c for c in measurements.ranked if c.plan.feasible and c.measured_s is not None)
    return {candidate.plan.strategy: place for place, candidate in enumerate(had, start=1)}


def query_rows(measurements: Measurements) -> Mapping[str, tuple[Cell | None, ...]]:
    """Return query → a cell a ranked candidate; None where the candidate lacks the query."""
    ranked = measurements.ranked
    by_candidate = [{q.query: q for q in candidate.queries} for candidate in ranked]
    names = dict.fromkeys(name for queries in by_candidate for name in queries)
    rows = {}
    for name in names:
        measured = [queries.get(name) for queries in by_candidate]
        times = [q.measured_s for q in measured if q is not None and q.measured_s is not None]
        rows[name] = tuple(None if q is None else _cell(q, times) for q in measured)
    return rows


def _cell(query: QueryMeasurement, times: Sequence[float]) -> Cell:
    own = query.measured_s
    if own is None:
        return Cell(measurement=query, share=0.0, fastest=False)
    return Cell(measurement=query, share=own / (max(times) or 1.0), fastest=own == min(times))


def routing(plan: PlacementPlan) -> Routing:
    """Sort a plan's queries into those one store runs whole and those the engine combines."""
    whole: dict[str, list[str]] = {}
    split = {}
    for query, fragments in plan.routing.items():
        if len(fragments) == 1 and fragments[0].fragment.kind is Capability.QUERY:
            whole.setdefault(fragments[0].store, []).append(query)
        else:
            split[query] = fragments
    return Routing(whole={store: tuple(names) for store, names in whole.items()}, split=split)


def failures(
    measurements: Measurements,
) -> tuple[tuple[tuple[CandidateMeasurement, ...], QueryMeasurement], ...]:
    """Return every query that did not verify, with the candidates of which that is equally so."""
    found: dict[tuple[str, str, str], list[CandidateMeasurement]] = {}
    queries: dict[tuple[str, str, str], QueryMeasurement] = {}
    for candidate in measurements.ranked:
        for query in candidate.queries:
            if query.measured_s is None:
                key = (query.query, str(query.outcome), query.message)
                queries.setdefault(key, query)
                found.setdefault(key, []).append(candidate)
    return tuple((tuple(found[key]), query) for key, query in queries.items())


def _matrix_order(setting: Setting, of_table: Mapping[str, str]) -> list[str]:
    number = group_numbers(of_table, setting)
    return sorted(
        (table for table in setting.table_bytes if table in setting.graph.tables),
        key=lambda table: (number[of_table[table]], -setting.table_bytes[table], table),
    )
