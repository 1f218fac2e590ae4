// Package clients uses a generated Go client against a service with the demo account.
package clients

import (
	"os"
	"testing"

	"github.com/edgeposture/edgeposture/tools/clients/generated/api"
)

func TestGoClient(t *testing.T) {
	c, err := api.NewClientWithResponses(os.Getenv("EDGEPOSTURE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, prefer := t.Context(), "wait=300"
	made, err := c.PostApiAssessWithResponse(ctx, &api.PostApiAssessParams{Prefer: &prefer},
		api.PostApiAssessJSONRequestBody{Categories: &[]string{"dns"}})
	if err != nil || made.JSON200 == nil {
		t.Fatalf("%v: %s", err, made.Body)
	}
	id := made.JSON200.Id
	limit, result := int64(5), "FAIL"
	list, err := c.GetApiAssessmentsIdFindingsWithResponse(ctx, id, &api.GetApiAssessmentsIdFindingsParams{Limit: &limit, Result: &result})
	if err != nil || list.JSON200 == nil || len(list.JSON200.Items) == 0 || list.JSON200.Items[0].Result != "FAIL" {
		t.Fatalf("%v: %s", err, list.Body)
	}
	job, err := c.GetApiJobsIdWithResponse(ctx, made.JSON200.JobId)
	if err != nil || job.JSON200 == nil || job.JSON200.State != "succeeded" {
		t.Fatalf("%v: %s", err, job.Body)
	}
	events, err := c.GetApiJobsIdEventsWithResponse(ctx, made.JSON200.JobId)
	if err != nil || events.StatusCode() != 200 || len(events.Body) == 0 {
		t.Fatalf("%v: %s", err, events.Body)
	}
	wrong, err := c.GetApiAssessmentsIdWithResponse(ctx, "x", nil)
	if err != nil || wrong.ApplicationproblemJSON422 == nil || wrong.ApplicationproblemJSON422.Code != "invalid_request" {
		t.Fatalf("%v: %s", err, wrong.Body)
	}
}
