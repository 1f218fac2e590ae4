-- +goose Up

-- What may make one job only and has made it, until it can make none anyway.
CREATE TABLE used_once (
    key   TEXT NOT NULL PRIMARY KEY,
    until BIGINT NOT NULL
);

CREATE INDEX used_once_until ON used_once (until);
