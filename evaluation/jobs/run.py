"""Run the workload on plans whose copies are loaded, verify every answer, and measure.

spark-submit evaluation/jobs/run.py job.json plan.json…
"""

import sys

from evaluation.evaluate import measure, open_session, stores_held
from evaluation.jobs.arguments import fail, parser, read
from evaluation.load import load
from evaluation.measuring.measurement import Measurements
from workloads.adapters import adapter
from workloads.errors import AdvisorError
from workloads.progress import Silent


def main() -> int:
    """Measure, and write the measurements as one JSON object to standard output."""
    try:
        job, plans = read(parser(__doc__).parse_args())
        with stores_held(job, plans):
            loaded = load(job.catalog, plans, job.connections, Silent())
            with open_session(job, Silent()) as spark:
                measurements = measure(spark, job, plans, loaded, Silent())
    except AdvisorError as error:
        return fail(error)
    sys.stdout.write(adapter(Measurements).dump_json(measurements, indent=2).decode())
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
