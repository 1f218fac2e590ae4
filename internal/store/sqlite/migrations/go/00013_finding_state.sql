-- Run by migration 00013, which then fills finding_state; statements are parted by empty lines.

-- A state tells what lists filter by, and where the finding can be read: assessment
-- and position of the last run that held it. class is 0 while it is open or reopened,
-- 1 when it is resolved and was open once, 2 when it never was FAIL or WARNING and is
-- not open. place is the order of lists: severity, then newness. judged_at is the start
-- of the run that decided last. exception_id is the exception that applies, until
-- excepted_until.
ALTER TABLE finding_state RENAME TO finding_state_before;

CREATE TABLE finding_state (
    no                  INTEGER  NOT NULL PRIMARY KEY AUTOINCREMENT,
    provider_account_id TEXT NOT NULL,
    finding_id          TEXT NOT NULL,
    result              TEXT NOT NULL,
    status              TEXT NOT NULL,
    resolution          TEXT NOT NULL,
    opened              BOOLEAN  NOT NULL,
    first_seen          BIGINT   NOT NULL,
    last_seen           BIGINT   NOT NULL,
    judged_at           BIGINT   NOT NULL,
    class               SMALLINT NOT NULL,
    place               BIGINT   NOT NULL,
    assessment_no       BIGINT   NOT NULL,
    seq                 INTEGER  NOT NULL,
    check_id            TEXT NOT NULL,
    category            TEXT NOT NULL,
    severity            TEXT NOT NULL,
    resource_type       TEXT NOT NULL,
    resource_id         TEXT NOT NULL,
    resource_key        INTEGER  NOT NULL,
    resource_name       TEXT NOT NULL,
    zone_id             TEXT NOT NULL,
    zone                TEXT NOT NULL,
    exception_id        TEXT NOT NULL DEFAULT '',
    excepted_until      BIGINT   NOT NULL DEFAULT 0
);

-- One index for each filter, in the order of lists. The columns at the end let a second filter
-- be answered without the rows.
CREATE UNIQUE INDEX finding_state_of ON finding_state (finding_id, provider_account_id);

CREATE INDEX finding_state_by_place ON finding_state (class, place, finding_id, result, excepted_until);

CREATE INDEX finding_state_by_account ON finding_state (provider_account_id, class, place, finding_id, category, result, excepted_until);

CREATE INDEX finding_state_by_check ON finding_state (check_id, class, place, finding_id, provider_account_id, result, excepted_until);

CREATE INDEX finding_state_by_category ON finding_state (category, class, place, finding_id, provider_account_id, result, excepted_until);

CREATE INDEX finding_state_by_zone ON finding_state (zone_id, class, place, finding_id);

CREATE INDEX finding_state_by_result ON finding_state (result, class, place, finding_id, provider_account_id, excepted_until);

CREATE INDEX finding_state_by_resource ON finding_state (resource_key);

-- The names zones had, so that a name finds the ids of all zones that bore it.
CREATE TABLE finding_zone (
    zone    TEXT NOT NULL,
    zone_id TEXT NOT NULL,
    PRIMARY KEY (zone, zone_id)
);

-- How many findings of an assessment each check, zone and result has, and the texts a
-- search looks at, packed: reading them is faster than reading the rows. Assessments of
-- earlier versions have neither.
ALTER TABLE assessment ADD COLUMN counts BLOB;

CREATE TABLE assessment_text (
    assessment_no BIGINT NOT NULL PRIMARY KEY REFERENCES assessment (no),
    texts         BLOB  NOT NULL
);

-- Accepted risks. request_key is the idempotency key of the call that made one, and
-- request_hash its body.
CREATE TABLE exception (
    id           TEXT NOT NULL PRIMARY KEY,
    revoked_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    request_key  TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    body         BLOB NOT NULL
);

CREATE INDEX exception_newest ON exception (created_at, id);

CREATE INDEX exception_request ON exception (request_key) WHERE request_key <> '';

CREATE INDEX finding_state_excepted ON finding_state (exception_id, excepted_until) WHERE exception_id <> '';

-- Its one row is locked while exceptions change, and shared while a run is saved: a
-- run then sees an exception, or the exception sees the states of the run.
CREATE TABLE exception_guard (changes BIGINT NOT NULL);

INSERT INTO exception_guard VALUES (0);

-- What the text search over the newest states looks at, indexed by three-letter parts.
CREATE VIRTUAL TABLE finding_text USING fts5 (search, tokenize = 'trigram case_sensitive 1');

-- What the tables look like when they are large; see 00004.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('finding_state', 'finding_state_of', '1500000 1 1'),
    ('finding_state', 'finding_state_by_place', '1500000 500000 2 1 1 1'),
    ('finding_state', 'finding_state_by_account', '1500000 50000 20000 2 1 1 1 1'),
    ('finding_state', 'finding_state_by_check', '1500000 7500 3000 2 1 1 1 1'),
    ('finding_state', 'finding_state_by_category', '1500000 35000 15000 2 1 1 1 1'),
    ('finding_state', 'finding_state_by_zone', '1500000 2500 1000 2 1'),
    ('finding_state', 'finding_state_by_result', '1500000 300000 200000 2 1 1 1'),
    ('finding_state', 'finding_state_by_resource', '1500000 3');

ANALYZE sqlite_schema;
