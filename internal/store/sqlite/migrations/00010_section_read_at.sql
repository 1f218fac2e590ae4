-- +goose Up

-- When an earlier run read what was carried forward, in microseconds; 0: the run itself read it.
ALTER TABLE section ADD COLUMN read_at BIGINT NOT NULL DEFAULT 0;
