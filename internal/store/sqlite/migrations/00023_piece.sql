-- +goose Up

-- Parts of runs, each once for an account however many of its runs have it: some findings, in
-- what they are counted by (facts), what is searched (texts) and the rest. hash is over all
-- three. A run of now keeps its findings as a list of such parts, and has no rows in finding.
CREATE TABLE piece (
    no                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    provider_account_id TEXT NOT NULL,
    hash                BLOB NOT NULL,
    facts               BLOB NOT NULL,
    texts               BLOB NOT NULL,
    value               BLOB NOT NULL
);

CREATE UNIQUE INDEX piece_of ON piece (provider_account_id, hash);

ALTER TABLE assessment ADD COLUMN pieces BLOB;

-- Accounts of which a run was forgotten, so that parts may be nobody's.
CREATE TABLE piece_sweep (
    provider_account_id TEXT NOT NULL PRIMARY KEY
);

-- What a search looks at. States that no run has touched since have NULL; the row in finding
-- tells it.
ALTER TABLE finding_state ADD COLUMN search TEXT;

-- Findings of a run are counted and chosen in memory.
DROP INDEX finding_by_result;
DROP INDEX finding_by_check;
DROP INDEX finding_by_zone;
DELETE FROM sqlite_stat1 WHERE tbl = 'finding' AND idx IN ('finding_by_result', 'finding_by_check', 'finding_by_zone');
ANALYZE sqlite_schema;
