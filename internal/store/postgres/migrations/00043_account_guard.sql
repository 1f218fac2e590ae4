-- +goose Up

-- How often accounts changed: who may see which is looked up for each call, and what was read of them stays true while the number stays.
CREATE TABLE account_guard (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    changes  BIGINT NOT NULL
);

INSERT INTO account_guard VALUES (1, 0);

-- +goose StatementBegin
CREATE FUNCTION count_account_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_guard SET changes = changes + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER account_counted AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH STATEMENT EXECUTE FUNCTION count_account_change();

CREATE TRIGGER account_default_counted AFTER INSERT OR UPDATE OR DELETE ON account_default FOR EACH STATEMENT
    EXECUTE FUNCTION count_account_change();
