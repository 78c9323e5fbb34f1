-- name: by_key
-- reads: employees
SELECT * FROM employees WHERE emp_no = 10001;

-- name: by_key_prepared
-- reads: employees
SELECT first_name, last_name FROM employees WHERE emp_no = ?;

-- name: current_salaries_by_department
-- reads: departments, dept_emp, salaries
SELECT d.dept_name, AVG(s.salary) AS mean, MAX(s.salary), MIN(s.salary), COUNT(DISTINCT s.emp_no)
FROM departments d
INNER JOIN dept_emp de ON de.dept_no = d.dept_no
INNER JOIN salaries s ON s.emp_no = de.emp_no
WHERE s.to_date = '9999-01-01' AND de.to_date = '9999-01-01'
GROUP BY d.dept_name ORDER BY mean DESC;

-- name: managers
-- reads: employees, dept_manager, departments
SELECT CONCAT_WS(' ', e.first_name, e.last_name) AS `Full Name`, d.dept_name
FROM employees AS e, dept_manager AS m, departments AS d
WHERE e.emp_no = m.emp_no AND m.dept_no = d.dept_no AND m.to_date > CURDATE();

-- name: current_departments_view
-- reads: dept_emp, departments
SELECT d.dept_name, COUNT(*) FROM current_dept_emp c JOIN departments d USING (dept_no)
GROUP BY d.dept_name HAVING COUNT(*) > 20000 ORDER BY 2 DESC;

-- name: latest_date_view
-- reads: dept_emp
SELECT * FROM `dept_emp_latest_date` WHERE emp_no BETWEEN 10001 AND 10050;

-- name: names_of_a_year
-- reads: employees
SELECT YEAR(hire_date) y, GROUP_CONCAT(DISTINCT last_name ORDER BY last_name DESC SEPARATOR '; ') names
FROM employees WHERE gender = 'F' AND birth_date >= '1960-01-01' GROUP BY YEAR(hire_date) WITH ROLLUP;

-- name: salary_steps
-- reads: salaries
SELECT emp_no, from_date, salary, salary - LAG(salary) OVER w AS step, ROW_NUMBER() OVER w AS n
FROM salaries WHERE emp_no < 10100 WINDOW w AS (PARTITION BY emp_no ORDER BY from_date);

-- name: best_paid_of_each_title
-- reads: titles, salaries, employees
SELECT title, emp_no, last_name, salary FROM (
  SELECT t.title, t.emp_no, e.last_name, s.salary,
         DENSE_RANK() OVER (PARTITION BY t.title ORDER BY s.salary DESC) AS place
  FROM titles t JOIN salaries s ON s.emp_no = t.emp_no AND s.to_date = t.to_date
  JOIN employees e ON e.emp_no = t.emp_no
  WHERE t.to_date = DATE '9999-01-01') ranked
WHERE place <= 3 ORDER BY title, place;

-- name: never_managers
-- reads: employees, dept_manager
SELECT COUNT(*) FROM employees e LEFT JOIN dept_manager m ON m.emp_no = e.emp_no WHERE m.emp_no IS NULL;

-- name: without_a_title
-- reads: employees, titles
SELECT e.emp_no FROM employees e WHERE NOT EXISTS (SELECT NULL FROM titles t WHERE t.emp_no = e.emp_no) LIMIT 10, 20;

-- name: above_mean_of_department
-- reads: dept_emp, salaries
WITH paid AS (
  SELECT de.dept_no, s.emp_no, s.salary FROM dept_emp de JOIN salaries s USING (emp_no)
  WHERE s.to_date >= NOW() AND de.to_date >= NOW()
), means AS (SELECT dept_no, AVG(salary) AS mean FROM paid GROUP BY dept_no)
SELECT p.dept_no, COUNT(*) FROM paid p JOIN means m ON m.dept_no = p.dept_no WHERE p.salary > m.mean GROUP BY 1;

-- name: hired_by_month
-- reads: employees
SELECT DATE_FORMAT(hire_date, '%Y-%m') AS month, COUNT(*), SUM(gender = 'M') AS men
FROM employees WHERE hire_date BETWEEN '1990-01-01' AND DATE_ADD('1990-01-01', INTERVAL 2 YEAR)
GROUP BY DATE_FORMAT(hire_date, '%Y-%m') ORDER BY month;

-- name: years_of_service
-- reads: employees, dept_emp
SELECT de.dept_no, AVG(TIMESTAMPDIFF(YEAR, e.hire_date, IF(de.to_date = '9999-01-01', CURRENT_DATE, de.to_date))) AS years
FROM employees e STRAIGHT_JOIN dept_emp de ON de.emp_no = e.emp_no GROUP BY de.dept_no;

-- name: age_when_hired
-- reads: employees
SELECT FLOOR(DATEDIFF(hire_date, birth_date) / 365.25) AS age, COUNT(*) FROM employees
WHERE last_name REGEXP '^Mc' OR first_name RLIKE 'a$' GROUP BY age ORDER BY NULL;

-- name: calendar_of_hires
-- reads: employees
WITH RECURSIVE days (day) AS (
  SELECT CAST('1985-02-01' AS DATE) UNION ALL SELECT day + INTERVAL 1 DAY FROM days WHERE day < '1985-02-28'
)
SELECT days.day, COUNT(e.emp_no) FROM days LEFT JOIN employees e ON e.hire_date = days.day GROUP BY days.day;

-- name: namesakes
-- reads: employees
SELECT a.emp_no, b.emp_no FROM employees a JOIN employees b
ON a.first_name = b.first_name AND a.last_name = b.last_name AND a.emp_no < b.emp_no WHERE a.hire_date = b.hire_date;

-- name: as_json
-- reads: departments, dept_manager
SELECT d.dept_no, JSON_ARRAYAGG(JSON_OBJECT('emp', m.emp_no, 'since', m.from_date)) AS managers
FROM departments d LEFT JOIN dept_manager m USING (dept_no) GROUP BY d.dept_no;

-- name: everyone_who_left_or_leads
-- reads: dept_emp, dept_manager
(SELECT emp_no, 'left' AS what FROM dept_emp WHERE to_date < '1999-12-31' LIMIT 100)
UNION DISTINCT
(SELECT emp_no, 'leads' FROM dept_manager WHERE to_date = '9999-01-01') ORDER BY emp_no DESC;

-- name: from_one_partition
-- reads: salaries
SELECT SQL_NO_CACHE COUNT(*) FROM salaries PARTITION (pmax) FORCE INDEX (PRIMARY) WHERE salary > 100000;

-- name: in_pairs
-- reads: titles
SELECT * FROM titles WHERE (emp_no, title) IN ((10001, 'Senior Engineer'), (10002, 'Staff'));

-- name: stored_function
-- reads: employees
SELECT emp_no, emp_dept_name(emp_no) AS dept FROM employees WHERE emp_no = 10001;

-- name: raise
-- reads: salaries
-- writes: salaries
UPDATE salaries SET salary = salary * 1.02 WHERE emp_no = 10001 AND to_date = '9999-01-01';

-- name: raise_a_department
-- reads: salaries, dept_emp
-- writes: salaries
UPDATE salaries s JOIN dept_emp de ON de.emp_no = s.emp_no SET s.salary = s.salary + 500
WHERE de.dept_no = 'd005' AND s.to_date = '9999-01-01' AND de.to_date = '9999-01-01';

-- name: move
-- reads: dept_emp
-- writes: dept_emp
UPDATE dept_emp SET to_date = CURRENT_DATE() WHERE emp_no = ? AND to_date = '9999-01-01' LIMIT 1;

-- name: hire
-- writes: employees
INSERT INTO employees (emp_no, birth_date, first_name, last_name, gender, hire_date)
VALUES (500000, '1970-05-01', 'Ada', 'O\'Hara', 'F', CURDATE());

-- name: keep_title
-- writes: titles
INSERT INTO titles VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE to_date = VALUES(to_date);

-- name: copy_titles
-- reads: titles, employees
-- writes: titles
INSERT IGNORE INTO titles (emp_no, title, from_date, to_date)
SELECT e.emp_no, 'Alumni', MAX(t.to_date), NULL FROM employees e JOIN titles t USING (emp_no)
GROUP BY e.emp_no HAVING MAX(t.to_date) < CURDATE();

-- name: set_form
-- writes: departments
INSERT INTO departments SET dept_no = 'd010', dept_name = 'Legal';

-- name: replace_department
-- writes: departments
REPLACE INTO departments (dept_no, dept_name) VALUES ('d010', 'Law');

-- name: dismiss
-- reads: dept_emp, employees
-- writes: dept_emp
DELETE de FROM dept_emp de INNER JOIN employees e ON e.emp_no = de.emp_no WHERE e.last_name LIKE 'Zy%';

-- name: forget
-- reads: titles
-- writes: titles
DELETE FROM titles WHERE to_date < '1990-01-01' ORDER BY to_date LIMIT 1000;

-- name: read_for_update
-- reads: employees
SELECT * FROM employees WHERE emp_no = 10001 FOR UPDATE;

-- name: read_shared
-- reads: departments
SELECT dept_name FROM departments WHERE dept_no = 'd001' LOCK IN SHARE MODE;

-- left out: session
CALL show_departments();
-- left out: session
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
-- left out: session
SHOW FULL TABLES FROM `employees`;
-- left out: session
EXPLAIN SELECT * FROM employees WHERE emp_no = 1;
-- left out: session
SELECT @@session.auto_increment_increment, LAST_INSERT_ID();
-- left out: maintenance
ANALYZE TABLE salaries;
