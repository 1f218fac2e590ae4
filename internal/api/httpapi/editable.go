package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type editableInput struct {
	ID       string `path:"id"`
	Check    string `query:"check" required:"true" maxLength:"40" doc:"Of the finding."`
	Resource string `query:"resource" required:"true" maxLength:"500" doc:"Id of the resource of the finding."`
}

// EditableCall is an API call that writes an object which a finding looks at.
type EditableCall struct {
	Method string          `json:"method" enum:"POST,PUT,PATCH,DELETE"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body" doc:"What was read, to be edited."`
}

type editableOutput struct {
	Body struct {
		Items []EditableCall `json:"items" doc:"In the order of the evidence; empty when no known call writes what the finding looks at."`
	}
}

// getEditable returns the calls to start from when somebody wants to know what another value would change.
func getEditable(s *Server, ctx context.Context, in *editableInput) (*editableOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	snap, err := s.snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	findings, _, err := s.o.Store.Findings(ctx, id, store.FindingFilter{Checks: []string{in.Check}, Resources: []string{in.Resource}},
		store.Page{})
	if err != nil {
		return nil, fmt.Errorf("load the finding: %w", err)
	}
	if len(findings) == 0 {
		return nil, posture.Problemf(posture.CodeNotFound, "Assessment %s has no finding of %s on %s.", id, clip(in.Check), clip(in.Resource))
	}
	out := &editableOutput{}
	out.Body.Items = []EditableCall{}
	for _, c := range whatif.Editable(snap, findings[0]) {
		out.Body.Items = append(out.Body.Items, EditableCall{c.Method, c.Path, c.Body})
	}
	return out, nil
}
