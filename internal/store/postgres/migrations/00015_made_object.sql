-- +goose Up

-- What the idempotency keys of callers made that is no job.
CREATE TABLE made_object (
    idempotency_key TEXT COLLATE "C" NOT NULL,
    route           TEXT COLLATE "C" NOT NULL,
    body_hash       TEXT COLLATE "C" NOT NULL,
    object_id       TEXT COLLATE "C" NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (idempotency_key, route)
);

CREATE INDEX made_object_oldest ON made_object (created_at);
