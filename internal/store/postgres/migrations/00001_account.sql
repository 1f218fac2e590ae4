-- +goose Up

CREATE TABLE account (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name         TEXT COLLATE "C" NOT NULL UNIQUE,
    provider_id  TEXT COLLATE "C" NOT NULL,
    demo         BOOLEAN NOT NULL,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL,
    sealed_token BYTEA
);

-- At most one row, so that no order of writers can leave two defaults.
CREATE TABLE account_default (
    only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    account_id TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE
);
