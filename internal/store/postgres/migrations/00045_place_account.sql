-- +goose Up

-- A list of many accounts walks all findings in their order and leaves out those of others, which the index tells.
DROP INDEX finding_state_by_place;
CREATE INDEX finding_state_by_place ON finding_state (class, place, finding_id) INCLUDE (no, provider_account_id, result, excepted_until);
