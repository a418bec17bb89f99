-- The same that only MariaDB splits: MySQL's averages have other inner digits by its plan.
SELECT g, AVG(dec1) * 2, ROUND(AVG(tiny), 1) + 1, SUM(dec1) / AVG(tiny), COUNT(*) FROM T WHERE tiny > 0 GROUP BY g ORDER BY AVG(dec1) * 2 DESC, g
SELECT g, AVG(tiny) AS m FROM T WHERE id < 900 GROUP BY g HAVING m > -0.0085 ORDER BY g
SELECT MAX(a) FROM (SELECT g, AVG(dec1) + 1 AS a FROM T WHERE id < 900 GROUP BY g) x
SELECT tm, y, u FROM T GROUP BY tm, y, u UNION SELECT (w + 1624220000) / 7, w / 7, LEFT(name, 1) FROM dim
SELECT MAX(u), SUM(u) FROM T UNION ALL SELECT LEFT(name, 1), '' FROM dim UNION ALL SELECT (w + 1624220000) / 7, (w + 1624220000) / 7 FROM dim
SELECT SQL_NO_CACHE g, COUNT(*) FROM T GROUP BY g
SELECT CASE WHEN g > 2 THEN dec1 ELSE 1.5 END AS c, COUNT(*) FROM T WHERE id > 3 GROUP BY g, dec1 ORDER BY g, dec1
