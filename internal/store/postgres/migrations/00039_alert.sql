-- +goose Up

-- Where each issue stands by what runs found; severity is the rank of its worst finding, and only rises while it is open.
CREATE TABLE issue_status (
    provider_account_id TEXT COLLATE "C" NOT NULL,
    check_id            TEXT COLLATE "C" NOT NULL,
    open                BOOLEAN NOT NULL,
    severity            BIGINT NOT NULL,
    opened_at           BIGINT NOT NULL,
    PRIMARY KEY (provider_account_id, check_id)
);

INSERT INTO issue_status SELECT provider_account_id, check_id, TRUE, MAX(CASE severity WHEN 'critical' THEN 4 WHEN 'high' THEN 3
    WHEN 'medium' THEN 2 WHEN 'low' THEN 1 ELSE 0 END), MIN(first_seen) FROM finding_state
    WHERE class = 0 AND result IN ('FAIL', 'WARNING') GROUP BY provider_account_id, check_id;

-- How issues got there: a row for each time one was found, found graver, or found no more, by the number of issue_guard. Rows that no rule
-- of alerts asks for any more go.
CREATE TABLE issue_turn (
    provider_account_id TEXT COLLATE "C" NOT NULL,
    check_id            TEXT COLLATE "C" NOT NULL,
    no                  BIGINT NOT NULL,
    open                BOOLEAN NOT NULL,
    severity            BIGINT NOT NULL,
    PRIMARY KEY (provider_account_id, check_id, no)
);

CREATE INDEX issue_turn_no ON issue_turn (no);

INSERT INTO issue_turn SELECT provider_account_id, check_id, 0, open, severity FROM issue_status;

-- What is told to whom: told is the number of issue_guard up to which everything was, told_on the day. While the job
-- telling_job tells what came up to telling_until and was overdue on telling_on, telling_body is its message about telling_count issues, empty for none. wake_at is when the rule is looked at next. sealed holds an address of its own.
CREATE TABLE alert_rule (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL UNIQUE,
    body          BYTEA NOT NULL,
    paused        BOOLEAN NOT NULL,
    at_once       BOOLEAN NOT NULL,
    sealed        BYTEA NOT NULL,
    told          BIGINT NOT NULL,
    told_on       TEXT COLLATE "C" NOT NULL,
    telling_job   TEXT COLLATE "C" NOT NULL,
    telling_until BIGINT NOT NULL,
    telling_on    TEXT COLLATE "C" NOT NULL,
    telling_count BIGINT NOT NULL,
    telling_body  BYTEA NOT NULL,
    sent_at       BIGINT NOT NULL,
    problem       TEXT COLLATE "C" NOT NULL,
    wake_at       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    revision      BIGINT NOT NULL
);

-- Up to when somebody has read what happened to an issue; that of the issue '' is of all.
CREATE TABLE inbox_read (
    actor    TEXT COLLATE "C" NOT NULL,
    issue_id TEXT COLLATE "C" NOT NULL,
    at       BIGINT NOT NULL,
    PRIMARY KEY (actor, issue_id)
);

CREATE INDEX issue_event_by ON issue_event (actor, issue_id);
