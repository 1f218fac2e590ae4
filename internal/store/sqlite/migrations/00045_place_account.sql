-- +goose Up

-- A list of many accounts walks all findings in their order and leaves out those of others, which the index tells.
DROP INDEX finding_state_by_place;
CREATE INDEX finding_state_by_place ON finding_state (class, place, finding_id, provider_account_id, result, excepted_until);

-- What the table looks like when it is large; see 00004.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('finding_state', 'finding_state_by_place', '1500000 500000 2 1 1 1 1');

ANALYZE sqlite_schema;
