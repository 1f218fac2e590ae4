-- +goose Up

-- Instants are microseconds since 1970 in UTC; 0 is "not yet".
CREATE TABLE job (
    id               TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind             TEXT COLLATE "C" NOT NULL,
    queue            TEXT COLLATE "C" NOT NULL,
    state            TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    account          TEXT COLLATE "C" NOT NULL,
    active_key       TEXT COLLATE "C" NOT NULL,
    arguments        BYTEA,
    body_hash        TEXT COLLATE "C" NOT NULL,
    sealed_token     BYTEA,
    schedule_id      TEXT COLLATE "C" NOT NULL,
    assessment_id    TEXT COLLATE "C" NOT NULL,
    attempt          INTEGER NOT NULL,
    lost             INTEGER NOT NULL,
    owner            TEXT COLLATE "C" NOT NULL,
    lease_until      BIGINT  NOT NULL,
    cancel_requested BOOLEAN NOT NULL,
    rung_at          BIGINT  NOT NULL,
    created_at       BIGINT  NOT NULL,
    started_at       BIGINT  NOT NULL,
    finished_at      BIGINT  NOT NULL,
    progress         TEXT COLLATE "C" NOT NULL,
    result           BYTEA,
    problem          TEXT COLLATE "C" NOT NULL,
    -- A credential never outlives the job it was given for.
    CHECK (sealed_token IS NULL OR state IN ('queued', 'running'))
);

CREATE UNIQUE INDEX job_one_active ON job (active_key) WHERE active_key <> '' AND state IN ('queued', 'running');
CREATE INDEX job_unfinished ON job (state, created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX job_newest ON job (created_at, id);
CREATE INDEX job_of_account ON job (account, created_at, id);

CREATE TABLE idempotency (
    idempotency_key TEXT COLLATE "C" NOT NULL,
    route           TEXT COLLATE "C" NOT NULL,
    body_hash       TEXT COLLATE "C" NOT NULL,
    job_id          TEXT COLLATE "C" NOT NULL REFERENCES job (id),
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (idempotency_key, route)
);

CREATE INDEX idempotency_oldest ON idempotency (created_at);
