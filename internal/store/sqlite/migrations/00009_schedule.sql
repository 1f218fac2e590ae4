-- +goose Up

-- The scope of the runs of an account, as JSON, and when its token was replaced.
ALTER TABLE account ADD COLUMN scope BLOB;
ALTER TABLE account ADD COLUMN token_at BIGINT NOT NULL DEFAULT 0;

-- Repeated runs. due_at is the next due time, 0 when there is none; wake_at is
-- when it is acted on. revision moves with each change a person makes.
CREATE TABLE schedule (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    overlap    TEXT    NOT NULL CHECK (overlap IN ('skip', 'queue')),
    paused     BOOLEAN NOT NULL,
    due_at     BIGINT  NOT NULL,
    wake_at    BIGINT  NOT NULL,
    revision   INTEGER NOT NULL,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    body       BLOB NOT NULL
);

CREATE INDEX schedule_wake ON schedule (wake_at) WHERE NOT paused AND due_at > 0;
CREATE INDEX schedule_of_account ON schedule (account_id);
CREATE INDEX schedule_newest ON schedule (created_at, id);

-- What was decided about each due time. The primary key is what makes a due time
-- have one job however many processes fire it.
CREATE TABLE schedule_fire (
    schedule_id TEXT    NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
    due_at      BIGINT NOT NULL,
    outcome     TEXT    NOT NULL CHECK (outcome IN ('started', 'waiting', 'skipped', 'missed')),
    job_id      TEXT    NOT NULL,
    decided_at  BIGINT NOT NULL,
    PRIMARY KEY (schedule_id, due_at)
);

CREATE INDEX schedule_fire_waiting ON schedule_fire (due_at, schedule_id) WHERE outcome = 'waiting';
CREATE INDEX job_of_schedule ON job (schedule_id) WHERE schedule_id <> '';
