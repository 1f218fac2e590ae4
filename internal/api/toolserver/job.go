package toolserver

import (
	"context"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

type jobsIn struct {
	Account string `json:"account,omitempty" jsonschema:"id of a registered account"`
	Kind    string `json:"kind,omitempty" jsonschema:"only jobs of this kind"`
	State   string `json:"state,omitempty" jsonschema:"only jobs in this state"`
	Page
}

type jobIn struct {
	ID string `json:"id" jsonschema:"UUID of the job"`
}

type jobsOut struct {
	Items      []jobView `json:"items"`
	NextCursor string    `json:"nextCursor"`
}

type jobOut struct {
	Job map[string]any `json:"job"`
}

func (t *tools) addJobs() {
	add[jobsIn, jobsOut](t, tool{name: "list_jobs", title: "Jobs", effect: reads, more: "Ask for fewer with limit.",
		about: "Work that was accepted, newest first, with its progress.",
		words: map[string][]string{"kind": {"assess", "ship", "notify", "alert", "ticket", "plan", "apply", "rollback"},
			"state": {"queued", "running", "succeeded", "failed", "cancelled"}}}, listJobs)
	add[jobIn, jobOut](t, tool{name: "get_job", title: "One job", effect: reads, more: "get_assessment and get_report give the rest.",
		about: "One job: its state, progress, and result or error."}, getJob)
	add[jobIn, jobOut](t, tool{name: "cancel_job", title: "Cancel a job", effect: stops, more: "get_job gives the rest.",
		about: "Stops a job that is queued or running; what it has read is kept."}, cancelJob)
}

func listJobs(ctx context.Context, c *client.Client, in jobsIn) (answer, error) {
	filter := filters("account", in.Account, "kind", in.Kind, "state", in.State)
	body, items, err := listed(ctx, in.Page, filter, "items", jobOf, c.Jobs)
	return answer{fmt.Sprintf("%d jobs.", len(items)), body}, err
}

func getJob(ctx context.Context, c *client.Client, in jobIn) (answer, error) {
	j, err := c.Job(ctx, in.ID)
	return jobAnswer(j, err)
}

func cancelJob(ctx context.Context, c *client.Client, in jobIn) (answer, error) {
	j, err := c.Cancel(ctx, in.ID)
	return jobAnswer(j, err)
}

func jobAnswer(j client.Answer[posture.Job], err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	p := j.Value.Progress
	return answer{fmt.Sprintf("Job %s (%s) is %s; %s %d of %d.", j.Value.ID, j.Value.Kind, j.Value.State, p.Phase, p.Done, p.Total),
		map[string]any{"job": j.Raw}}, nil
}
