-- +goose Up

-- The thresholds of an account that differ from the defaults, as JSON.
ALTER TABLE account ADD COLUMN policy BLOB;
