"""Why a plan is infeasible, in a few words: the store that is too small for it, or its limit."""

from advisor.figures import multiple
from advisor.report.parts.setting import Setting
from placement.plan import PlacementPlan


def broken_limit(plan: PlacementPlan, setting: Setting) -> str:
    """Return a phrase such as "needs 1.7 times the capacity of pg"; "" of a plan that keeps all.

    It names the store that is the furthest over its capacity, or else the first broken limit, and
    says how many more limits are broken.
    """
    if plan.feasible:
        return ""
    over = {
        store: held / capacity
        for store, held in setting.held_bytes(plan.placement).items()
        if (capacity := setting.capacities_bytes.get(store)) and held > capacity
    }
    others = len(plan.violations) - 1
    more = f" and breaks {others} more limit{'' if others == 1 else 's'}" if others > 0 else ""
    if not over:
        return f"breaks a limit ({plan.violations[0].partition(': ')[0].rstrip('.')}){more}"
    worst = max(over, key=lambda store: over[store])
    times = multiple(over[worst])
    needed = "slightly more than" if float(times) == 1 else f"{times} times"
    return f"needs {needed} the capacity of {worst}{more}"
