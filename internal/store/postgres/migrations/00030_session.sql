-- +goose Up

-- Who has signed in. Of the secret only the hash is kept; credential is a fingerprint of
-- the key it was made with.
CREATE TABLE session (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    secret_hash BYTEA NOT NULL,
    actor       TEXT COLLATE "C" NOT NULL,
    credential  TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    used_at     BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL,
    address     TEXT COLLATE "C" NOT NULL,
    user_agent  TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX session_of_secret ON session (secret_hash);
