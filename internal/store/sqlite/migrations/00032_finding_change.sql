-- +goose Up

-- How often runs changed the findings of an account: what is summed up of them stays true while the number stays. A trigger counts,
-- so that a process of an older version beside this one counts too.
CREATE TABLE finding_change (
    provider_account_id TEXT NOT NULL PRIMARY KEY,
    changes             BIGINT NOT NULL
);

INSERT INTO finding_change SELECT provider_account_id, COUNT(*) FROM assessment GROUP BY provider_account_id;

-- +goose StatementBegin
CREATE TRIGGER assessment_saved AFTER INSERT ON assessment BEGIN
    INSERT INTO finding_change (provider_account_id, changes) VALUES (NEW.provider_account_id, 1)
        ON CONFLICT (provider_account_id) DO UPDATE SET changes = changes + 1;
END;
-- +goose StatementEnd
