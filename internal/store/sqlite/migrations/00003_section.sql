-- +goose Up

-- The first byte of a value says whether the rest is plain or gzip.
CREATE TABLE section (
    job_id     TEXT    NOT NULL REFERENCES job (id),
    source     TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    permission TEXT    NOT NULL,
    code       INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    value      BLOB,
    PRIMARY KEY (job_id, source, scope)
);
