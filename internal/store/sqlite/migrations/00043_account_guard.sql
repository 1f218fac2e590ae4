-- +goose Up

-- How often accounts changed: who may see which is looked up for each call, and what was read of them stays true while the number stays.
CREATE TABLE account_guard (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    changes  BIGINT NOT NULL
);

INSERT INTO account_guard VALUES (1, 0);

-- +goose StatementBegin
CREATE TRIGGER account_insert_counted AFTER INSERT ON account BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER account_update_counted AFTER UPDATE ON account BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER account_delete_counted AFTER DELETE ON account BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER account_default_insert_counted AFTER INSERT ON account_default BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER account_default_update_counted AFTER UPDATE ON account_default BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER account_default_delete_counted AFTER DELETE ON account_default BEGIN
    UPDATE account_guard SET changes = changes + 1;
END;
-- +goose StatementEnd
