"""The in-memory object store, whose tables Spark scans."""

from evaluation.federation.dialects import spark
from evaluation.kinds.kind import Address, Product, ScannedKind
from evaluation.server_settings import objects as server_settings
from evaluation.servers.objects import Objects as Server
from evaluation.stores.objects import Objects

OBJECTS = ScannedKind(
    backend=Objects(),
    address=Address(has_nodes=True),
    products={"objects": Product(strength=Objects.strength, embedded=Server())},
    # Spark itself runs the fragments of stores that are scanned.
    rules=spark.RULES,
    settings=server_settings.settings,
    in_catalogs=False,
)
