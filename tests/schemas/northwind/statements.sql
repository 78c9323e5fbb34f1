-- name: lines_of_an_order
-- reads: Order Details, Products
SELECT od."ProductID", p."ProductName", od."Quantity" FROM "Order Details" od JOIN "Products" p ON p."ProductID" = od."ProductID" WHERE od."OrderID" = 10248;

-- name: unaliased
-- reads: Order Details, Orders
SELECT "Order Details"."OrderID", count(*) AS "Number of Lines" FROM public."Order Details", public."Orders"
WHERE "Order Details"."OrderID" = "Orders"."OrderID" GROUP BY "Order Details"."OrderID" HAVING count(*) > 3 ORDER BY "Number of Lines" DESC;

-- name: subtotals_view
-- reads: Order Details
SELECT * FROM "Order Subtotals" WHERE "OrderID" BETWEEN 10250 AND 10260;

-- name: sales_by_year_view
-- reads: Order Details, Orders
SELECT date_part('year', "ShippedDate") AS "Year", sum("Subtotal") FROM "Summary of Sales by Year" GROUP BY 1;

-- name: current_products_view
-- reads: Products
SELECT count(*) FROM public."Current Product List" WHERE "ProductName" LIKE 'C%';

-- name: reserved_names
-- reads: order, user
SELECT o."from", o."to", u."table" AS "select", o."group" FROM "order" o INNER JOIN "user" AS u ON o."user" = u.id WHERE o."select" AND o."from" < o."to";

-- name: reserved_unaliased
-- reads: order
SELECT "order"."group", max("order"."to" - "order"."from") FROM "order" GROUP BY "order"."group";

-- name: odd_columns
-- reads: user
SELECT "Ünïcode name", "100%" / 100 AS "%", "it's ""quoted""" FROM "user" WHERE "it's ""quoted""" IS NOT NULL;

-- name: dotted_column
-- reads: Suppliers, Products
SELECT s."Company.Name", count(p."ProductID") FROM sales."Suppliers" s LEFT JOIN "Products" p USING ("SupplierID") GROUP BY s."Company.Name";

-- name: of_another_schema
-- reads: Suppliers
SELECT sales."Suppliers"."HomePage" FROM sales."Suppliers" WHERE "Suppliers"."SupplierID" = $1;

-- name: managers
-- reads: Employees
WITH RECURSIVE tree AS (
  SELECT "EmployeeID", "LastName"::text AS path, 0 AS level FROM "Employees" WHERE "ReportsTo" IS NULL
  UNION ALL SELECT e."EmployeeID", tree.path || ' > ' || e."LastName", tree.level + 1 FROM "Employees" e JOIN tree ON tree."EmployeeID" = e."ReportsTo"
) SELECT * FROM tree ORDER BY path;

-- name: late_orders
-- reads: Orders, Customers, Employees
SELECT c."CompanyName", e."FirstName" || ' ' || e."LastName" AS "Sales Person", o."ShippedDate" - o."RequiredDate" AS late
FROM "Orders" o JOIN "Customers" c ON c."CustomerID" = o."CustomerID" LEFT JOIN "Employees" e ON e."EmployeeID" = o."EmployeeID"
WHERE o."ShippedDate" > o."RequiredDate" + interval '1 day';

-- name: quarters
-- reads: Orders, Order Details, Products, Categories
SELECT "Categories"."CategoryName", to_char(o."OrderDate", 'YYYY "Q"Q') AS quarter, sum(od."Quantity") FILTER (WHERE od."Discount" = 0) AS undiscounted
FROM "Categories" JOIN "Products" ON "Products"."CategoryID" = "Categories"."CategoryID"
JOIN "Order Details" od ON od."ProductID" = "Products"."ProductID" JOIN "Orders" o ON o."OrderID" = od."OrderID"
GROUP BY CUBE ("Categories"."CategoryName", to_char(o."OrderDate", 'YYYY "Q"Q'));

-- name: revenue
-- reads: Order Details
SELECT sum("UnitPrice"::numeric * "Quantity" * (1 - "Discount")) FROM "Order Details" WHERE "UnitPrice" > 10::money;

-- name: ranked_customers
-- reads: Orders, Customers
SELECT "Country", "CompanyName", n, rank() OVER by_country, first_value("CompanyName") OVER by_country FROM (
  SELECT c."Country", c."CompanyName", count(o.*) AS n FROM "Customers" c LEFT JOIN "Orders" o USING ("CustomerID") GROUP BY c."Country", c."CompanyName") AS "per customer"
WINDOW by_country AS (PARTITION BY "Country" ORDER BY n DESC);

-- name: latest_order
-- reads: Orders
SELECT DISTINCT ON ("CustomerID") "CustomerID", "OrderID" FROM "Orders" ORDER BY "CustomerID", "OrderDate" DESC NULLS LAST;

-- name: two_cheapest
-- reads: Categories, Products
SELECT c."CategoryName", x."ProductName" FROM "Categories" c LEFT JOIN LATERAL (SELECT "ProductName" FROM "Products" WHERE "CategoryID" = c."CategoryID" ORDER BY "UnitPrice" LIMIT 2) x ON true;

-- name: territories
-- reads: Territories, Region
SELECT trim("RegionDescription"), string_agg(trim("TerritoryDescription"), ', ' ORDER BY "TerritoryID") FROM "Territories" NATURAL JOIN "Region" GROUP BY "RegionDescription";

-- name: everywhere
-- reads: Customers, Employees
SELECT "City" FROM "Customers" EXCEPT SELECT "LastName" FROM "Employees" ORDER BY "City" COLLATE "C";

-- name: no_orders
-- reads: Customers, Orders
SELECT "CustomerID" FROM "Customers" WHERE "CustomerID" <> ALL (SELECT "CustomerID" FROM "Orders" WHERE "CustomerID" IS NOT NULL);

-- name: whole_rows
-- reads: Products
SELECT row_to_json(p), p.* FROM "Products" p WHERE p."Discontinued" = B'1' OR p."UnitsInStock" = 0;

-- name: order_it
-- writes: Orders
INSERT INTO "Orders" ("OrderID", "CustomerID", "OrderDate") VALUES (11078, 'ALFKI', now()) RETURNING "OrderID";

-- name: add_line
-- reads: Products
-- writes: Order Details
INSERT INTO "Order Details" ("OrderID", "ProductID", "UnitPrice", "Quantity", "Discount") SELECT 11078, "ProductID", "UnitPrice", 1, 0 FROM "Products" WHERE "ProductID" = 11
ON CONFLICT ("OrderID", "ProductID") DO UPDATE SET "Quantity" = "Order Details"."Quantity" + EXCLUDED."Quantity";

-- name: restock
-- reads: Products, Order Details
-- writes: Products
UPDATE "Products" SET "UnitsInStock" = "Products"."UnitsInStock" - od."Quantity" FROM "Order Details" AS od WHERE od."ProductID" = "Products"."ProductID" AND od."OrderID" = 11078;

-- name: reserved_update
-- reads: order
-- writes: order
UPDATE "order" SET "to" = "from" + 7, "group" = NULL WHERE "user" = 3;

-- name: cancel
-- reads: Order Details, Orders
-- writes: Order Details
DELETE FROM "Order Details" USING "Orders" WHERE "Orders"."OrderID" = "Order Details"."OrderID" AND "Orders"."CustomerID" = 'VINET';

-- left out: session
SET search_path TO public, sales;
-- left out: session
BEGIN ISOLATION LEVEL SERIALIZABLE;
