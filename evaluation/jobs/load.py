"""Load the copies that plans need; no session is started, as the driver loads alone.

spark-submit evaluation/jobs/load.py job.json plan.json…
"""

import json
import sys

from evaluation.evaluate import stores_held
from evaluation.jobs.arguments import fail, parser, read
from evaluation.load import load
from workloads.errors import AdvisorError
from workloads.progress import Silent


def main() -> int:
    """Load, and write what was loaded as one JSON object to standard output."""
    try:
        job, plans = read(parser(__doc__).parse_args())
        with stores_held(job, plans):
            loaded = load(job.catalog, plans, job.connections, Silent())
    except AdvisorError as error:
        return fail(error)
    summary = [
        {"store": each.store, "table": each.table, "rows": each.rows, "load_s": each.load_s}
        for each in loaded.loaded
    ]
    told = {
        "loaded": summary,
        "found": len(loaded.found),
        "reindexed": [{"store": each.store, "table": each.table} for each in loaded.reindexed],
    }
    json.dump(told, sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
