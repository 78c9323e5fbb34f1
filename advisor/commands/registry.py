"""Every command, in the order in which the help lists them. A new one is a file and a line here."""

from typing import Any

from advisor.commands.analyze import ANALYZE
from advisor.commands.calibrate import CALIBRATE
from advisor.commands.command import Command
from advisor.commands.compare import COMPARE
from advisor.commands.diff import DIFF
from advisor.commands.evaluate import EVALUATE
from advisor.commands.experiments import EXPERIMENTS
from advisor.commands.explain import EXPLAIN
from advisor.commands.export import EXPORT
from advisor.commands.improve import IMPROVE
from advisor.commands.init import INIT
from advisor.commands.migrate import MIGRATE
from advisor.commands.pareto import PARETO
from advisor.commands.place import PLACE
from advisor.commands.run import DEMO, RUN
from advisor.commands.sensitivity import SENSITIVITY
from advisor.commands.stores import STORES
from advisor.commands.tune import TUNE
from advisor.commands.ui import UI
from advisor.commands.what_if import WHAT_IF

_ALL: tuple[Command[Any], ...] = (
    *(DEMO, INIT, RUN, IMPROVE, ANALYZE, CALIBRATE, PLACE, EVALUATE, EXPORT),
    *(EXPLAIN, TUNE, WHAT_IF, SENSITIVITY, PARETO, DIFF, MIGRATE),
    *(EXPERIMENTS, COMPARE, UI, STORES),
)
COMMANDS = {command.name: command for command in _ALL}
