-- +goose Up

-- How often the settings were saved, so that an older file put back shows. At most one row.
CREATE TABLE settings_saved (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    number   BIGINT  NOT NULL
);
