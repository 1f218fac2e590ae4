-- +goose Up

-- Passkeys of people: the public key of each, and what its authenticator said last. Nothing in it is secret. 0 is never.
CREATE TABLE passkey (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id         TEXT COLLATE "C" NOT NULL,
    name            TEXT COLLATE "C" NOT NULL,
    credential_id   BYTEA NOT NULL UNIQUE,
    public_key      BYTEA NOT NULL,
    sign_count      BIGINT NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    created_at      BIGINT NOT NULL,
    used_at         BIGINT NOT NULL
);

CREATE INDEX passkey_of ON passkey (user_id);
