-- +goose Up

-- What is large and seldom read of an assessment. Assessments from before have no row.
CREATE TABLE assessment_graph (
    assessment_no BIGINT PRIMARY KEY REFERENCES assessment (no),
    graph         BYTEA NOT NULL,
    paths         BYTEA NOT NULL,
    modifications BYTEA NOT NULL
);
