-- +goose Up

-- Passkeys of people: the public key of each, and what its authenticator said last. Nothing in it is secret. 0 is never.
CREATE TABLE passkey (
    id              TEXT NOT NULL PRIMARY KEY,
    user_id         TEXT NOT NULL,
    name            TEXT NOT NULL,
    credential_id   BLOB NOT NULL UNIQUE,
    public_key      BLOB NOT NULL,
    sign_count      BIGINT NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    created_at      BIGINT NOT NULL,
    used_at         BIGINT NOT NULL
);

CREATE INDEX passkey_of ON passkey (user_id);
