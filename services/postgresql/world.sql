-- The table of TechEmpower's database tests: 10,000 rows, the numbers from 1 to
-- 10,000 drawn by a small generator, so that they are the same in every run and
-- with every version of PostgreSQL.
CREATE TABLE world (
    id integer PRIMARY KEY,
    randomnumber integer NOT NULL
);

INSERT INTO world (id, randomnumber)
SELECT id, 1 + (id::bigint * 1103515245 + 12345) % 2147483648 / 16384 % 10000
FROM generate_series(1, 10000) AS id;

-- Now, so that the first requests of a run find the statistics that the later ones have.
VACUUM (ANALYZE) world;
