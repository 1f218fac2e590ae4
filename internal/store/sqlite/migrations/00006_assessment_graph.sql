-- +goose Up

-- What is large and seldom read of an assessment. Assessments from before have no row.
CREATE TABLE assessment_graph (
    assessment_no INTEGER PRIMARY KEY REFERENCES assessment (no),
    graph         BLOB NOT NULL,
    paths         BLOB NOT NULL,
    modifications BLOB NOT NULL
);
