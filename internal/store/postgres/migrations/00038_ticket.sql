-- +goose Up

-- Tickets of issues at a tracker: a row is there before anything is sent. sent_at and note_at are when a request was sent whose outcome
-- nobody knows, turn and until fence those who change the row. Instants are microseconds since 1970, 0 is none.
CREATE TABLE ticket (
    issue_id            TEXT COLLATE "C" NOT NULL,
    kind                TEXT COLLATE "C" NOT NULL,
    provider_account_id TEXT COLLATE "C" NOT NULL,
    check_id            TEXT COLLATE "C" NOT NULL,
    place               TEXT COLLATE "C" NOT NULL,
    actor               TEXT COLLATE "C" NOT NULL,
    ticket_key          TEXT COLLATE "C" NOT NULL,
    url                 TEXT COLLATE "C" NOT NULL,
    state               TEXT COLLATE "C" NOT NULL,
    told                TEXT COLLATE "C" NOT NULL,
    problem             TEXT COLLATE "C" NOT NULL,
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
