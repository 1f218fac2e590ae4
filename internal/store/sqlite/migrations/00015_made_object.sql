-- +goose Up

-- What the idempotency keys of callers made that is no job.
CREATE TABLE made_object (
    idempotency_key TEXT NOT NULL,
    route           TEXT NOT NULL,
    body_hash       TEXT NOT NULL,
    object_id       TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (idempotency_key, route)
);

CREATE INDEX made_object_oldest ON made_object (created_at);
