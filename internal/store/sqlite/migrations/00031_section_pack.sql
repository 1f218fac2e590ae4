-- +goose Up

-- What a run has read, once it has ended: up to a source and scope as a list of parts that it
-- shares with other runs of the account, and when each section was read. What comes behind is
-- still in section.
CREATE TABLE section_pack (
    job_id              TEXT NOT NULL PRIMARY KEY REFERENCES job (id),
    provider_account_id TEXT NOT NULL,
    source              TEXT NOT NULL,
    scope               TEXT NOT NULL,
    pieces              BLOB NOT NULL,
    read_at             BLOB NOT NULL
);

CREATE INDEX section_pack_of ON section_pack (provider_account_id);

-- Parts may now be those of sections too, and values of an assessment may name one. A process of
-- an older version beside this one does not know, and must not take them for nobody's.
ALTER TABLE piece_sweep RENAME TO piece_unused;
