-- +goose Up

-- Who has signed in. Of the secret only the hash is kept; credential is a fingerprint of
-- the key it was made with.
CREATE TABLE session (
    id          TEXT NOT NULL PRIMARY KEY,
    secret_hash BLOB NOT NULL,
    actor       TEXT NOT NULL,
    credential  TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    used_at     BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL,
    address     TEXT NOT NULL,
    user_agent  TEXT NOT NULL
);

CREATE UNIQUE INDEX session_of_secret ON session (secret_hash);
