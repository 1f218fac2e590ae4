-- +goose Up

-- Metrics count all jobs each time they are read, and rare kinds are looked for among all.
CREATE INDEX job_of_kind ON job (kind, state);

-- What one account was sent, and what could not be delivered, is rare among what was.
CREATE INDEX delivery_of_account ON delivery (account_id, created_at, id);
CREATE INDEX delivery_undelivered ON delivery (created_at, id) WHERE state <> 'delivered';
