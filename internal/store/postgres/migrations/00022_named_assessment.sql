-- +goose Up

-- Whether something names an assessment is asked of each that is past its time.
CREATE INDEX plan_of_assessment ON "plan" (assessment_id);
CREATE INDEX bundle_of_assessment ON bundle (assessment_id);
