--
-- PostgreSQL database dump
--

-- Dumped from database version 16.2
-- Dumped by pg_dump version 16.2

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);

-- rows: 8
CREATE TABLE public."Categories" (
    "CategoryID" integer NOT NULL,
    "CategoryName" character varying(15) NOT NULL,
    "Description" text,
    "Picture" bytea
);

-- rows: 91
CREATE TABLE public."Customers" (
    "CustomerID" character(5) NOT NULL,
    "CompanyName" character varying(40) NOT NULL,
    "ContactName" character varying(30),
    "Address" character varying(60),
    "City" character varying(15),
    "Region" character varying(15),
    "Postal Code" character varying(10),
    "Country" character varying(15),
    "Phone" character varying(24)
);

-- rows: 9
CREATE TABLE public."Employees" (
    "EmployeeID" integer NOT NULL,
    "LastName" character varying(20) NOT NULL,
    "FirstName" character varying(10) NOT NULL,
    "BirthDate" date,
    "HireDate" date,
    "Photo" bytea,
    "ReportsTo" integer
);

-- rows: 2_155
CREATE TABLE public."Order Details" (
    "OrderID" integer NOT NULL,
    "ProductID" integer NOT NULL,
    "UnitPrice" money NOT NULL,
    "Quantity" smallint NOT NULL,
    "Discount" real NOT NULL,
    CONSTRAINT "CK_Discount" CHECK ((("Discount" >= (0)::double precision) AND ("Discount" <= (1)::double precision))),
    CONSTRAINT "CK Unit, Price" CHECK (("UnitPrice" >= (0)::money))
);

-- rows: 830
CREATE TABLE public."Orders" (
    "OrderID" integer NOT NULL,
    "CustomerID" character(5),
    "EmployeeID" integer,
    "OrderDate" timestamp(3) without time zone,
    "RequiredDate" timestamp(3) without time zone,
    "ShippedDate" timestamp(3) without time zone,
    "ShipVia" integer,
    "Freight" numeric(19,4) DEFAULT 0,
    "ShipName" character varying(40),
    "ShipCountry" character varying(15)
);

-- rows: 77
CREATE TABLE public."Products" (
    "ProductID" integer NOT NULL,
    "ProductName" character varying(40) NOT NULL,
    "SupplierID" integer,
    "CategoryID" integer,
    "UnitPrice" numeric(19,4) DEFAULT 0,
    "UnitsInStock" smallint DEFAULT 0,
    "Discontinued" bit(1) DEFAULT B'0' NOT NULL
);

-- rows: 4
CREATE TABLE public."Region" (
    "RegionID" integer NOT NULL,
    "RegionDescription" character(50) NOT NULL
);

-- rows: 53
CREATE TABLE public."Territories" (
    "TerritoryID" character varying(20) NOT NULL,
    "TerritoryDescription" character(50) NOT NULL,
    "RegionID" integer NOT NULL
);

-- rows: 12
CREATE TABLE public."order" (
    id integer NOT NULL,
    "user" integer,
    "from" date,
    "to" date,
    "group" text,
    "select" boolean
);

-- rows: 30
CREATE TABLE public."user" (
    id integer NOT NULL,
    name text,
    "table" text,
    "Ünïcode name" text,
    "100%" numeric(5,2),
    "it's ""quoted""" text
);

-- rows: 29
CREATE TABLE sales."Suppliers" (
    "SupplierID" integer NOT NULL,
    "Company.Name" character varying(40) NOT NULL,
    "HomePage" text
);

CREATE VIEW public."Order Subtotals" AS
 SELECT "Order Details"."OrderID",
    sum((((("Order Details"."UnitPrice" * "Order Details"."Quantity") * ((1)::double precision - "Order Details"."Discount")) / (100)::double precision) * (100)::double precision)) AS "Subtotal"
   FROM public."Order Details"
  GROUP BY "Order Details"."OrderID";

CREATE VIEW public."Summary of Sales by Year" AS
 SELECT o."ShippedDate",
    o."OrderID",
    s."Subtotal"
   FROM (public."Orders" o
     JOIN public."Order Subtotals" s ON ((o."OrderID" = s."OrderID")))
  WHERE (o."ShippedDate" IS NOT NULL);

CREATE VIEW public."Current Product List" AS
 SELECT "Product_List"."ProductID",
    "Product_List"."ProductName"
   FROM public."Products" "Product_List"
  WHERE ("Product_List"."Discontinued" = B'0'::"bit");

ALTER TABLE ONLY public."Categories" ADD CONSTRAINT "PK_Categories" PRIMARY KEY ("CategoryID");
ALTER TABLE ONLY public."Customers" ADD CONSTRAINT "PK_Customers" PRIMARY KEY ("CustomerID");
ALTER TABLE ONLY public."Employees" ADD CONSTRAINT "PK_Employees" PRIMARY KEY ("EmployeeID");
ALTER TABLE ONLY public."Order Details" ADD CONSTRAINT "PK_Order_Details" PRIMARY KEY ("OrderID", "ProductID");
ALTER TABLE ONLY public."Orders" ADD CONSTRAINT "PK_Orders" PRIMARY KEY ("OrderID");
ALTER TABLE ONLY public."Products" ADD CONSTRAINT "PK_Products" PRIMARY KEY ("ProductID");
ALTER TABLE ONLY public."Territories" ADD CONSTRAINT "PK_Territories" PRIMARY KEY ("TerritoryID");
ALTER TABLE ONLY public."order" ADD CONSTRAINT order_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."user" ADD CONSTRAINT user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sales."Suppliers" ADD CONSTRAINT "PK_Suppliers" PRIMARY KEY ("SupplierID");
CREATE INDEX "Order Details by product" ON public."Order Details" USING btree ("ProductID");
ALTER TABLE ONLY public."Order Details" ADD CONSTRAINT "FK_Order_Details_Orders" FOREIGN KEY ("OrderID") REFERENCES public."Orders"("OrderID");
ALTER TABLE ONLY public."Order Details" ADD CONSTRAINT "FK_Order_Details_Products" FOREIGN KEY ("ProductID") REFERENCES public."Products"("ProductID");
ALTER TABLE ONLY public."Employees" ADD CONSTRAINT "FK_Employees_Employees" FOREIGN KEY ("ReportsTo") REFERENCES public."Employees"("EmployeeID");
ALTER TABLE ONLY public."Products" ADD CONSTRAINT "FK Products Suppliers" FOREIGN KEY ("SupplierID") REFERENCES sales."Suppliers"("SupplierID") NOT VALID;
ALTER TABLE ONLY public."order" ADD CONSTRAINT order_user_fkey FOREIGN KEY ("user") REFERENCES public."user"(id) DEFERRABLE INITIALLY DEFERRED;
