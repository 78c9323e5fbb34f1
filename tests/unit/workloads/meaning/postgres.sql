SELECT "fact"."id" AS "id", "fact"."n" // 2 AS "h", -7 // 2 AS "s", "fact"."n" % 3 AS "r", "fact"."n" // 2 * 2 AS "w" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", "fact"."price" / 2 AS "h", "fact"."ratio" / 2 AS "q" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", ROUND_EVEN("fact"."ratio", 0) AS "a", ROUND("fact"."price") AS "b", ROUND("fact"."price", 1) AS "c", ROUND(2.5) AS "d", ROUND_EVEN(CAST(0.5 AS DOUBLE), 0) AS "e", ROUND("fact"."price" * 0.5) AS "f", ROUND_EVEN("fact"."ratio" * 1.0, 0) AS "g" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", CAST("fact"."ratio" AS INT) AS "a", CAST("fact"."price" AS INT) AS "b", CAST("fact"."fine" AS BIGINT) AS "c" FROM "fact" AS "fact" WHERE "fact"."id" <> 6
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE "fact"."grp" || '_' LIKE '%\_' ESCAPE '\'
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE "fact"."grp" LIKE 'Z\ z' ESCAPE '\' OR "fact"."grp" ILIKE 'A%' ESCAPE '\'
SELECT "fact"."id" AS "id", CASE WHEN (-1) < 1 THEN SUBSTRING("fact"."grp", 1, CASE WHEN (3) + (-1) - 1 < 0 THEN 0 ELSE (3) + (-1) - 1 END) ELSE SUBSTRING("fact"."grp", -1, 3) END AS "a", CASE WHEN (0) < 1 THEN "fact"."grp" ELSE SUBSTRING("fact"."grp", 0) END AS "b", CASE WHEN (CAST("fact"."id" - 3 AS INT)) < 1 THEN SUBSTRING("fact"."grp", 1, CASE WHEN (4) + (CAST("fact"."id" - 3 AS INT)) - 1 < 0 THEN 0 ELSE (4) + (CAST("fact"."id" - 3 AS INT)) - 1 END) ELSE SUBSTRING("fact"."grp", CAST("fact"."id" - 3 AS INT), 4) END AS "c" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", SUBSTRING("fact"."grp", 2, 1) AS "a", LEFT("fact"."grp", -1) AS "b", RIGHT("fact"."grp", -1) AS "c" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", CAST(EXTRACT(MICROSECOND FROM "fact"."ts") * 0.000001 AS DECIMAL(8, 6)) AS "a", EXTRACT(MINUTE FROM "fact"."ts") AS "b", CAST(EXTRACT(MICROSECOND FROM "fact"."ts") * 0.000001 AS DECIMAL(8, 6)) AS "c" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", EXTRACT(DAYOFWEEK FROM "fact"."d") AS "a", EXTRACT(ISODOW FROM "fact"."d") AS "b", EXTRACT(WEEK FROM "fact"."d") AS "c", EXTRACT(DAYOFYEAR FROM "fact"."d") AS "e" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", "fact"."d" + 1 AS "a", "fact"."d" - CAST('2000-01-01' AS DATE) AS "b", "fact"."d" + INTERVAL '1' MONTH AS "c" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", DATE_TRUNC('MONTH', "fact"."ts") AS "a", STRFTIME("fact"."ts", '%Y-%m') AS "b" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE ("fact"."n" = 7 AND "fact"."m" = 70)
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE NOT ("fact"."n" = NULL AND "fact"."m" = 70)
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE (("fact"."n" = 7 AND "fact"."m" = 70) OR ("fact"."n" = 3 AND "fact"."m" = NULL))
SELECT "fact"."id" AS "id", "fact"."n" AS "n" FROM "fact" AS "fact" ORDER BY "n" DESC NULLS FIRST, "id" LIMIT 4
SELECT "fact"."id" AS "id", "fact"."n" AS "n" FROM "fact" AS "fact" ORDER BY "n" NULLS FIRST, "id" DESC NULLS FIRST
SELECT AVG("fact"."n") AS "a", SUM("fact"."n") AS "b", COUNT(*) FILTER(WHERE "fact"."n" > 2) AS "c", LISTAGG("fact"."grp", ',' ORDER BY "fact"."id") AS "e" FROM "fact" AS "fact"
SELECT "fact"."flag" AS "flag", BOOL_AND(CAST("fact"."n" > 0 AS BOOLEAN)) AS "a", BOOL_OR(CAST("fact"."n" > 0 AS BOOLEAN)) AS "b" FROM "fact" AS "fact" GROUP BY "fact"."flag"
SELECT "fact"."id" AS "id", GREATEST("fact"."n", NULL, 3) AS "a", LEAST("fact"."n", "fact"."m") AS "b", CONCAT("fact"."grp", NULL, "fact"."n") AS "c", COALESCE("fact"."n", 0) AS "e" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", STRPOS("fact"."grp", 'z') AS "a", STRPOS("fact"."grp", ' ') AS "b", LENGTH("fact"."grp") AS "c", TRIM("fact"."grp") AS "e" FROM "fact" AS "fact"
SELECT DISTINCT ON ("flag") "fact"."flag" AS "flag", "fact"."id" AS "id" FROM "fact" AS "fact" ORDER BY "flag", "id" DESC NULLS FIRST
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE "fact"."n" IS DISTINCT FROM 7 AND REGEXP_MATCHES("fact"."grp", '^[a-z]')
SELECT "fact"."id" AS "id", POWER("fact"."n", 2) AS "a", "fact"."m" % 7 AS "b", TRUNC("fact"."price", 1) AS "c", CEIL("fact"."price") AS "e", ABS("fact"."n") AS "f" FROM "fact" AS "fact"
SELECT "fact"."flag" AS "flag", "fact"."grp" AS "grp", COUNT(*) AS "c" FROM "fact" AS "fact" GROUP BY ROLLUP ("fact"."flag", "fact"."grp")
SELECT "other"."k" AS "k", "other"."v" AS "v" FROM "other" AS "other" EXCEPT SELECT "fact"."id" AS "id", "fact"."n" AS "n" FROM "fact" AS "fact"
SELECT "f"."id" AS "id" FROM "fact" AS "f" WHERE EXISTS(SELECT 1 AS "1" FROM "other" AS "o" WHERE "o"."k" = "f"."id" AND "o"."v" // 2 = 1)
SELECT ROW_NUMBER() OVER (ORDER BY "fact"."n", "fact"."id") AS "r", LAG("fact"."n") OVER (ORDER BY "fact"."id") AS "l" FROM "fact" AS "fact"
SELECT CASE WHEN "fact"."n" // 2 = 3 THEN 'three' ELSE 'other' END AS "c", COUNT(*) AS "k" FROM "fact" AS "fact" GROUP BY CASE WHEN "fact"."n" // 2 = 3 THEN 'three' ELSE 'other' END
SELECT SUM("fact"."m") / 2 AS "a", SUM("fact"."n") // 2 AS "b", ROUND(AVG("fact"."n")) AS "c", ROUND(AVG("fact"."price")) AS "e", ROUND_EVEN(AVG("fact"."ratio"), 0) AS "f" FROM "fact" AS "fact" WHERE "fact"."id" <> 6
SELECT "fact"."id" AS "id", EXTRACT(YEAR FROM "fact"."d") / 4 AS "a", EXTRACT(MONTH FROM "fact"."d") / 5 AS "b" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", CAST(ROUND(("fact"."n" / 2.0)) AS INT) AS "a", CAST(ROUND("fact"."n" / 4.0) AS BIGINT) AS "b", CAST("fact"."ratio" / 2 AS INT) AS "c" FROM "fact" AS "fact" WHERE "fact"."id" <> 6
SELECT CAST(ROUND(AVG("fact"."n")) AS INT) AS "a", CAST(ROUND(AVG("fact"."m")) AS BIGINT) AS "b", CAST(AVG("fact"."ratio") AS INT) AS "c" FROM "fact" AS "fact" WHERE "fact"."id" IN (1, 7, 10, 3)
SELECT "fact"."id" AS "id", CAST(ROUND(EXTRACT(MONTH FROM "fact"."d")) AS INT) // 5 AS "a", ROUND(2.5) AS "b", 1 / 3 AS "c" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", ("fact"."price") AS "a", ("fact"."fine") * 2 AS "b", CAST("fact"."n" AS DECIMAL(38, 0)) / 3 AS "c", ("fact"."ratio") AS "e", CAST('1.2345' AS DOUBLE) AS "f" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", LEFT(CAST("fact"."grp" AS TEXT), 1) AS "a", LEFT(CAST("fact"."grp" AS TEXT), 2) || '.' AS "b" FROM "fact" AS "fact"
SELECT "fact"."id" AS "id", CAST(EXTRACT(MICROSECOND FROM "fact"."ts") * 0.001 AS DECIMAL(8, 3)) AS "a", CAST(EXTRACT(MICROSECOND FROM "fact"."ts") * 0.001 AS DECIMAL(8, 3)) AS "b" FROM "fact" AS "fact"
SELECT "fact"."flag" AS "flag", (BOOL_AND(CAST(("fact"."n" > 0) AS BOOLEAN))) AS "a", CASE WHEN ISNAN(CORR("fact"."price", 1)) THEN NULL ELSE CORR("fact"."price", 1) END AS "b", CASE WHEN ISNAN(REGR_SLOPE("fact"."ratio", 2)) THEN NULL ELSE REGR_SLOPE("fact"."ratio", 2) END AS "c" FROM "fact" AS "fact" GROUP BY "fact"."flag"
SELECT "fact"."id" AS "id", (OCTET_LENGTH(ENCODE(("fact"."grp")))) AS "a", (LEFT(("fact"."grp"), (2) - 1) || ('Q') || SUBSTRING(("fact"."grp"), (2) + (LENGTH('Q')))) AS "b", (LENGTH((CASE WHEN "fact"."grp" = '' THEN [] ELSE STR_SPLIT("fact"."grp", ' ') END))) AS "c" FROM "fact" AS "fact"
SELECT "fact"."flag" AS "flag", CASE WHEN ARRAY_AGG("fact"."n" ORDER BY "fact"."id") IS NULL THEN NULL ELSE COALESCE(ARRAY_TO_STRING(ARRAY_AGG("fact"."n" ORDER BY "fact"."id"), ','), '') END AS "a", CASE WHEN ARRAY_AGG(NULLIF("fact"."n", "fact"."n")) IS NULL THEN NULL ELSE COALESCE(ARRAY_TO_STRING(ARRAY_AGG(NULLIF("fact"."n", "fact"."n")), ','), '') END AS "b" FROM "fact" AS "fact" GROUP BY "fact"."flag"
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE ("fact"."grp") < 'b' OR REGEXP_MATCHES("fact"."grp", '^[[:digit:]]')
SELECT 7 AS "a", COUNT(*) AS "c" FROM "fact" AS "fact" GROUP BY '1'
SELECT "fact"."id" AS "id", CASE WHEN (-1) < 1 THEN SUBSTRING(CASE WHEN (0) < 1 THEN SUBSTRING("fact"."grp", 1, CASE WHEN (3) + (0) - 1 < 0 THEN 0 ELSE (3) + (0) - 1 END) ELSE SUBSTRING("fact"."grp", 0, 3) END, 1, CASE WHEN (3) + (-1) - 1 < 0 THEN 0 ELSE (3) + (-1) - 1 END) ELSE SUBSTRING(CASE WHEN (0) < 1 THEN SUBSTRING("fact"."grp", 1, CASE WHEN (3) + (0) - 1 < 0 THEN 0 ELSE (3) + (0) - 1 END) ELSE SUBSTRING("fact"."grp", 0, 3) END, -1, 3) END AS "a", CAST(SUM("fact"."m") AS TEXT) || "fact"."grp" AS "b" FROM "fact" AS "fact" GROUP BY "fact"."id", "fact"."grp"
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE ("fact"."ratio") IN (0.5, 2.50, NULL) OR NOT (("fact"."ratio") IN (0.1, -2.50, 0.5))
SELECT "fact"."id" AS "id" FROM "fact" AS "fact" WHERE REGEXP_FULL_MATCH("fact"."grp", '(?s)(a|Z).*') OR REGEXP_FULL_MATCH("fact"."grp", '(?s).') AND NOT REGEXP_FULL_MATCH("fact"."grp", '(?s)[a-b]')
SELECT "fact"."id" AS "id", CONCAT("fact"."grp", CASE WHEN "fact"."flag" THEN 't' WHEN NOT ("fact"."flag") THEN 'f' END, CASE WHEN "fact"."n" > 3 THEN 't' WHEN NOT ("fact"."n" > 3) THEN 'f' END) AS "a", CONCAT_WS('-', CASE WHEN "fact"."flag" THEN 't' WHEN NOT ("fact"."flag") THEN 'f' END, "fact"."grp") AS "b", CAST("fact"."flag" AS TEXT) AS "c", SIGN("fact"."n") / 2.0 AS "e" FROM "fact" AS "fact"
