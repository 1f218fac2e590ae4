-- +goose Up

-- Whether a run found something whose risk nobody accepts while all else of the issue was accepted.
ALTER TABLE issue_turn ADD COLUMN unaccepted BOOLEAN NOT NULL DEFAULT FALSE;
