-- +goose Up

-- What is needed to check an assessment later: a digest over its rows as they were
-- saved, and what the run knew that no other row holds. Assessments from before have
-- no row.
CREATE TABLE assessment_evidence (
    assessment_no BIGINT PRIMARY KEY REFERENCES assessment (no),
    digest        BYTEA NOT NULL,
    record        BYTEA NOT NULL
);

-- The public keys bundles of evidence were signed with, the one in force the last. No
-- private key is kept: it follows from SERVICE_ENCRYPTION_KEY and the generation.
CREATE TABLE evidence_key (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    no         BIGINT NOT NULL UNIQUE,
    generation BIGINT NOT NULL,
    public_key BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

-- What is being forgotten. It is out of sight as soon as it is here, so nobody reads
-- a half while its rows go a few at a time.
CREATE TABLE assessment_forgetting (
    assessment_no BIGINT PRIMARY KEY REFERENCES assessment (no)
);

CREATE TABLE section_forgetting (
    job_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES job (id)
);

-- Assessments that are no longer kept, so that who asks for one is told.
CREATE TABLE assessment_forgotten (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    forgotten_at BIGINT NOT NULL
);

-- When something that one process at a time does was last begun.
CREATE TABLE turn (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    begun_at BIGINT NOT NULL
);

-- One small row for each assessment, so that a line over years needs no summary.
-- Assessments from before have none.
CREATE TABLE assessment_point (
    assessment_no       BIGINT PRIMARY KEY REFERENCES assessment (no),
    provider_account_id TEXT COLLATE "C" NOT NULL,
    account_id          TEXT COLLATE "C" NOT NULL,
    account_name        TEXT COLLATE "C" NOT NULL,
    completed_at        BIGINT  NOT NULL,
    demo                BOOLEAN NOT NULL,
    whole               BOOLEAN NOT NULL,
    opened              INTEGER NOT NULL,
    resolved            INTEGER NOT NULL,
    reopened            INTEGER NOT NULL,
    closed              BYTEA NOT NULL,
    body                BYTEA NOT NULL
);

CREATE INDEX assessment_point_newest ON assessment_point (completed_at, assessment_no);
CREATE INDEX assessment_point_line ON assessment_point (provider_account_id, demo, completed_at, assessment_no, whole, opened, resolved, reopened);
CREATE INDEX assessment_point_closed ON assessment_point (provider_account_id, completed_at) WHERE resolved > 0;
