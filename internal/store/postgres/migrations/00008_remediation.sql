-- +goose Up

-- Plans of changes. What they hold is sealed, because live values are in it.
CREATE TABLE plan (
    id            TEXT   NOT NULL PRIMARY KEY,
    assessment_id TEXT   NOT NULL,
    account_id    TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    sealed        BYTEA    NOT NULL
);

CREATE INDEX plan_expiry ON plan (expires_at);

-- What was changed and how it is undone. mac binds the columns to the sealed text.
CREATE TABLE bundle (
    id            TEXT    NOT NULL PRIMARY KEY,
    job_id        TEXT    NOT NULL UNIQUE REFERENCES job (id),
    assessment_id TEXT    NOT NULL,
    account_id    TEXT    NOT NULL,
    account_name  TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('open', 'applied', 'partial', 'rolled_back')),
    entries       INTEGER NOT NULL,
    applied       INTEGER NOT NULL,
    verified      INTEGER NOT NULL,
    created_at    BIGINT  NOT NULL,
    sealed        BYTEA    NOT NULL,
    mac           BYTEA    NOT NULL
);

CREATE INDEX bundle_newest ON bundle (created_at, id);
