-- +goose Up

-- The first byte of a value says whether the rest is plain or gzip.
CREATE TABLE section (
    job_id     TEXT COLLATE "C" NOT NULL REFERENCES job (id),
    source     TEXT COLLATE "C" NOT NULL,
    scope      TEXT COLLATE "C" NOT NULL,
    status     TEXT COLLATE "C" NOT NULL,
    permission TEXT COLLATE "C" NOT NULL,
    code       INTEGER NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL,
    value      BYTEA,
    PRIMARY KEY (job_id, source, scope)
);
