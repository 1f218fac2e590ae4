-- +goose Up

-- Two processes may migrate at once. Each migration and its version row are one
-- transaction, so a unique version makes sure that none is applied twice.
CREATE UNIQUE INDEX goose_db_version_once ON goose_db_version (version_id);

CREATE TABLE account (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL UNIQUE,
    provider_id  TEXT    NOT NULL,
    demo         BOOLEAN NOT NULL,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL,
    sealed_token BLOB
);

-- At most one row, so that no order of writers can leave two defaults.
CREATE TABLE account_default (
    only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE
);
