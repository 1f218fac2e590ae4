-- +goose Up

-- People who may sign in, by an OpenID Connect provider or a password; grants is a JSON list of roles and the accounts they are for.
CREATE TABLE person (
    id            TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT NOT NULL,
    issuer        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    grants        BLOB NOT NULL,
    disabled      BOOLEAN NOT NULL,
    created_at    BIGINT NOT NULL,
    seen_at       BIGINT NOT NULL
);

CREATE UNIQUE INDEX person_of_subject ON person (issuer, subject) WHERE subject <> '';
CREATE UNIQUE INDEX person_of_email ON person (email) WHERE subject = '' AND email <> '';

-- Tokens of programs: of the secret only the hash is kept.
CREATE TABLE service_token (
    id          TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    hash        BLOB NOT NULL UNIQUE,
    access      BLOB NOT NULL,
    created_by  TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    used_at     BIGINT NOT NULL
);

CREATE TABLE team (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    members    BLOB NOT NULL,
    created_at BIGINT NOT NULL
);

-- Who a session is of; empty for one that was made with the API key.
ALTER TABLE session ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
-- Who saved a view, as the audit log names them; empty when it was before anybody signed in.
ALTER TABLE saved_view ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
