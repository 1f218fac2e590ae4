-- +goose Up

-- Who approved a plan, what of it, and the one job that took that; it goes with the plan.
CREATE TABLE plan_approval (
    plan_id    TEXT NOT NULL PRIMARY KEY REFERENCES "plan" (id) ON DELETE CASCADE,
    digest     TEXT NOT NULL,
    by_kind    TEXT NOT NULL,
    by_id      TEXT NOT NULL,
    by_actor   TEXT NOT NULL,
    note       TEXT NOT NULL,
    forced     BOOLEAN NOT NULL,
    at         BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_by    TEXT NOT NULL,
    used_at    BIGINT NOT NULL
);
