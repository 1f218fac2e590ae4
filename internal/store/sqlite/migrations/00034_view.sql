-- +goose Up

-- Names people gave to the filters, order and columns of a list; query is the part of an address behind its question mark.
CREATE TABLE saved_view (
    id         TEXT NOT NULL PRIMARY KEY,
    page       TEXT NOT NULL,
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX saved_view_of ON saved_view (page, name);
