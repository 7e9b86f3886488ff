CREATE TABLE orders (id serial PRIMARY KEY, customer text NOT NULL, item text NOT NULL, price integer NOT NULL);
INSERT INTO orders (customer, item, price) SELECT CASE WHEN n % 50 = 0 THEN 'me' ELSE 'c' || n END, 'item ' || n, n % 100 FROM generate_series(1, 1000) n;
CREATE INDEX ON orders (customer);
