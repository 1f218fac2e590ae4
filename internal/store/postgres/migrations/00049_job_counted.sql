-- +goose Up

-- The metrics count jobs by kind and state, and lists ask for kinds that few jobs have: neither reads the rows of all that ever ran.
CREATE INDEX job_counted ON job (kind, state);
