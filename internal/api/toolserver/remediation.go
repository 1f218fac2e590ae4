package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

type planIn struct {
	AssessmentID string        `json:"assessmentId,omitempty" jsonschema:"UUID of the assessment; the latest when absent"`
	CheckIDs     []string      `json:"checkIds,omitempty" jsonschema:"only changes for these checks; all that the service can make when absent"`
	Zones        []string      `json:"zones,omitempty" jsonschema:"only changes in these zones"`
	PathIDs      []string      `json:"pathIds,omitempty" jsonschema:"only changes that break these attack paths"`
	AI           bool          `json:"ai,omitempty" jsonschema:"let the configured model order and explain the changes"`
	Inputs       client.Inputs `json:"inputs,omitempty" jsonschema:"values a person must choose: check id, then name and value"`
	Wait
}

type applyIn struct {
	AssessmentID string        `json:"assessmentId" jsonschema:"UUID of the assessment the plan is of"`
	CheckIDs     []string      `json:"checkIds" jsonschema:"checks whose changes are made"`
	Token        string        `json:"token" jsonschema:"edit token that a person gave for this call; it is not kept"`
	PlanID       string        `json:"planId,omitempty" jsonschema:"plan whose changes are meant; what no longer fits it is refused"`
	Force        bool          `json:"force,omitempty" jsonschema:"also make changes of high risk"`
	APIToken     string        `json:"apiToken,omitempty" jsonschema:"provider token with write permission when the account's own only reads; it is not kept"`
	Inputs       client.Inputs `json:"inputs,omitempty" jsonschema:"values a person must choose: check id, then name and value"`
	Wait
}

type rollbackIn struct {
	BundleID string `json:"bundleId" jsonschema:"bundle to put back, as list_backups names it"`
	Token    string `json:"token" jsonschema:"edit token that a person gave for this call; it is not kept"`
	Force    bool   `json:"force,omitempty" jsonschema:"put values back although somebody changed them since"`
	APIToken string `json:"apiToken,omitempty" jsonschema:"provider token with write permission when the account's own only reads; it is not kept"`
	Wait
}

func (t *tools) addRemediation() {
	add(t, tool{name: "plan_remediation", title: "Plan changes", effect: surveys, more: "Narrow with checkIds, zones or pathIds.",
		about: "The changes that would close findings: before, after, risk and whether each can be undone. Changes nothing."}, plan)
	add(t, tool{name: "apply_remediation", title: "Make changes at Cloudflare", effect: changes, more: "get_job gives the result again.",
		about: "Makes the planned changes at Cloudflare, after a backup. Works only where an operator switched remediation on, and with an " +
			"edit token. Show the plan to a person first."}, apply)
	add(t, tool{name: "rollback_remediation", title: "Put a backup back", effect: restores, more: "get_job gives the result again.",
		about: "Puts back what a backup bundle holds. Works only where an operator switched remediation on, and with an edit token."}, rollback)
	add(t, tool{name: "list_backups", title: "Backups", effect: reads, more: "Ask for fewer with limit.",
		about: "The bundles a rollback can put back, newest first."}, listBackups)
}

func plan(ctx context.Context, c *client.Client, in planIn) (answer, error) {
	raw, a, err := submit(ctx, c, in.Wait, client.MakePlan(client.PlanRequest{AssessmentID: in.AssessmentID, CheckIDs: in.CheckIDs,
		Zones: in.Zones, PathIDs: in.PathIDs, AI: in.AI, Inputs: in.Inputs}))
	if err != nil || raw == nil {
		return a, err
	}
	var p change.Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return answer{}, fmt.Errorf("read the plan: %w", err)
	}
	return answer{fmt.Sprintf("Plan %s of assessment %s: %d changes, %d by hand, %d skipped.", p.ID, p.AssessmentID, len(p.Changes),
		len(p.Manual), len(p.Skipped)), map[string]any{"plan": raw}}, nil
}

// submit sends work and gives its raw result, or the answer that names the job.
func submit(ctx context.Context, c *client.Client, w Wait, work client.Work) (json.RawMessage, answer, error) {
	wait, err := w.duration()
	if err != nil {
		return nil, answer{}, err
	}
	s, err := c.Submit(ctx, work, wait, "")
	if err != nil {
		return nil, answer{}, err
	}
	if s.Job != nil {
		return nil, working(*s.Job), nil
	}
	return s.Result, answer{}, nil
}

func apply(ctx context.Context, c *client.Client, in applyIn) (answer, error) {
	return written(ctx, c, in.Wait, client.Apply(client.ApplyRequest{AssessmentID: in.AssessmentID, CheckIDs: notNil(in.CheckIDs),
		PlanID: in.PlanID, Force: in.Force, Inputs: in.Inputs, Token: secret.New(in.Token), APIToken: secret.New(in.APIToken)}), in.Token,
		in.APIToken)
}

func rollback(ctx context.Context, c *client.Client, in rollbackIn) (answer, error) {
	return written(ctx, c, in.Wait, client.Rollback(client.RollbackRequest{BundleID: in.BundleID, Force: in.Force,
		Token: secret.New(in.Token), APIToken: secret.New(in.APIToken)}), in.Token, in.APIToken)
}

// written sends work that writes to the provider. Whatever answers, the tokens of
// the call are not in what is given on: it ends in the transcript of a model.
func written(ctx context.Context, c *client.Client, w Wait, work client.Work, tokens ...string) (answer, error) {
	raw, a, err := submit(ctx, c, w, work)
	if err != nil {
		return answer{}, masked(err, tokens)
	}
	if raw == nil {
		return a, nil
	}
	if raw, err = mask(raw, tokens); err != nil {
		return answer{}, err
	}
	var r change.Execution
	if err := json.Unmarshal(raw, &r); err != nil {
		return answer{}, fmt.Errorf("read the result: %w", err)
	}
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%d changes; bundle %s.\n", len(r.Results), r.BundleID)
	for _, one := range r.Results {
		_, _ = fmt.Fprintf(&words, "%s %s %s: %s %s\n", one.CheckID, one.Operation, one.Resource.Name, one.Status, one.Reason)
	}
	return answer{words.String(), map[string]any{"result": raw}}, nil
}

func listBackups(ctx context.Context, c *client.Client, in Page) (answer, error) {
	body, items, err := listed(in, url.Values{}, "backups", func(q url.Values) (json.RawMessage, error) {
		a, err := c.Backups(ctx, q)
		return a.Raw, err
	})
	return answer{fmt.Sprintf("%d backups.", len(items)), body}, err
}
