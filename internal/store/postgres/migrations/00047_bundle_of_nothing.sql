-- +goose Up

-- A bundle may be of changes none of which was made.
ALTER TABLE bundle DROP CONSTRAINT bundle_state_check;
ALTER TABLE bundle ADD CONSTRAINT bundle_state_check CHECK (state IN ('open', 'applied', 'partial', 'rolled_back', 'nothing'));
