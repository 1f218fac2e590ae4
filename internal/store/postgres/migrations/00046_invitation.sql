-- +goose Up

-- When the open invitation of a person ends, which tells it from those it replaced; 0 for none.
ALTER TABLE person ADD COLUMN invited_until BIGINT NOT NULL DEFAULT 0;
