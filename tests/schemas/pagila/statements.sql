-- name: films_of_an_actor
-- reads: film, film_actor, actor
SELECT f.title, f.release_year FROM film f JOIN film_actor fa USING (film_id) JOIN actor a USING (actor_id)
WHERE a.last_name ILIKE 'gui%' ORDER BY f.title NULLS LAST;

-- name: languages_of_a_store
-- reads: store, inventory, film, language
SELECT s.store_id, l.name, count(*) FROM store s JOIN inventory i USING (store_id) JOIN film f USING (film_id) JOIN language l USING (language_id)
GROUP BY s.store_id, l.name;

-- name: full_text
-- reads: film
SELECT title, ts_rank(fulltext, query) AS rank FROM public.film, to_tsquery('english', 'fate & india') query
WHERE fulltext @@ query ORDER BY rank DESC LIMIT 10;

-- name: full_text_plain
-- reads: film
SELECT film_id, ts_headline(description, plainto_tsquery('drama')) FROM film
WHERE to_tsvector('english', title || ' ' || coalesce(description, '')) @@ websearch_to_tsquery('drama -robot');

-- name: features
-- reads: film
SELECT title FROM film WHERE special_features @> ARRAY['Trailers']::text[] AND 'Commentaries' = ANY (special_features)
AND array_length(special_features, 1) > 1;

-- name: features_one_a_row
-- reads: film
SELECT feature, count(*) FROM film, unnest(special_features) AS feature GROUP BY feature ORDER BY 2 DESC;

-- name: features_overlap
-- reads: film
SELECT special_features[1], cardinality(special_features) FROM film WHERE special_features && '{Trailers,"Deleted Scenes"}';

-- name: rating_of_an_enum
-- reads: film
SELECT rating, avg(length)::numeric(6,2), percentile_cont(0.5) WITHIN GROUP (ORDER BY length) FROM film
WHERE rating <> 'G'::mpaa_rating AND rating IN ('PG', 'R') GROUP BY rating;

-- name: counted_by_filter
-- reads: rental
SELECT staff_id, count(*) FILTER (WHERE return_date IS NULL) AS out, count(*) FILTER (WHERE return_date - rental_date > interval '7 days') AS late
FROM rental GROUP BY staff_id;

-- name: last_rental_of_each
-- reads: rental
SELECT DISTINCT ON (customer_id) customer_id, rental_date, inventory_id FROM rental ORDER BY customer_id, rental_date DESC;

-- name: three_latest
-- reads: customer, payment
SELECT c.customer_id, p.amount, p.payment_date FROM customer c
CROSS JOIN LATERAL (SELECT amount, payment_date FROM payment WHERE payment.customer_id = c.customer_id ORDER BY payment_date DESC LIMIT 3) p;

-- name: actor_info_view
-- reads: actor, film_actor, film_category, category, film
SELECT last_name, film_info FROM public.actor_info WHERE actor_id = 42;

-- name: customer_list_view
-- reads: customer, address, city, country
SELECT id, name, "zip code" FROM customer_list WHERE notes = 'active' AND country = 'Chad';

-- name: materialised
-- reads: rental_by_category
SELECT * FROM rental_by_category WHERE total_sales > 100 ORDER BY category;

-- name: partition_by_name
-- reads: payment
SELECT sum(amount) FROM payment_p2022_01 WHERE customer_id = 5;

-- name: default_partition
-- reads: payment
SELECT count(*) FROM ONLY payment_rest;

-- name: payments_of_a_month
-- reads: payment
SELECT date_trunc('day', payment_date) AS day, sum(amount), sum(sum(amount)) OVER (ORDER BY date_trunc('day', payment_date) ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)
FROM payment WHERE payment_date >= '2022-01-01'::timestamptz AND payment_date < timestamptz '2022-01-01' + interval '1 month' GROUP BY 1;

-- name: days_without_payments
-- reads: payment
SELECT g.day::date FROM generate_series('2022-01-01'::timestamp, '2022-01-31', '1 day') AS g(day)
LEFT JOIN payment p ON p.payment_date::date = g.day::date WHERE p.payment_id IS NULL;

-- name: revenue_by_store_and_category
-- reads: payment, staff, rental, inventory, film_category, category
SELECT s.store_id, c.name, sum(p.amount), grouping(s.store_id, c.name) FROM payment p JOIN staff s USING (staff_id)
JOIN rental r USING (rental_id) JOIN inventory i USING (inventory_id) JOIN film_category fc USING (film_id) JOIN category c USING (category_id)
GROUP BY GROUPING SETS ((s.store_id, c.name), (s.store_id), ());

-- name: names_joined
-- reads: category, film_category, film
SELECT c.name, string_agg(f.title, ', ' ORDER BY f.length DESC), array_agg(DISTINCT f.rating) FROM category c
LEFT JOIN film_category fc ON fc.category_id = c.category_id LEFT JOIN film f ON f.film_id = fc.film_id GROUP BY c.name;

-- name: own_aggregate
-- reads: actor
SELECT last_name, group_concat(first_name) FROM actor GROUP BY last_name HAVING count(*) > 1;

-- name: as_json
-- reads: film, film_actor
SELECT json_build_object('title', f.title, 'actors', (SELECT jsonb_agg(fa.actor_id) FROM film_actor fa WHERE fa.film_id = f.film_id)) FROM film f WHERE f.film_id = 1;

-- name: in_jsonb
-- reads: packages_apt_postgresql_org
SELECT aptdata ->> 'Package' AS package, (aptdata -> 'Size')::text::int FROM packages_apt_postgresql_org
WHERE aptdata @> '{"Section": "database"}' AND aptdata ? 'Depends' AND aptdata #>> '{Tag,0}' LIKE 'role%';

-- name: jsonb_rows
-- reads: packages_apt_postgresql_org
SELECT e.key, count(*) FROM packages_apt_postgresql_org p, jsonb_each_text(p.aptdata) AS e(key, value) GROUP BY e.key;

-- name: hstore_and_inet
-- reads: packages_apt_postgresql_org
SELECT tags -> 'role', host(seen) FROM packages_apt_postgresql_org WHERE seen << '10.0.0.0/8'::inet;

-- name: chain_of_actors
-- reads: film_actor
WITH RECURSIVE chain(actor_id, depth) AS (
  SELECT 1, 0 UNION SELECT b.actor_id, c.depth + 1 FROM chain c JOIN film_actor a ON a.actor_id = c.actor_id
  JOIN film_actor b ON b.film_id = a.film_id WHERE c.depth < 2
) SELECT depth, count(DISTINCT actor_id) FROM chain GROUP BY depth;

-- name: ranges
-- reads: rental
SELECT rental_id FROM rental WHERE during @> '2022-05-25'::timestamptz AND upper(during) - lower(during) > '5 days';

-- name: overlapping
-- reads: rental
SELECT a.rental_id, b.rental_id FROM rental a JOIN rental b ON a.customer_id = b.customer_id AND a.rental_id < b.rental_id
AND (a.rental_date, a.return_date) OVERLAPS (b.rental_date, b.return_date);

-- name: dates
-- reads: rental
SELECT extract(isodow FROM rental_date), to_char(rental_date, 'YYYY-MM-DD HH24:MI'), age(return_date, rental_date), date_part('hour', rental_date AT TIME ZONE 'UTC')
FROM rental WHERE rental_date BETWEEN now() - '3 months'::interval AND CURRENT_TIMESTAMP;

-- name: regular_expressions
-- reads: customer
SELECT email FROM customer WHERE email ~* '^[a-m].*@' AND last_name !~ 'X$' AND first_name SIMILAR TO '(A|B)%' AND regexp_replace(email, '@.*', '') IS NOT NULL;

-- name: tablesample
-- reads: rental
SELECT count(*) FROM rental TABLESAMPLE SYSTEM (10) REPEATABLE (1);

-- name: in_stock
-- reads: inventory
SELECT inventory_id FROM inventory WHERE film_id = $1 AND store_id = $2 AND inventory_in_stock(inventory_id);

-- name: locked
-- reads: inventory
SELECT inventory_id FROM inventory WHERE film_id = 7 ORDER BY inventory_id LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: first_rows
-- reads: staff
SELECT username, encode(picture, 'hex') FROM staff ORDER BY staff_id OFFSET 1 ROWS FETCH FIRST 1 ROW ONLY;

-- name: rent
-- reads:
-- writes: rental
INSERT INTO rental (rental_date, inventory_id, customer_id, staff_id) VALUES (now(), $1, $2, $3) RETURNING rental_id;

-- name: keep_actor
-- writes: actor
INSERT INTO public.actor AS a (actor_id, first_name, last_name) VALUES (1, 'ANN', 'LEE')
ON CONFLICT (actor_id) DO UPDATE SET last_name = EXCLUDED.last_name WHERE a.last_name IS DISTINCT FROM EXCLUDED.last_name;

-- name: keep_category
-- reads: film, category
-- writes: film_category
INSERT INTO film_category (film_id, category_id) SELECT f.film_id, c.category_id FROM film f CROSS JOIN category c
WHERE c.name = 'New' AND f.release_year = 2022 ON CONFLICT DO NOTHING;

-- name: return_all
-- reads: rental, inventory
-- writes: rental
UPDATE rental AS r SET return_date = now(), last_update = DEFAULT FROM inventory i WHERE i.inventory_id = r.inventory_id AND i.store_id = 2 AND r.return_date IS NULL;

-- name: archive
-- reads: payment
-- writes: payment
WITH gone AS (DELETE FROM payment WHERE payment_date < '2022-02-01' RETURNING amount) SELECT sum(amount) FROM gone;

-- name: clean
-- reads: film_actor, film
-- writes: film_actor
DELETE FROM film_actor USING film WHERE film.film_id = film_actor.film_id AND film.title = 'ACADEMY DINOSAUR';

-- name: merge
-- reads: customer, staff
-- writes: customer
MERGE INTO customer c USING staff s ON s.email = c.email WHEN MATCHED AND s.active THEN UPDATE SET active = 1
WHEN NOT MATCHED THEN INSERT (customer_id, store_id, first_name, last_name, address_id) VALUES (s.staff_id + 9000, s.store_id, s.first_name, s.last_name, s.address_id);

-- left out: session
SELECT set_config('search_path', 'public', false);
-- name: explained_and_run
-- reads: film
EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM film;
-- left out: session
SHOW search_path;
-- left out: catalog
SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r';
-- left out: session
CALL refresh_everything();
-- left out: maintenance
REFRESH MATERIALIZED VIEW CONCURRENTLY rental_by_category;
