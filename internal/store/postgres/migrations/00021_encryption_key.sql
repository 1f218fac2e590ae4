-- +goose Up

-- Which encryption key tokens, plans and bundles are sealed with: a fingerprint that does
-- not lead back to it. At most one row.
CREATE TABLE encryption_key (
    only_row    INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    fingerprint TEXT COLLATE "C" NOT NULL
);
