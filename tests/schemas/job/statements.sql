-- name: five_relations
-- reads: company_type, info_type, movie_companies, movie_info_idx, title
SELECT MIN(mc.note) AS note, MIN(t.title) AS title, MIN(t.production_year) AS year
FROM company_type AS ct, info_type AS it, movie_companies AS mc, movie_info_idx AS mi_idx, title AS t
WHERE ct.kind = 'production companies' AND it.info = 'bottom 10 rank' AND mc.note NOT LIKE '%(as %)%' AND (mc.note LIKE '%(USA)%' OR mc.note LIKE '%(TV)%')
AND ct.id = mc.company_type_id AND t.id = mc.movie_id AND t.id = mi_idx.movie_id AND mc.movie_id = mi_idx.movie_id AND it.id = mi_idx.info_type_id;

-- name: keyword_by_country
-- reads: company_name, keyword, movie_companies, movie_keyword, title
SELECT MIN(t.title) AS film FROM company_name AS cn, keyword AS k, movie_companies AS mc, movie_keyword AS mk, title AS t
WHERE cn.country_code = '[fr]' AND k.keyword = 'based-on-comic' AND cn.id = mc.company_id AND mc.movie_id = t.id AND t.id = mk.movie_id AND mk.keyword_id = k.id AND mc.movie_id = mk.movie_id;

-- name: sequels_by_language
-- reads: keyword, movie_info, movie_keyword, title
SELECT MIN(t.title) FROM keyword k, movie_info mi, movie_keyword mk, title t
WHERE k.keyword LIKE '%sequel%' AND mi.info IN ('Norway', 'Danish', 'German', 'Sweden') AND t.production_year > 2005 AND t.id = mi.movie_id AND t.id = mk.movie_id AND mk.movie_id = mi.movie_id AND k.id = mk.keyword_id;

-- name: rated_sequels
-- reads: info_type, keyword, movie_info_idx, movie_keyword, title
SELECT MIN(mi_idx.info) AS rating, MIN(t.title) FROM info_type it, keyword k, movie_info_idx mi_idx, movie_keyword mk, title t
WHERE it.info = 'rating' AND k.keyword LIKE '%sequel%' AND mi_idx.info > '5.0' AND t.production_year > 2005
AND t.id = mi_idx.movie_id AND t.id = mk.movie_id AND mk.movie_id = mi_idx.movie_id AND k.id = mk.keyword_id AND it.id = mi_idx.info_type_id;

-- name: heroes
-- reads: cast_info, keyword, movie_keyword, name, title
SELECT MIN(k.keyword), MIN(n.name), MIN(t.title) FROM cast_info AS ci, keyword AS k, movie_keyword AS mk, name AS n, title AS t
WHERE k.keyword IN ('superhero', 'sequel', 'second-part', 'violence') AND n.name LIKE '%Downey%Robert%' AND t.production_year > 2014
AND k.id = mk.keyword_id AND t.id = mk.movie_id AND t.id = ci.movie_id AND ci.movie_id = mk.movie_id AND n.id = ci.person_id;

-- name: biographies
-- reads: aka_name, cast_info, info_type, link_type, movie_link, name, person_info, title
SELECT MIN(n.name) AS of_person, MIN(t.title) AS film FROM aka_name AS an, cast_info AS ci, info_type AS it, link_type AS lt, movie_link AS ml, name AS n, person_info AS pi, title AS t
WHERE an.name LIKE '%a%' AND it.info = 'mini biography' AND lt.link = 'features' AND n.name_pcode_cf BETWEEN 'A' AND 'F' AND (n.gender = 'm' OR (n.gender = 'f' AND n.name LIKE 'B%'))
AND pi.note = 'Volker Boehm' AND t.production_year BETWEEN 1980 AND 1995 AND n.id = an.person_id AND n.id = pi.person_id AND ci.person_id = n.id AND t.id = ci.movie_id
AND ml.linked_movie_id = t.id AND lt.id = ml.link_type_id AND it.id = pi.info_type_id AND pi.person_id = an.person_id AND pi.person_id = ci.person_id AND an.person_id = ci.person_id AND ci.movie_id = ml.linked_movie_id;

-- name: voices
-- reads: aka_name, cast_info, company_name, movie_companies, name, role_type, title
SELECT MIN(an.name), MIN(t.title) FROM aka_name an JOIN name n ON n.id = an.person_id JOIN cast_info ci ON ci.person_id = n.id AND an.person_id = ci.person_id
JOIN role_type rt ON rt.id = ci.role_id JOIN title t ON t.id = ci.movie_id JOIN movie_companies mc ON mc.movie_id = t.id AND mc.movie_id = ci.movie_id JOIN company_name cn ON cn.id = mc.company_id
WHERE ci.note = '(voice: English version)' AND cn.country_code = '[jp]' AND mc.note LIKE '%(Japan)%' AND mc.note NOT LIKE '%(USA)%' AND n.name LIKE '%Yo%' AND n.name NOT LIKE '%Yu%' AND rt.role = 'actress';

-- name: characters
-- reads: aka_name, char_name, cast_info, company_name, movie_companies, name, role_type, title
SELECT MIN(an.name), MIN(chn.name), MIN(t.title) FROM aka_name an, char_name chn, cast_info ci, company_name cn, movie_companies mc, name n, role_type rt, title t
WHERE ci.note IN ('(voice)', '(voice: Japanese version)', '(voice) (uncredited)') AND cn.country_code = '[us]' AND n.gender = 'f' AND n.name LIKE '%Ang%' AND rt.role = 'actress' AND t.production_year BETWEEN 2005 AND 2015
AND ci.movie_id = t.id AND t.id = mc.movie_id AND ci.movie_id = mc.movie_id AND mc.company_id = cn.id AND ci.role_id = rt.id AND n.id = ci.person_id AND chn.id = ci.person_role_id AND an.person_id = n.id AND an.person_id = ci.person_id;

-- name: uncredited
-- reads: char_name, cast_info, company_name, company_type, movie_companies, role_type, title
SELECT MIN(chn.name) AS uncredited, MIN(t.title) AS film FROM char_name chn, cast_info ci, company_name cn, company_type ct, movie_companies mc, role_type rt, title t
WHERE ci.note LIKE '%(uncredited)%' AND cn.country_code = '[ru]' AND rt.role = 'actor' AND t.production_year > 2005
AND t.id = mc.movie_id AND t.id = ci.movie_id AND ci.movie_id = mc.movie_id AND chn.id = ci.person_role_id AND rt.id = ci.role_id AND cn.id = mc.company_id AND ct.id = mc.company_type_id;

-- name: followers
-- reads: company_name, company_type, keyword, link_type, movie_companies, movie_keyword, movie_link, title
SELECT MIN(cn.name), MIN(lt.link), MIN(t.title) FROM company_name cn, company_type ct, keyword k, link_type lt, movie_companies mc, movie_keyword mk, movie_link ml, title t
WHERE cn.country_code != '[pl]' AND (cn.name LIKE '%Film%' OR cn.name LIKE '%Warner%') AND ct.kind = 'production companies' AND k.keyword = 'sequel' AND lt.link LIKE '%follow%' AND mc.note IS NULL AND t.production_year BETWEEN 1950 AND 2000
AND lt.id = ml.link_type_id AND ml.movie_id = t.id AND t.id = mk.movie_id AND mk.keyword_id = k.id AND t.id = mc.movie_id AND mc.company_type_id = ct.id AND mc.company_id = cn.id AND ml.movie_id = mk.movie_id AND ml.movie_id = mc.movie_id AND mk.movie_id = mc.movie_id;

-- name: twice_info
-- reads: company_name, company_type, info_type, movie_companies, movie_info, movie_info_idx, title
SELECT MIN(cn.name), MIN(mi_idx.info), MIN(t.title) FROM company_name cn, company_type ct, info_type it1, info_type it2, movie_companies mc, movie_info mi, movie_info_idx mi_idx, title t
WHERE cn.country_code = '[us]' AND ct.kind = 'production companies' AND it1.info = 'genres' AND it2.info = 'rating' AND mi.info IN ('Drama', 'Horror', 'Western', 'Family') AND mi_idx.info > '8.0' AND t.production_year BETWEEN 2005 AND 2008
AND t.id = mi.movie_id AND t.id = mi_idx.movie_id AND mi.info_type_id = it1.id AND mi_idx.info_type_id = it2.id AND t.id = mc.movie_id AND ct.id = mc.company_type_id AND cn.id = mc.company_id AND mc.movie_id = mi.movie_id AND mc.movie_id = mi_idx.movie_id AND mi.movie_id = mi_idx.movie_id;

-- name: winners
-- reads: company_name, company_type, info_type, kind_type, movie_companies, movie_info, movie_info_idx, title
SELECT MIN(mi.info) AS release_date, MIN(miidx.info) AS rating, MIN(t.title) AS german_movie FROM company_name cn, company_type ct, info_type it, info_type it2, kind_type kt, movie_companies mc, movie_info mi, movie_info_idx miidx, title t
WHERE cn.country_code = '[de]' AND ct.kind = 'production companies' AND it.info = 'rating' AND it2.info = 'release dates' AND kt.kind = 'movie' AND mi.movie_id = t.id AND it2.id = mi.info_type_id AND kt.id = t.kind_id AND mc.movie_id = t.id AND cn.id = mc.company_id AND ct.id = mc.company_type_id AND miidx.movie_id = t.id AND it.id = miidx.info_type_id AND mi.movie_id = miidx.movie_id AND mi.movie_id = mc.movie_id AND miidx.movie_id = mc.movie_id;

-- name: dark_northern
-- reads: info_type, keyword, kind_type, movie_info, movie_info_idx, movie_keyword, title
SELECT MIN(mi_idx.info), MIN(t.title) FROM info_type it1 CROSS JOIN info_type it2, keyword k, kind_type kt, movie_info mi, movie_info_idx mi_idx, movie_keyword mk, title t
WHERE it1.info = 'countries' AND it2.info = 'rating' AND k.keyword IN ('murder', 'murder-in-title', 'blood', 'violence') AND kt.kind IN ('movie', 'episode') AND mi.info IN ('Sweden', 'Norway', 'USA') AND mi_idx.info < '8.5' AND t.production_year > 2010
AND kt.id = t.kind_id AND t.id = mi.movie_id AND t.id = mk.movie_id AND t.id = mi_idx.movie_id AND mk.movie_id = mi.movie_id AND mk.movie_id = mi_idx.movie_id AND mi.movie_id = mi_idx.movie_id AND k.id = mk.keyword_id AND it1.id = mi.info_type_id AND it2.id = mi_idx.info_type_id;

-- name: internet_releases
-- reads: aka_title, company_name, company_type, info_type, keyword, movie_companies, movie_info, movie_keyword, title
SELECT MIN(mi.info) AS release_date, MIN(t.title) AS internet_movie FROM aka_title AS at, company_name AS cn, company_type AS ct, info_type AS it1, keyword AS k, movie_companies AS mc, movie_info AS mi, movie_keyword AS mk, title AS t
WHERE cn.country_code = '[us]' AND it1.info = 'release dates' AND mc.note LIKE '%(200%)%' AND mc.note LIKE '%(worldwide)%' AND mi.note LIKE '%internet%' AND mi.info LIKE 'USA:% 200%' AND t.production_year > 2000
AND t.id = at.movie_id AND t.id = mi.movie_id AND t.id = mk.movie_id AND t.id = mc.movie_id AND mk.movie_id = mi.movie_id AND mk.movie_id = mc.movie_id AND mk.movie_id = at.movie_id AND mi.movie_id = mc.movie_id AND mi.movie_id = at.movie_id AND mc.movie_id = at.movie_id AND k.id = mk.keyword_id AND it1.id = mi.info_type_id AND cn.id = mc.company_id AND ct.id = mc.company_type_id;

-- name: many_episodes
-- reads: aka_name, cast_info, company_name, keyword, movie_companies, movie_keyword, name, title
SELECT MIN(an.name), MIN(t.title) FROM aka_name an, cast_info ci, company_name cn, keyword k, movie_companies mc, movie_keyword mk, name n, title t
WHERE cn.country_code = '[us]' AND k.keyword = 'character-name-in-title' AND t.episode_nr >= 50 AND t.episode_nr < 100 AND an.person_id = n.id AND n.id = ci.person_id AND ci.movie_id = t.id AND t.id = mk.movie_id AND mk.keyword_id = k.id AND t.id = mc.movie_id AND mc.company_id = cn.id AND an.person_id = ci.person_id AND ci.movie_id = mc.movie_id AND ci.movie_id = mk.movie_id AND mc.movie_id = mk.movie_id;

-- name: writers
-- reads: cast_info, info_type, movie_info, movie_info_idx, name, title
SELECT MIN(mi.info), MIN(mi_idx.info), MIN(t.title) FROM cast_info ci, info_type it1, info_type it2, movie_info mi, movie_info_idx mi_idx, name n, title t
WHERE ci.note IN ('(writer)', '(head writer)', '(written by)', '(story)', '(story editor)') AND it1.info = 'genres' AND it2.info = 'votes' AND mi.info IN ('Horror', 'Action', 'Sci-Fi', 'Thriller') AND n.gender = 'm'
AND t.id = mi.movie_id AND t.id = mi_idx.movie_id AND t.id = ci.movie_id AND ci.movie_id = mi.movie_id AND ci.movie_id = mi_idx.movie_id AND mi.movie_id = mi_idx.movie_id AND n.id = ci.person_id AND it1.id = mi.info_type_id AND it2.id = mi_idx.info_type_id;

-- name: complete_casts
-- reads: complete_cast, comp_cast_type, char_name, cast_info, keyword, kind_type, movie_keyword, name, title
SELECT MIN(t.title) FROM complete_cast cc, comp_cast_type cct1, comp_cast_type cct2, char_name chn, cast_info ci, keyword k, kind_type kt, movie_keyword mk, name n, title t
WHERE cct1.kind = 'cast' AND cct2.kind LIKE '%complete%' AND chn.name NOT LIKE '%Sherlock%' AND (chn.name LIKE '%Tony%Stark%' OR chn.name LIKE '%Iron%Man%') AND k.keyword IN ('superhero', 'marvel-comics', 'tv-special') AND kt.kind = 'movie' AND t.production_year > 1950
AND kt.id = t.kind_id AND t.id = mk.movie_id AND t.id = ci.movie_id AND t.id = cc.movie_id AND mk.movie_id = ci.movie_id AND mk.movie_id = cc.movie_id AND ci.movie_id = cc.movie_id AND chn.id = ci.person_role_id AND n.id = ci.person_id AND k.id = mk.keyword_id AND cct1.id = cc.subject_id AND cct2.id = cc.status_id;

-- name: animated_voices
-- reads: aka_name, complete_cast, comp_cast_type, char_name, cast_info, company_name, info_type, keyword, movie_companies, movie_info, movie_keyword, name, person_info, role_type, title
SELECT MIN(chn.name) AS voiced_char, MIN(n.name) AS voicing, MIN(t.title) AS animation
FROM aka_name an, complete_cast cc, comp_cast_type cct1, comp_cast_type cct2, char_name chn, cast_info ci, company_name cn, info_type it, info_type it3, keyword k, movie_companies mc, movie_info mi, movie_keyword mk, name n, person_info pi, role_type rt, title t
WHERE cct1.kind = 'cast' AND cct2.kind = 'complete+verified' AND chn.name = 'Queen' AND ci.note IN ('(voice)', '(voice) (uncredited)', '(voice: English version)') AND cn.country_code = '[us]' AND it.info = 'release dates' AND it3.info = 'trivia' AND k.keyword = 'computer-animation'
AND mi.info IS NOT NULL AND (mi.info LIKE 'Japan:%200%' OR mi.info LIKE 'USA:%200%') AND n.gender = 'f' AND n.name LIKE '%An%' AND rt.role = 'actress' AND t.title = 'Shrek 2' AND t.production_year BETWEEN 2000 AND 2010
AND t.id = mi.movie_id AND t.id = mc.movie_id AND t.id = ci.movie_id AND t.id = mk.movie_id AND t.id = cc.movie_id AND mc.movie_id = ci.movie_id AND mc.movie_id = mi.movie_id AND mc.movie_id = mk.movie_id AND mc.movie_id = cc.movie_id AND mi.movie_id = ci.movie_id AND mi.movie_id = mk.movie_id AND mi.movie_id = cc.movie_id AND ci.movie_id = mk.movie_id AND ci.movie_id = cc.movie_id AND mk.movie_id = cc.movie_id
AND cn.id = mc.company_id AND it.id = mi.info_type_id AND n.id = ci.person_id AND rt.id = ci.role_id AND n.id = an.person_id AND ci.person_id = an.person_id AND chn.id = ci.person_role_id AND n.id = pi.person_id AND ci.person_id = pi.person_id AND it3.id = pi.info_type_id AND k.id = mk.keyword_id AND cct1.id = cc.subject_id AND cct2.id = cc.status_id;

-- name: linked_pairs
-- reads: keyword, link_type, movie_keyword, movie_link, title
SELECT MIN(lt.link), MIN(t1.title) AS first_movie, MIN(t2.title) AS second_movie FROM keyword k, link_type lt, movie_keyword mk, movie_link ml, title t1, title t2
WHERE k.keyword = '10,000-mile-club' AND mk.keyword_id = k.id AND t1.id = mk.movie_id AND ml.movie_id = t1.id AND ml.linked_movie_id = t2.id AND lt.id = ml.link_type_id AND mk.movie_id = t1.id;

-- name: linked_series
-- reads: company_name, info_type, kind_type, link_type, movie_companies, movie_info_idx, movie_link, title
SELECT MIN(cn1.name), MIN(cn2.name), MIN(mi_idx1.info), MIN(mi_idx2.info), MIN(t1.title), MIN(t2.title)
FROM company_name cn1, company_name cn2, info_type it1, info_type it2, kind_type kt1, kind_type kt2, link_type lt, movie_companies mc1, movie_companies mc2, movie_info_idx mi_idx1, movie_info_idx mi_idx2, movie_link ml, title t1, title t2
WHERE cn1.country_code = '[nl]' AND it1.info = 'rating' AND it2.info = 'rating' AND kt1.kind IN ('tv series') AND kt2.kind IN ('tv series') AND lt.link LIKE '%follow%' AND mi_idx2.info < '3.0' AND t2.production_year = 2007
AND lt.id = ml.link_type_id AND t1.id = ml.movie_id AND t2.id = ml.linked_movie_id AND it1.id = mi_idx1.info_type_id AND t1.id = mi_idx1.movie_id AND kt1.id = t1.kind_id AND cn1.id = mc1.company_id AND t1.id = mc1.movie_id AND ml.movie_id = mi_idx1.movie_id AND ml.movie_id = mc1.movie_id AND mi_idx1.movie_id = mc1.movie_id
AND it2.id = mi_idx2.info_type_id AND t2.id = mi_idx2.movie_id AND kt2.id = t2.kind_id AND cn2.id = mc2.company_id AND t2.id = mc2.movie_id AND ml.linked_movie_id = mi_idx2.movie_id AND ml.linked_movie_id = mc2.movie_id AND mi_idx2.movie_id = mc2.movie_id;

-- name: co_actors
-- reads: cast_info, name, title
SELECT a.name, b.name, COUNT(*) AS together FROM cast_info x JOIN cast_info y ON x.movie_id = y.movie_id AND x.person_id < y.person_id JOIN name a ON a.id = x.person_id JOIN name b ON b.id = y.person_id JOIN title t ON t.id = x.movie_id
WHERE t.production_year >= 2010 AND x.nr_order <= 3 AND y.nr_order <= 3 GROUP BY a.name, b.name HAVING COUNT(*) > 5 ORDER BY together DESC, 1, 2 LIMIT 20;

-- name: episodes_of_series
-- reads: title, kind_type
SELECT series.title, COUNT(e.id), MAX(e.season_nr) FROM title series JOIN title e ON e.episode_of_id = series.id JOIN kind_type kt ON kt.id = series.kind_id AND kt.kind = 'tv series' GROUP BY series.id, series.title;

-- name: no_keyword
-- reads: title, movie_keyword, movie_companies
SELECT MIN(t.title) FROM title t LEFT JOIN movie_keyword mk ON mk.movie_id = t.id WHERE mk.id IS NULL AND EXISTS (SELECT 1 FROM movie_companies mc WHERE mc.movie_id = t.id AND mc.note LIKE '%\_%' ESCAPE '\');

-- name: best_of_each_year
-- reads: title, movie_info_idx, info_type
SELECT production_year, title FROM (SELECT t.production_year, t.title, ROW_NUMBER() OVER (PARTITION BY t.production_year ORDER BY mi.info::numeric DESC) AS n
FROM title t JOIN movie_info_idx mi ON mi.movie_id = t.id JOIN info_type it ON it.id = mi.info_type_id WHERE it.info = 'rating') AS ranked WHERE n = 1;

-- name: names_of_persons
-- reads: name, aka_name, person_info
SELECT n.name, (SELECT string_agg(a.name, '; ') FROM aka_name a WHERE a.person_id = n.id), (SELECT COUNT(*) FROM person_info p WHERE p.person_id = n.id) FROM name n WHERE n.surname_pcode = 'B632';
