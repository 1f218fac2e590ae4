-- +goose Up

-- A job is forgotten only when no key names it, and that is asked for each job.
CREATE INDEX idempotency_of_job ON idempotency (job_id);
