-- +goose Up

-- What is sent where. The row is there before anything leaves; progress says
-- which documents the receiver has.
CREATE TABLE delivery (
    id            TEXT    NOT NULL PRIMARY KEY,
    job_id        TEXT    NOT NULL REFERENCES job (id),
    target        TEXT    NOT NULL,
    assessment_id TEXT    NOT NULL,
    account_id    TEXT    NOT NULL,
    account_name  TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    destination   TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('pending', 'retrying', 'delivered', 'failed')),
    attempts      INTEGER NOT NULL,
    documents     INTEGER NOT NULL,
    sent          INTEGER NOT NULL,
    failed        INTEGER NOT NULL,
    reason        TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL,
    updated_at    BIGINT  NOT NULL,
    next_at       BIGINT  NOT NULL,
    progress      BLOB,
    UNIQUE (job_id, target)
);

CREATE INDEX delivery_newest ON delivery (created_at, id);
CREATE INDEX delivery_of_assessment ON delivery (assessment_id, created_at, id);

-- What is sent after each run of an account, as JSON.
ALTER TABLE account ADD COLUMN after_run BLOB;
