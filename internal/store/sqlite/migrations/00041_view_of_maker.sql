-- +goose Up

-- Names of views are those of who made them: a name that somebody may not see is not taken for them.
DROP INDEX saved_view_of;
CREATE UNIQUE INDEX saved_view_of ON saved_view (page, name, made_by);
