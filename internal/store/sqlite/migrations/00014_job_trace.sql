-- +goose Up

-- The trace a job was queued in, as a W3C traceparent; '': none. It has no part in
-- whether two jobs ask for the same.
ALTER TABLE job ADD COLUMN trace TEXT NOT NULL DEFAULT '';
