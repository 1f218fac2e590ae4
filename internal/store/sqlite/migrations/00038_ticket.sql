-- +goose Up

-- Tickets of issues at a tracker: a row is there before anything is sent. sent_at and note_at are when a request was sent whose outcome
-- nobody knows, turn and until fence those who change the row. Instants are microseconds since 1970, 0 is none.
CREATE TABLE ticket (
    issue_id            TEXT NOT NULL,
    kind                TEXT NOT NULL,
    provider_account_id TEXT NOT NULL,
    check_id            TEXT NOT NULL,
    place               TEXT NOT NULL,
    actor               TEXT NOT NULL,
    ticket_key          TEXT NOT NULL,
    url                 TEXT NOT NULL,
    state               TEXT NOT NULL,
    told                TEXT NOT NULL,
    problem             TEXT NOT NULL,
    created_at          BIGINT NOT NULL,
    synced_at           BIGINT NOT NULL,
    sent_at             BIGINT NOT NULL,
    notes               BIGINT NOT NULL,
    note_at             BIGINT NOT NULL,
    acted               BIGINT NOT NULL,
    closed              BOOLEAN NOT NULL,
    gone                BOOLEAN NOT NULL,
    turn                BIGINT NOT NULL,
    until               BIGINT NOT NULL,
    PRIMARY KEY (issue_id, kind)
);

CREATE INDEX ticket_of ON ticket (provider_account_id);
