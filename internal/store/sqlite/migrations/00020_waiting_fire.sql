-- +goose Up

-- What waits is found by its schedule: the primary key leads to 90 days of what was
-- decided.
DROP INDEX schedule_fire_waiting;
CREATE INDEX schedule_fire_waiting ON schedule_fire (schedule_id, due_at) WHERE outcome = 'waiting';
