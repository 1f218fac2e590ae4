-- +goose Up

-- What is accepted is few of many: to know it, and to list it, takes no walk over what is open.
CREATE INDEX finding_state_accepted ON finding_state (class, place, finding_id) WHERE exception_id <> '';
