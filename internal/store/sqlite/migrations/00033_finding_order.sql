-- +goose Up

-- The orders of lists besides severity, of what is open: other lists are read rarely, and most states are of what passed. Names may be
-- longer than an index takes; the class comes first, so that a planner takes them for what is asked of one. Checks and accounts have their order in the indexes of their filters.
CREATE INDEX finding_state_open_zone ON finding_state (class, substr(zone, 1, 64), place, finding_id) WHERE class = 0;

CREATE INDEX finding_state_open_resource ON finding_state (class, substr(resource_name, 1, 64), place, finding_id) WHERE class = 0;

CREATE INDEX finding_state_open_oldest ON finding_state (class, first_seen, place, finding_id) WHERE class = 0;

CREATE INDEX finding_state_open_newest ON finding_state (class, (-first_seen), place, finding_id) WHERE class = 0;

-- What these look like when they are large; see 00013.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('finding_state', 'finding_state_open_zone', '500000 500000 1000 2 1'),
    ('finding_state', 'finding_state_open_resource', '500000 500000 3 2 1'),
    ('finding_state', 'finding_state_open_oldest', '500000 500000 1000 2 1'),
    ('finding_state', 'finding_state_open_newest', '500000 500000 1000 2 1');

ANALYZE sqlite_schema;
