"""Accumulo, whose tables Spark scans."""

from evaluation.federation.dialects import spark
from evaluation.kinds.kind import Address, Product, ScannedKind
from evaluation.server_settings import accumulo as server_settings
from evaluation.servers.accumulo import Accumulo as Server
from evaluation.stores.accumulo.backend import Accumulo, catalog_options
from evaluation.stores.accumulo.sessions import encryption

ACCUMULO = ScannedKind(
    backend=Accumulo(),
    address=Address(
        # The ZooKeepers' port, and the instance's name.
        port=2181,
        database="accumulo",
        options={"layout": ("packed", "columnar"), "iterators": ("client", "server")},
    ),
    products={
        "accumulo": Product(
            strength=Accumulo.strength,
            embedded=Server(),
            trino="placement_advisor_accumulo",
            trino_options=catalog_options,
        )
    },
    # Spark itself runs the fragments of stores that are scanned.
    rules=spark.RULES,
    settings=server_settings.settings,
    encryption=encryption,
)
