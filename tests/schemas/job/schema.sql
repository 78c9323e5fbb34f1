-- The tables of the Internet Movie Database as the Join Order Benchmark has them.
-- rows: 901_343
CREATE TABLE aka_name (id integer NOT NULL PRIMARY KEY, person_id integer NOT NULL, name text NOT NULL, imdb_index character varying(12), name_pcode_cf character varying(5), name_pcode_nf character varying(5), surname_pcode character varying(5), md5sum character varying(32));
-- rows: 361_472
CREATE TABLE aka_title (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, title text NOT NULL, imdb_index character varying(12), kind_id integer NOT NULL, production_year integer, phonetic_code character varying(5), episode_of_id integer, season_nr integer, episode_nr integer, note text, md5sum character varying(32));
-- rows: 36_244_344
CREATE TABLE cast_info (id integer NOT NULL PRIMARY KEY, person_id integer NOT NULL, movie_id integer NOT NULL, person_role_id integer, note text, nr_order integer, role_id integer NOT NULL);
-- rows: 3_140_339
CREATE TABLE char_name (id integer NOT NULL PRIMARY KEY, name text NOT NULL, imdb_index character varying(12), imdb_id integer, name_pcode_nf character varying(5), surname_pcode character varying(5), md5sum character varying(32));
-- rows: 4
CREATE TABLE comp_cast_type (id integer NOT NULL PRIMARY KEY, kind character varying(32) NOT NULL);
-- rows: 234_997
CREATE TABLE company_name (id integer NOT NULL PRIMARY KEY, name text NOT NULL, country_code character varying(255), imdb_id integer, name_pcode_nf character varying(5), name_pcode_sf character varying(5), md5sum character varying(32));
-- rows: 4
CREATE TABLE company_type (id integer NOT NULL PRIMARY KEY, kind character varying(32) NOT NULL);
-- rows: 135_086
CREATE TABLE complete_cast (id integer NOT NULL PRIMARY KEY, movie_id integer, subject_id integer NOT NULL, status_id integer NOT NULL);
-- rows: 113
CREATE TABLE info_type (id integer NOT NULL PRIMARY KEY, info character varying(32) NOT NULL);
-- rows: 134_170
CREATE TABLE keyword (id integer NOT NULL PRIMARY KEY, keyword text NOT NULL, phonetic_code character varying(5));
-- rows: 7
CREATE TABLE kind_type (id integer NOT NULL PRIMARY KEY, kind character varying(15) NOT NULL);
-- rows: 18
CREATE TABLE link_type (id integer NOT NULL PRIMARY KEY, link character varying(32) NOT NULL);
-- rows: 2_609_129
CREATE TABLE movie_companies (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, company_id integer NOT NULL, company_type_id integer NOT NULL, note text);
-- rows: 14_835_720
CREATE TABLE movie_info (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, info_type_id integer NOT NULL, info text NOT NULL, note text);
-- rows: 1_380_035
CREATE TABLE movie_info_idx (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, info_type_id integer NOT NULL, info text NOT NULL, note text);
-- rows: 4_523_930
CREATE TABLE movie_keyword (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, keyword_id integer NOT NULL);
-- rows: 29_997
CREATE TABLE movie_link (id integer NOT NULL PRIMARY KEY, movie_id integer NOT NULL, linked_movie_id integer NOT NULL, link_type_id integer NOT NULL);
-- rows: 4_167_491
CREATE TABLE name (id integer NOT NULL PRIMARY KEY, name text NOT NULL, imdb_index character varying(12), imdb_id integer, gender character varying(1), name_pcode_cf character varying(5), name_pcode_nf character varying(5), surname_pcode character varying(5), md5sum character varying(32));
-- rows: 2_963_664
CREATE TABLE person_info (id integer NOT NULL PRIMARY KEY, person_id integer NOT NULL, info_type_id integer NOT NULL, info text NOT NULL, note text);
-- rows: 12
CREATE TABLE role_type (id integer NOT NULL PRIMARY KEY, role character varying(32) NOT NULL);
-- rows: 2_528_312
CREATE TABLE title (id integer NOT NULL PRIMARY KEY, title text NOT NULL, imdb_index character varying(12), kind_id integer NOT NULL, production_year integer, imdb_id integer, phonetic_code character varying(5), episode_of_id integer, season_nr integer, episode_nr integer, series_years character varying(49), md5sum character varying(32));
CREATE INDEX person_id_aka_name ON aka_name (person_id);
CREATE INDEX movie_id_cast_info ON cast_info (movie_id);
