-- +goose Up

-- How often runs changed the findings of an account: what is summed up of them stays true while the number stays. A trigger counts,
-- so that a process of an older version beside this one counts too.
CREATE TABLE finding_change (
    provider_account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    changes             BIGINT NOT NULL
);

INSERT INTO finding_change SELECT provider_account_id, COUNT(*) FROM assessment GROUP BY provider_account_id;

-- +goose StatementBegin
CREATE FUNCTION count_finding_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO finding_change AS c (provider_account_id, changes) VALUES (NEW.provider_account_id, 1)
        ON CONFLICT (provider_account_id) DO UPDATE SET changes = c.changes + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER assessment_saved AFTER INSERT ON assessment FOR EACH ROW EXECUTE FUNCTION count_finding_change();
