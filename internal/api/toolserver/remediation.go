package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

type planIn struct {
	AssessmentID string        `json:"assessmentId,omitempty" jsonschema:"UUID of the assessment; the latest when absent"`
	CheckIDs     []string      `json:"checkIds,omitempty" jsonschema:"only changes for these checks; all the service can make when absent"`
	Zones        []string      `json:"zones,omitempty" jsonschema:"only changes in these zones"`
	PathIDs      []string      `json:"pathIds,omitempty" jsonschema:"only changes that break these attack paths"`
	AI           bool          `json:"ai,omitempty" jsonschema:"let the configured model order and explain the changes"`
	Inputs       client.Inputs `json:"inputs,omitempty" jsonschema:"values a person must choose: check id, then name and value"`
	Wait
}

type applyIn struct {
	AssessmentID string        `json:"assessmentId" jsonschema:"UUID of the assessment the plan is of"`
	CheckIDs     []string      `json:"checkIds" jsonschema:"checks whose changes are made"`
	PlanID       string        `json:"planId,omitempty" jsonschema:"plan whose changes are meant; what no longer fits it is refused"`
	Force        bool          `json:"force,omitempty" jsonschema:"also make changes of high risk"`
	Inputs       client.Inputs `json:"inputs,omitempty" jsonschema:"values a person must choose: check id, then name and value"`
	Wait
}

type rollbackIn struct {
	BundleID  string   `json:"bundleId" jsonschema:"bundle to put back, as list_backups names it"`
	ChangeIDs []string `json:"changeIds,omitempty" jsonschema:"only these changes of the bundle"`
	Force     bool     `json:"force,omitempty" jsonschema:"put values back although somebody changed them since"`
	Wait
}

type planPartIn struct {
	ID string `json:"id" jsonschema:"UUID of the plan, as plan_remediation gives it"`
	Page
}

type planOut struct {
	Plan       map[string]any `json:"plan,omitempty"`
	Counts     map[string]int `json:"counts,omitempty"`
	NextCursor string         `json:"nextCursor,omitempty"`
	Job        *jobView       `json:"job,omitempty"`
}

type executionOut struct {
	Result map[string]any `json:"result,omitempty"`
	Job    *jobView       `json:"job,omitempty"`
}

type backupsOut struct {
	Backups    []backupView `json:"backups"`
	NextCursor string       `json:"nextCursor"`
}

func (t *tools) addRemediation() {
	add[planIn, planOut](t, tool{name: "plan_remediation", title: "Plan changes", effect: surveys,
		more: "Narrow with checkIds, zones or pathIds.",
		about: "The changes that would close findings: before, after, risk and whether each can be undone. Changes nothing. get_plan gives " +
			"those that do not stand in the answer."}, plan)
	add[planPartIn, planOut](t, tool{name: "get_plan", title: "One plan", effect: reads, more: "Ask for fewer with limit.",
		about: "The changes of a plan, a page at a time, in the order they are made in."}, getPlan)
	add[applyIn, executionOut](t, tool{name: "apply_remediation", title: "Make changes at Cloudflare", effect: changes,
		more: "get_job gives the result again.",
		about: "Makes the planned changes at Cloudflare, after a backup. Works only where an operator switched remediation on and gave " +
			"this server an edit token. Show the plan to a person first."}, apply)
	add[rollbackIn, executionOut](t, tool{name: "rollback_remediation", title: "Put a backup back", effect: restores,
		more: "get_job gives the result again.",
		about: "Puts back what a backup bundle holds. Works only where an operator switched remediation on and gave this server an edit " +
			"token."}, rollback)
	add[Page, backupsOut](t, tool{name: "list_backups", title: "Backups", effect: reads, more: "Ask for fewer with limit.",
		about: "The bundles a rollback can put back, newest first."}, listBackups)
}

func plan(ctx context.Context, c *client.Client, in planIn) (answer, error) {
	raw, a, err := submit(ctx, c, in.Wait, client.MakePlan(client.PlanRequest{AssessmentID: in.AssessmentID, CheckIDs: in.CheckIDs,
		Zones: in.Zones, PathIDs: in.PathIDs, AI: in.AI, Inputs: in.Inputs}))
	if err != nil || raw == nil {
		return a, err
	}
	return planned(raw, Page{})
}

func getPlan(ctx context.Context, c *client.Client, in planPartIn) (answer, error) {
	p, err := c.Plan(ctx, in.ID)
	if err != nil {
		return answer{}, err
	}
	return planned(p.Raw, in.Page)
}

// planned returns a page of the changes of a plan. The first page also lists what must be done by
// hand and what was skipped.
func planned(raw json.RawMessage, page Page) (answer, error) {
	var p change.Plan
	var body map[string]any
	if err := json.Unmarshal(raw, &p); err != nil {
		return answer{}, fmt.Errorf("read the plan: %w", err)
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return answer{}, fmt.Errorf("read the plan: %w", err)
	}
	part, next, err := paged(page, true, p.Changes)
	if err != nil {
		return answer{}, err
	}
	counts := map[string]int{"changes": len(p.Changes), "manual": len(p.Manual), "skipped": len(p.Skipped),
		"pathsRemoved": len(p.PathsRemoved)}
	body["changes"], body["manual"], body["skipped"] = notNil(part), p.Manual[:min(len(p.Manual), usualEntries)],
		p.Skipped[:min(len(p.Skipped), usualEntries)]
	if page.Cursor != "" {
		delete(body, "manual")
		delete(body, "skipped")
	}
	return answer{fmt.Sprintf("Plan %s of assessment %s: %d of %d changes follow, %d by hand, %d skipped.", p.ID, p.AssessmentID, len(part),
		len(p.Changes), len(p.Manual), len(p.Skipped)), planOut{Plan: body, Counts: counts, NextCursor: next}}, nil
}

// submit sends work and returns its raw result, or an answer with the job if it is still running.
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
	t := tokensOf(ctx)
	return written(ctx, c, in.Wait, client.Apply(client.ApplyRequest{AssessmentID: in.AssessmentID, CheckIDs: notNil(in.CheckIDs),
		PlanID: in.PlanID, Force: in.Force, Inputs: in.Inputs, Token: t.Edit, APIToken: t.Provider}))
}

func rollback(ctx context.Context, c *client.Client, in rollbackIn) (answer, error) {
	t := tokensOf(ctx)
	return written(ctx, c, in.Wait, client.Rollback(client.RollbackRequest{BundleID: in.BundleID, ChangeIDs: in.ChangeIDs, Force: in.Force,
		Token: t.Edit, APIToken: t.Provider}))
}

// written sends work that writes to the provider. It masks the tokens of the call in the result and
// in errors, because both end up in the transcript of a model.
func written(ctx context.Context, c *client.Client, w Wait, work client.Work) (answer, error) {
	t := tokensOf(ctx)
	tokens := []string{t.Edit.Reveal(), t.Provider.Reveal()}
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
	ended := map[string]int{}
	for _, one := range r.Results {
		ended[string(one.Status)]++
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(ended)) {
		words = append(words, fmt.Sprintf("%d %s", ended[status], status))
	}
	return answer{fmt.Sprintf("%d changes (%s); bundle %s.", len(r.Results), strings.Join(words, ", "), r.BundleID),
		map[string]any{"result": raw}}, nil
}

func listBackups(ctx context.Context, c *client.Client, in Page) (answer, error) {
	body, items, err := listed(ctx, in, url.Values{}, "backups", backupOf, c.Backups)
	return answer{fmt.Sprintf("%d backups.", len(items)), body}, err
}
