package httpapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// OwnershipBody is the current ownership rules.
type OwnershipBody struct {
	issue.Ownership
	Revision int64 `json:"revision" doc:"Grows with each change; 0 while the defaults hold."`
}

func getOwnership(s *Server, ctx context.Context, _ *struct{}) (*answer[OwnershipBody], error) {
	o, revision, err := s.o.Store.Ownership(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the rules of ownership: %w", err)
	}
	return &answer[OwnershipBody]{OwnershipBody{o, revision}}, nil
}

type putOwnershipInput struct {
	Body struct {
		issue.Ownership
		Revision *int64 `json:"revision,omitempty" doc:"As it was read: 409 when somebody else has changed the rules since."`
	}
}

// putOwnership replaces the rules of ownership.
func putOwnership(s *Server, ctx context.Context, in *putOwnershipInput) (*answer[OwnershipBody], error) {
	o := in.Body.Ownership
	for i := range o.Rules {
		if err := s.rule(ctx, fmt.Sprintf("body.rules[%d].", i), &o.Rules[i]); err != nil {
			return nil, err
		}
	}
	_, revision, err := s.o.Store.Ownership(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the rules of ownership: %w", err)
	}
	if in.Body.Revision != nil {
		revision = *in.Body.Revision
	}
	err = s.o.Store.SetOwnership(ctx, o, revision)
	if errors.Is(err, store.ErrChanged) {
		return nil, posture.Problemf(posture.CodeConflict,
			"The rules were changed by somebody else since they were read; read them again and repeat the change.")
	}
	if err != nil {
		return nil, fmt.Errorf("keep the rules of ownership: %w", err)
	}
	return &answer[OwnershipBody]{OwnershipBody{o, revision + 1}}, nil
}

// rule validates a rule and normalizes it.
func (s *Server) rule(ctx context.Context, at string, r *issue.Rule) (err error) {
	if r.Owner, err = nameOf(at+"owner", r.Owner); err != nil {
		return err
	}
	if r.Owner == "" {
		return posture.Invalid(at+"owner", "the owner has no visible character; name a team or a person", nil)
	}
	if r.Category != "" && !slices.Contains(posture.Categories(), r.Category) {
		return posture.Invalid(at+"category", fmt.Sprintf("category %q is unknown; GET /api/checks names them", clip(string(r.Category))),
			clip(string(r.Category)))
	}
	r.Zone, r.Label = strings.TrimSpace(r.Zone), strings.TrimSpace(r.Label)
	if r.Label != "" && !labelWord.MatchString(r.Label) {
		return posture.Invalid(at+"label", notALabel, clip(r.Label))
	}
	r.Account, err = s.assessedAccount(ctx, at+"account", strings.TrimSpace(r.Account))
	return err
}
