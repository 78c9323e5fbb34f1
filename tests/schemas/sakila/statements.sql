-- name: films_of_an_actor
-- reads: film, film_actor, actor
SELECT f.title, f.release_year FROM film f
JOIN film_actor fa ON fa.film_id = f.film_id JOIN actor a ON a.actor_id = fa.actor_id
WHERE a.last_name = 'GUINESS' ORDER BY f.title;

-- name: actor_info_view
-- reads: actor, film_actor, film_category, category, film
SELECT * FROM actor_info WHERE last_name LIKE 'B%';

-- name: customer_list_view
-- reads: customer, address, city, country
SELECT ID, name, `zip code`, country FROM customer_list WHERE SID = 1 AND notes = 'active';

-- name: film_list_view
-- reads: film, film_category, category, film_actor, actor
SELECT FID, title, actors FROM sakila.film_list WHERE category = 'Horror' AND price < 2.99;

-- name: sales_by_store_view
-- reads: payment, rental, inventory, store, address, city, country, staff
SELECT store, total_sales FROM sales_by_store;

-- name: full_text
-- reads: film_text
SELECT film_id, title, MATCH (title, description) AGAINST ('drama database') AS score
FROM film_text WHERE MATCH (title, description) AGAINST ('+drama -robot' IN BOOLEAN MODE) ORDER BY score DESC LIMIT 10;

-- name: full_text_joined
-- reads: film_text, film
SELECT f.film_id, f.rating FROM film f JOIN film_text t USING (film_id)
WHERE MATCH(t.title, t.description) AGAINST('crocodile' IN NATURAL LANGUAGE MODE) AND f.length < 100;

-- name: set_and_enum
-- reads: film
SELECT rating, COUNT(*) FROM film WHERE FIND_IN_SET('Trailers', special_features) > 0 AND rating IN ('G', 'PG')
GROUP BY rating ORDER BY FIELD(rating, 'PG', 'G');

-- name: features_by_bit
-- reads: film
SELECT title FROM film WHERE special_features & 1 AND rating + 0 > 2;

-- name: overdue
-- reads: rental, customer, address, inventory, film
SELECT CONCAT(c.last_name, ', ', c.first_name) AS customer, a.phone, f.title
FROM rental r INNER JOIN customer c ON r.customer_id = c.customer_id
INNER JOIN address a ON c.address_id = a.address_id
INNER JOIN inventory i ON r.inventory_id = i.inventory_id
INNER JOIN film f ON i.film_id = f.film_id
WHERE r.return_date IS NULL AND r.rental_date + INTERVAL f.rental_duration DAY < CURRENT_DATE()
ORDER BY f.title LIMIT 5;

-- name: revenue_by_month
-- reads: payment
SELECT DATE_FORMAT(payment_date, '%Y-%m-01') AS month, SUM(amount), SUM(SUM(amount)) OVER (ORDER BY DATE_FORMAT(payment_date, '%Y-%m-01')) AS running
FROM payment GROUP BY month;

-- name: revenue_by_category
-- reads: payment, rental, inventory, film_category, category
SELECT c.name, SUM(p.amount) AS total FROM payment p
JOIN rental r USING (rental_id) JOIN inventory i USING (inventory_id)
JOIN film_category fc USING (film_id) JOIN category c USING (category_id)
GROUP BY c.name WITH ROLLUP;

-- name: best_customers
-- reads: customer, payment
SELECT c.customer_id, c.email, SUM(p.amount) spent, RANK() OVER (PARTITION BY c.store_id ORDER BY SUM(p.amount) DESC) place
FROM customer c NATURAL JOIN (SELECT customer_id, amount FROM payment) p GROUP BY c.customer_id HAVING spent > 150;

-- name: last_rental_of_each
-- reads: customer, rental
SELECT c.customer_id, r.rental_date FROM customer c
JOIN LATERAL (SELECT rental_date FROM rental WHERE rental.customer_id = c.customer_id ORDER BY rental_date DESC LIMIT 1) AS r ON TRUE;

-- name: never_rented
-- reads: film, inventory, rental
SELECT f.film_id, f.title FROM film f
WHERE f.film_id NOT IN (SELECT i.film_id FROM inventory i JOIN rental r ON r.inventory_id = i.inventory_id);

-- name: actors_together
-- reads: film_actor, actor
SELECT x.last_name, y.last_name, COUNT(*) n FROM film_actor a JOIN film_actor b ON a.film_id = b.film_id AND a.actor_id < b.actor_id
JOIN actor x ON x.actor_id = a.actor_id JOIN actor y ON y.actor_id = b.actor_id
GROUP BY a.actor_id, b.actor_id ORDER BY n DESC LIMIT 10;

-- name: hours_out
-- reads: rental
SELECT HOUR(rental_date) h, DAYNAME(rental_date) d, AVG(TIMESTAMPDIFF(HOUR, rental_date, return_date)) FROM rental
WHERE rental_date BETWEEN '2005-07-01' AND '2005-07-31 23:59:59' GROUP BY h, d;

-- name: week_of_payment
-- reads: payment
SELECT YEARWEEK(payment_date, 1), WEEK(payment_date), LAST_DAY(payment_date), UNIX_TIMESTAMP(payment_date) FROM payment
WHERE DATE(payment_date) = '2005-07-28' AND EXTRACT(DAY FROM payment_date) > 3;

-- name: film_as_json
-- reads: film, language, film_actor
SELECT JSON_PRETTY(JSON_OBJECT('title', f.title, 'language', TRIM(l.name), 'actors', (SELECT JSON_ARRAYAGG(fa.actor_id) FROM film_actor fa WHERE fa.film_id = f.film_id))) AS doc
FROM film f JOIN language l USING (language_id) WHERE f.film_id = 1;

-- name: in_json
-- reads: customer
SELECT c.customer_id FROM customer c WHERE c.customer_id IN (SELECT j.id FROM JSON_TABLE('[1, 2, 5]', '$[*]' COLUMNS (id INT PATH '$')) AS j);

-- name: in_stock
-- reads: inventory
SELECT inventory_id FROM inventory WHERE film_id = 1 AND store_id = 1 AND inventory_in_stock(inventory_id);

-- name: nearby
-- reads: address
SELECT address_id, ST_X(location), ST_Distance_Sphere(location, POINT(-112.8, 49.6)) AS d FROM address HAVING d < 100000;

-- name: case_and_null
-- reads: staff
SELECT username, IFNULL(email, '-') e, NULLIF(active, 0), CASE store_id WHEN 1 THEN 'one' ELSE 'other' END, picture IS NULL FROM staff WHERE password <=> NULL;

-- name: group_of_names
-- reads: category, film_category
SELECT c.name, GROUP_CONCAT(fc.film_id ORDER BY fc.film_id SEPARATOR '|') FROM category c LEFT OUTER JOIN film_category fc ON c.category_id = fc.category_id GROUP BY 1;

-- name: binary_compare
-- reads: actor
SELECT actor_id FROM actor WHERE BINARY first_name = 'PENELOPE' OR last_name COLLATE utf8mb4_bin LIKE '%\_%' OR first_name = _utf8mb4'ED';

-- name: count_distinct_pairs
-- reads: rental
SELECT COUNT(DISTINCT customer_id, inventory_id), BIT_OR(staff_id), STDDEV_POP(inventory_id) FROM rental;

-- name: rent
-- writes: rental
INSERT INTO rental (rental_date, inventory_id, customer_id, staff_id) VALUES (NOW(), ?, ?, ?);

-- name: give_back
-- reads: rental
-- writes: rental
UPDATE rental SET return_date = NOW() WHERE rental_id = 16050;

-- name: pay
-- reads: rental, inventory, film
-- writes: payment
INSERT INTO payment (customer_id, staff_id, rental_id, amount, payment_date)
SELECT r.customer_id, r.staff_id, r.rental_id, f.rental_rate, NOW() FROM rental r
JOIN inventory i ON i.inventory_id = r.inventory_id JOIN film f ON f.film_id = i.film_id WHERE r.rental_id = 1
ON DUPLICATE KEY UPDATE amount = f.rental_rate;

-- name: discount
-- reads: film, film_category, category
-- writes: film
UPDATE film f INNER JOIN film_category fc ON fc.film_id = f.film_id INNER JOIN category c ON c.category_id = fc.category_id
SET f.rental_rate = f.rental_rate * 0.9, f.last_update = CURRENT_TIMESTAMP WHERE c.name = 'Classics';

-- name: clean
-- reads: payment, rental
-- writes: payment
DELETE payment FROM payment LEFT JOIN rental ON rental.rental_id = payment.rental_id WHERE rental.rental_id IS NULL;

-- name: clean_using
-- reads: film_actor, film
-- writes: film_actor
DELETE FROM fa USING film_actor AS fa INNER JOIN film AS f ON f.film_id = fa.film_id WHERE f.title = 'ACADEMY DINOSAUR';

-- name: empty
-- writes: film_text
TRUNCATE TABLE film_text;

-- left out: session
CALL film_in_stock(1, 1, @count);
-- left out: session
SELECT @count;
-- left out: session
SHOW CREATE TABLE film;
-- left out: session
SET @total := 0;
-- name: explained_and_run
-- reads: film
EXPLAIN ANALYZE SELECT * FROM film;
-- left out: session
DESCRIBE customer;
