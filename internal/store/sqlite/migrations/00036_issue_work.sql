-- +goose Up

-- What people decided about issues: of those without a row nobody has decided anything. It belongs to the issue, which is an account
-- with a check, and outlives runs and findings; title, severity, category and first_seen are what the issue was when somebody last
-- wrote, for the time when no finding tells. Instants are microseconds since 1970, due is a date.
CREATE TABLE issue_work (
    issue_id            TEXT   NOT NULL PRIMARY KEY,
    provider_account_id TEXT   NOT NULL,
    check_id            TEXT   NOT NULL,
    state               TEXT   NOT NULL,
    owner               TEXT   NOT NULL,
    assignee            TEXT   NOT NULL,
    due                 TEXT   NOT NULL,
    title               TEXT   NOT NULL,
    severity            TEXT   NOT NULL,
    category            TEXT   NOT NULL,
    first_seen          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    revision            BIGINT NOT NULL
);

CREATE INDEX issue_work_of ON issue_work (provider_account_id);

-- What happened to an issue. assessment_id is the run that resolved it or found it again.
CREATE TABLE issue_event (
    no            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    issue_id      TEXT    NOT NULL,
    at            BIGINT  NOT NULL,
    actor         TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    was           TEXT    NOT NULL,
    became        TEXT    NOT NULL,
    comment       TEXT    NOT NULL,
    assessment_id TEXT    NOT NULL
);

CREATE INDEX issue_event_of ON issue_event (issue_id, no);

-- The rules of ownership, "" until somebody chose, and how often these or a row of issue_work changed: lists of issues stay true while
-- that number stays.
CREATE TABLE issue_guard (
    changes   BIGINT NOT NULL,
    ownership TEXT   NOT NULL,
    revision  BIGINT NOT NULL
);

INSERT INTO issue_guard VALUES (0, '', 0);
