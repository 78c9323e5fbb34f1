"""The meaning of a PostgreSQL table's values, which changes without its rows' versions."""

FORM = """
WITH RECURSIVE part AS (
  SELECT CAST(CAST(%s AS regclass) AS oid) AS oid
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN part ON i.inhparent = part.oid
), form AS (
  SELECT c.oid, a.attnum, a.atttypid,
         concat_ws(' ', c.oid, c.relfilenode, a.attnum, a.attname, a.atttypid, a.atttypmod,
                   a.attcollation, pg_get_expr(d.adbin, d.adrelid)) AS text
  FROM part JOIN pg_catalog.pg_class c USING (oid)
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_attrdef d
    ON a.attgenerated <> '' AND d.adrelid = a.attrelid AND d.adnum = a.attnum
), used AS (
  SELECT atttypid AS oid FROM form
  UNION SELECT within.oid FROM used JOIN pg_catalog.pg_type t ON t.oid = used.oid,
  LATERAL (
    SELECT t.typbasetype AS oid UNION ALL SELECT t.typelem
    UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
      WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r
      WHERE t.oid IN (r.rngtypid, CAST(to_jsonb(r) ->> 'rngmultitypid' AS oid))
  ) within
), types AS (
  SELECT t.oid, t.typnamespace, t.typname, a.attnum, concat_ws(' ', t.oid, a.attnum, a.atttypid,
    a.atttypmod, (SELECT string_agg(e.enumlabel, ',' ORDER BY e.oid)
                  FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)) AS text
  FROM used JOIN pg_catalog.pg_type t USING (oid)
  LEFT JOIN pg_catalog.pg_attribute a
    ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
)
SELECT (SELECT bool_or(c.relkind = 'f' OR row_security_active(c.oid))
        FROM part JOIN pg_catalog.pg_class c USING (oid))
       OR EXISTS (SELECT FROM types WHERE typnamespace = CAST('pg_catalog' AS regnamespace)
                  AND (typname LIKE 'reg%%' OR typname = 'aclitem')),
       md5(concat_ws(' ', pg_postmaster_start_time(),
         CASE WHEN EXISTS (SELECT FROM types WHERE typname = 'money')
              THEN current_setting('lc_monetary') END,
         (SELECT string_agg(text, ',' ORDER BY oid, attnum) FROM form),
         (SELECT string_agg(text, ',' ORDER BY oid, attnum) FROM types)))
"""
"""Of a table: whether its rows' versions tell nothing of its values, and a digest of their form.

They tell nothing of rows that are elsewhere (a foreign table), that a policy shows or hides, and of
values that are names of other things, such as `regclass`: each of these changes without the table.
The form are the columns, with the expressions of those that are computed when they are read; the
types within their types, such as the fields of a composite one and the labels of an enumeration;
how money is written; and the server as it was started, since one that was set back to a backup
gives numbers of transactions again.
"""
