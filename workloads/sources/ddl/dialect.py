"""The dialect that a text of DDL is written in, by words that few others have."""

import re
from collections.abc import Sequence

FALLBACK = "postgres"
"""PostgreSQL's is nearest to the standard."""

_SIGNS = {
    "mysql": (r"`\w+`", r"\bENGINE\s*=", r"\bAUTO_INCREMENT\b", r"\bUNSIGNED\b", r"/\*!\d{5}"),
    "tsql": (r"\[\w+\]\s*[\[.(,]", r"^[ \t]*GO[ \t\r]*$", r"\bNVARCHAR\b", r"\bIDENTITY\s*\(",
             r"\b(NON)?CLUSTERED\b"),
    "spark": (r"\bUSING\s+(parquet|delta|orc|csv|json|iceberg)\b", r"\bTBLPROPERTIES\b",
              r"\bSTORED\s+AS\b", r"\bSTRING\b", r"\b(ARRAY|MAP|STRUCT)\s*<"),
    "snowflake": (r"\bVARIANT\b", r"\bTIMESTAMP_(NTZ|LTZ|TZ)\b", r"\bTRANSIENT\b", r"\bNUMBER\s*\(",
                  r"\bCREATE\s+OR\s+REPLACE\s+TABLE\b", r"\bAUTOINCREMENT\b"),
    "oracle": (r"\bN?VARCHAR2\b", r"\bNUMBER\b", r"\bPCTFREE\b", r"\bUSING\s+INDEX\b"),
    "sqlite": (r"\bAUTOINCREMENT\b", r"\bWITHOUT\s+ROWID\b", r"^[ \t]*PRAGMA\b",
               r"\bVIRTUAL\s+TABLE\b"),
    "redshift": (r"\bENCODE\s+\w+", r"\bDISTKEY\b", r"\bSORTKEY\b", r"\bDISTSTYLE\b"),
    "bigquery": (r"\bINT64\b", r"\bFLOAT64\b", r"\bOPTIONS\s*\(", r"\bARRAY\s*<\s*STRUCT\b",
                 r"`[\w-]+\.\w+\.\w+`"),
    "clickhouse": (r"MergeTree\b", r"(?-i:\bU?Int(8|16|32|64)\b)", r"\bLowCardinality\b",
                   r"\bNullable\s*\("),
    "duckdb": (r"\bHUGEINT\b", r"\bU(TINY|SMALL|BIG)INT\b", r"\bUINTEGER\b", r"\bSTRUCT\s*\("),
    "postgres": (r"\b(BIG|SMALL)?SERIAL\b", r"\bJSONB\b", r"\bBYTEA\b", r"::\w+",
                 r"\bcharacter\s+varying\b", r"\bALTER\s+TABLE\s+ONLY\b", r"\bINHERITS\b", r"\$\$"),
}  # fmt: skip
_COMPILED = {
    dialect: tuple(re.compile(sign, re.MULTILINE | re.IGNORECASE) for sign in signs)
    for dialect, signs in _SIGNS.items()
}


def detect(texts: Sequence[str]) -> str:
    """Return the dialect with the most of its signs in `texts`; the first of equals."""

    def found(dialect: str) -> int:
        return sum(any(map(sign.search, texts)) for sign in _COMPILED[dialect])

    best = max(_COMPILED, key=found)
    return best if found(best) else FALLBACK
