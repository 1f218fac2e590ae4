-- +goose Up

CREATE TABLE assessment (
    no                  INTEGER PRIMARY KEY AUTOINCREMENT,
    id                  TEXT    NOT NULL UNIQUE,
    job_id              TEXT    NOT NULL,
    account_id          TEXT    NOT NULL,
    provider_account_id TEXT    NOT NULL,
    status              TEXT    NOT NULL,
    completed_at        BIGINT  NOT NULL,
    summary             BLOB    NOT NULL,
    checks              BLOB    NOT NULL,
    catalogue           BLOB    NOT NULL
);

CREATE INDEX assessment_newest ON assessment (completed_at, id);
CREATE INDEX assessment_of_provider_account ON assessment (provider_account_id, completed_at, id);
CREATE INDEX assessment_of_account ON assessment (account_id, completed_at, id);

-- A row holds what varies; check_no and zone_no point into the catalogue of the
-- assessment. seq is the position in the report.
-- resource_key is a hash of resource_id that keeps the index small.
CREATE TABLE finding (
    assessment_no INTEGER NOT NULL REFERENCES assessment (no),
    seq           INTEGER NOT NULL,
    check_no      INTEGER NOT NULL,
    zone_no       INTEGER NOT NULL,
    result        TEXT    NOT NULL,
    finding_id    TEXT    NOT NULL,
    resource_id   TEXT    NOT NULL,
    resource_key  INTEGER NOT NULL,
    search        TEXT    NOT NULL,
    body          BLOB    NOT NULL,
    PRIMARY KEY (assessment_no, seq)
) WITHOUT ROWID;

CREATE INDEX finding_by_result ON finding (assessment_no, result, seq);
CREATE INDEX finding_by_check ON finding (assessment_no, check_no, seq);
CREATE INDEX finding_by_zone ON finding (assessment_no, zone_no, seq);
CREATE INDEX finding_by_resource ON finding (assessment_no, resource_key, seq);

CREATE TABLE finding_state (
    provider_account_id TEXT   NOT NULL,
    finding_id          TEXT   NOT NULL,
    result              TEXT   NOT NULL,
    status              TEXT   NOT NULL,
    first_seen          BIGINT NOT NULL,
    last_seen           BIGINT NOT NULL,
    PRIMARY KEY (provider_account_id, finding_id)
) WITHOUT ROWID;

-- Nothing gathers statistics here, and without them SQLite takes a report for
-- ten rows and walks all of it. These say what a report looks like: 50,000
-- findings, and how many of them share a value of each index.
ANALYZE;
DELETE FROM sqlite_stat1 WHERE tbl = 'finding';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('finding', 'finding', '5000000 50000 1'),
    ('finding', 'finding_by_result', '5000000 50000 10000 1'),
    ('finding', 'finding_by_check', '5000000 50000 300 1'),
    ('finding', 'finding_by_zone', '5000000 50000 500 1'),
    ('finding', 'finding_by_resource', '5000000 50000 3 1');
ANALYZE sqlite_schema;
