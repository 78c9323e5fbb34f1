"""The user's own stores, asked side by side for what would refuse our copies."""

from collections.abc import Iterable, Sequence
from itertools import chain

from advisor.project.store_settings import StoreSettings
from evaluation.kinds import BACKENDS
from evaluation.store_protocol.side_by_side import side_by_side
from workloads.errors import AdvisorError
from workloads.problems import Problems
from workloads.progress import Progress


def refusing(stores: Iterable[StoreSettings], progress: Progress) -> tuple[AdvisorError, ...]:
    """Return why stores refuse our copies, of all of them, in their order; nothing is written.

    Embedded stores are not asked: we start them ourselves, as they have to be. Nor are live ones,
    which get no copies.
    """
    asked = [store for store in stores if not store.embedded and not store.is_live]
    if not asked:
        return ()
    with progress.task("Asking the stores", len(asked)) as task:

        def one(store: StoreSettings) -> Sequence[AdvisorError]:
            found = _refused_by(store)
            task.advance()
            return found

        return tuple(chain.from_iterable(side_by_side(one, asked, len(asked))))


def _refused_by(store: StoreSettings) -> Sequence[AdvisorError]:
    problems = Problems()
    with problems.gathering():
        for each in BACKENDS[store.kind].refusals(store.connection()):
            problems.add(each)
    return problems.errors
