"""Features that a query needs and that some system lacks or runs differently.

The allowlist: a kind of node, with arguments of the types that its check takes, means the same in
every system. Whatever is not known to, is a feature (`workloads.features.REASONS`).
"""

from workloads.sql.features.blocks import block_features, lacked_by
from workloads.sql.features.constructs import condition_features, features_within, may_change

__all__ = ["block_features", "condition_features", "features_within", "lacked_by", "may_change"]
