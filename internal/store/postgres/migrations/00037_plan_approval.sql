-- +goose Up

-- Who approved a plan, what of it, and the one job that took that; it goes with the plan.
CREATE TABLE plan_approval (
    plan_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES "plan" (id) ON DELETE CASCADE,
    digest     TEXT COLLATE "C" NOT NULL,
    by_kind    TEXT COLLATE "C" NOT NULL,
    by_id      TEXT COLLATE "C" NOT NULL,
    by_actor   TEXT COLLATE "C" NOT NULL,
    note       TEXT COLLATE "C" NOT NULL,
    forced     BOOLEAN NOT NULL,
    at         BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_by    TEXT COLLATE "C" NOT NULL,
    used_at    BIGINT NOT NULL
);
