-- +goose Up

-- A bundle may be of changes none of which was made; SQLite changes no condition of a column in place.
CREATE TABLE bundle_now (
    id            TEXT    NOT NULL PRIMARY KEY,
    job_id        TEXT    NOT NULL UNIQUE REFERENCES job (id),
    assessment_id TEXT    NOT NULL,
    account_id    TEXT    NOT NULL,
    account_name  TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('open', 'applied', 'partial', 'rolled_back', 'nothing')),
    entries       INTEGER NOT NULL,
    applied       INTEGER NOT NULL,
    verified      INTEGER NOT NULL,
    created_at    BIGINT  NOT NULL,
    sealed        BLOB    NOT NULL,
    mac           BLOB    NOT NULL
);
INSERT INTO bundle_now (id, job_id, assessment_id, account_id, account_name, state, entries, applied, verified, created_at, sealed, mac)
    SELECT id, job_id, assessment_id, account_id, account_name, state, entries, applied, verified, created_at, sealed, mac FROM bundle;
DROP TABLE bundle;
ALTER TABLE bundle_now RENAME TO bundle;
CREATE INDEX bundle_newest ON bundle (created_at, id);
CREATE INDEX bundle_of_assessment ON bundle (assessment_id);
