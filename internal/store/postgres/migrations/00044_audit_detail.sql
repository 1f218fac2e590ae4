-- +goose Up

-- What a call granted, and to whom.
ALTER TABLE audit ADD COLUMN detail TEXT NOT NULL DEFAULT '';
