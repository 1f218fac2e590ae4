-- +goose Up

-- The audit log of the service: entries that hang together by their hashes, and
-- the newest of them. Writing one takes the row of the head, so that the numbers
-- have no gap however many processes write.
CREATE TABLE audit (
    seq         BIGINT  NOT NULL PRIMARY KEY,
    at          BIGINT  NOT NULL,
    actor       TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    method      TEXT    NOT NULL,
    target_type TEXT    NOT NULL,
    target_id   TEXT    NOT NULL,
    outcome     TEXT    NOT NULL,
    status      INTEGER NOT NULL,
    code        TEXT    NOT NULL,
    request_id  TEXT    NOT NULL,
    job_id      TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    previous    TEXT    NOT NULL,
    hash        TEXT    NOT NULL
);

CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_of_job ON audit (job_id) WHERE job_id <> '';

CREATE TABLE audit_head (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    seq  BIGINT  NOT NULL,
    hash TEXT    NOT NULL
);

INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '');
