"""The files of Accumulo 2.1.4, and what our connectors to it are compiled with.

Of what Accumulo depends on these are the ones that PySpark lacks or has in another version.
"""

from collections.abc import Mapping

ACCUMULO_ARTIFACTS: Mapping[str, tuple[str, str, int]] = {
    "accumulo-core": (
        "org.apache.accumulo:accumulo-core:2.1.4",
        "0a1b1d61055e477ba2769bb1579af3ad6408f044a0ea9379896c156fe3012682",
        7_381_127,
    ),
    "accumulo-start": (
        "org.apache.accumulo:accumulo-start:2.1.4",
        "9060776d835763c68b74d996c5e01f39647204e894da3918de709428923187d6",
        53_947,
    ),
    "accumulo-server-base": (
        "org.apache.accumulo:accumulo-server-base:2.1.4",
        "5dbd5841ef56a087927914f3ce99f38a4f4f51178388c38435b8e295f8b5a8da",
        874_320,
    ),
    "accumulo-tserver": (
        "org.apache.accumulo:accumulo-tserver:2.1.4",
        "e11f6e18d22e2b5db12dde43719c0473689251b95ff5d7a551aa349e001945ca",
        655_022,
    ),
    "accumulo-manager": (
        "org.apache.accumulo:accumulo-manager:2.1.4",
        "6469468f0185aab7c682e08e88f6534e79cf35c63a7ed5f156b6d4f5c6b4d68b",
        406_965,
    ),
    "accumulo-gc": (
        "org.apache.accumulo:accumulo-gc:2.1.4",
        "eb11098cd90cc5095928f4084e07e8cd89baafb0c98a0d3f476b17f66ac1269b",
        63_146,
    ),
    "accumulo-libthrift": (
        "org.apache.thrift:libthrift:0.17.0",
        "91135681b23af6132865725509f1ba8e7f8a0d89076b6105ce4d9b9fec4024cc",
        353_816,
    ),
    "accumulo-opentelemetry-api": (
        "io.opentelemetry:opentelemetry-api:1.48.0",
        "8d3781bda58892f7d14216908fc0d1faf6f4e6b806e6e73e23489e41c0ecf012",
        158_832,
    ),
    "accumulo-opentelemetry-context": (
        "io.opentelemetry:opentelemetry-context:1.48.0",
        "1fcccff0f8171fe2001a17b99da229c12d0c4edcca617e453460344e92249d42",
        49_307,
    ),
    "accumulo-micrometer-core": (
        "io.micrometer:micrometer-core:1.14.5",
        "7c0c55ef7fe1bef5b89453655e768ee05fd35b381bd67f9d42cfe48362174ca5",
        874_695,
    ),
    "accumulo-micrometer-commons": (
        "io.micrometer:micrometer-commons:1.14.5",
        "e98485ffecb7d8cc9af47cfe627ea8bf3897915dd0f34b3e3a190d6896875b4b",
        47_918,
    ),
    "accumulo-micrometer-observation": (
        "io.micrometer:micrometer-observation:1.14.5",
        "7cfbf714abdf3779c820ff19712199ac9bae03d2f0e809ba8e74c3663c12128a",
        75_025,
    ),
    "accumulo-commons-configuration2": (
        "org.apache.commons:commons-configuration2:2.11.0",
        "48957fc3a0d9fbd221fe4f5ff6d0294ce6646ea139793c36706703da59402683",
        664_682,
    ),
    "accumulo-commons-vfs2": (
        "org.apache.commons:commons-vfs2:2.9.0",
        "266f96b77aa18773191f6992fc7910999bf8ee8a244ec67a3398b486eb726a7f",
        529_136,
    ),
    "accumulo-commons-logging": (
        "commons-logging:commons-logging:1.3.5",
        "6d7a744e4027649fbb50895df9497d109f98c766a637062fe8d2eabbb3140ba4",
        73_737,
    ),
    "accumulo-caffeine": (
        "com.github.ben-manes.caffeine:caffeine:3.2.0",
        "ec411dfdf0c03f25218648ce89861630b71680e5858a9a7278ebac8e55cab3d7",
        906_581,
    ),
    "accumulo-jcommander": (
        "com.beust:jcommander:1.82",
        "deeac157c8de6822878d85d0c7bc8467a19cc8484d37788f7804f039dde280b1",
        88_407,
    ),
    "accumulo-hdrhistogram": (
        "org.hdrhistogram:HdrHistogram:2.2.2",
        "22d1d4316c4ec13a68b559e98c8256d69071593731da96136640f864fa14fad8",
        177_206,
    ),
    "accumulo-latencyutils": (
        "org.latencyutils:LatencyUtils:2.0.3",
        "a32a9ffa06b2f4e01c5360f8f9df7bc5d9454a5d373cd8f361347fa5a57165ec",
        29_779,
    ),
    "accumulo-protobuf": (
        "com.google.protobuf:protobuf-java:3.25.6",
        "54943917af39f58303cab7d05f6cdf60d937c8304f49560b596bc1491ec83e8b",
        1_876_053,
    ),
    # What a plugin of Trino is compiled for; Trino brings it.
    "trino-spi": (
        "io.trino:trino-spi:476",
        "22ac21e1dbf723dee83651684abcaa4aac3041bc16a77401c4fc4ad017c8f7a9",
        1_021_319,
    ),
    "trino-slice": (
        "io.airlift:slice:2.3",
        "057d6e2529593cda5c07f8aae180656cffe6dc60c5edc5b19411b411bd620cd4",
        70_383,
    ),
    # Accumulo's client beside the annotations that Trino has.
    "trino-jackson-core": (
        "com.fasterxml.jackson.core:jackson-core:2.19.0",
        "da8e859bac94874528116a25f20c68560e4287acbf27628711b8a4f96b028430",
        599_926,
    ),
    "trino-jackson-databind": (
        "com.fasterxml.jackson.core:jackson-databind:2.19.0",
        "ceda311f476c3b18e1d2b240c94e2dcb9c8d44e70f8afa9facab88bac4ddc03a",
        1_678_748,
    ),
    "java-compiler": (
        "org.eclipse.jdt:ecj:3.38.0",
        "97c566b120009c203a2fc8b291f4a9adbc171cf1ccb70f06f6b4e1828c00ce8e",
        3_285_717,
    ),
}
"""Name → coordinates, SHA-256 and bytes."""
