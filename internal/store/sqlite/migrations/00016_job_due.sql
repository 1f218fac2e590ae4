-- +goose Up

-- When a queued job may be claimed; 0: at once. rung_at is written by earlier versions only.
ALTER TABLE job ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
-- Attempts that ended with trouble of the service.
ALTER TABLE job ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_due ON job (queue, due_at, created_at, id) WHERE state = 'queued';
CREATE INDEX job_leased ON job (lease_until) WHERE state = 'running';
