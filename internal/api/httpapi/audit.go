package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type auditInput struct {
	Since   time.Time `query:"since" doc:"At or after this instant (RFC 3339)."`
	Until   time.Time `query:"until" doc:"Before this instant (RFC 3339)."`
	Action  string    `query:"action" maxLength:"1000" doc:"One action or several, with commas."`
	Outcome string    `query:"outcome" maxLength:"100" doc:"admitted, refused, succeeded, failed; several with commas."`
	Actor   string    `query:"actor" maxLength:"1000" doc:"One actor or several, with commas."`
	Verify  bool      `query:"verify" doc:"Walks the whole chain and tells in verified whether it holds."`
	Noted   string    `query:"noted" maxLength:"100" doc:"With verify: an earlier head (seq:hash), to be in the chain or before its start."`
	Limit   int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor  string    `query:"cursor"`
}

// AuditLog is a page of the audit log, with the state of the whole log.
type AuditLog struct {
	Items      []audit.Entry `json:"items" doc:"Newest first."`
	NextCursor string        `json:"nextCursor"`
	Head       audit.Head    `json:"head" doc:"The newest entry. Note it elsewhere: it proves later that nothing before it was changed."`
	Verified   *bool         `json:"verified" nullable:"true" doc:"Whether the chain holds; null when nobody asked."`
	Broken     string        `json:"broken,omitempty" doc:"Where the chain does not hold."`
}

func getAudit(s *Server, ctx context.Context, in *auditInput) (*answer[AuditLog], error) {
	f := store.AuditFilter{Since: in.Since, Until: in.Until, Actions: words(in.Action), Actors: words(in.Actor)}
	var err error
	outcomes := among("outcome", audit.Admitted, audit.Refused, audit.Succeeded, audit.Failed)
	if f.Outcomes, err = valuesOf("outcome", in.Outcome, outcomes); err != nil {
		return nil, err
	}
	var noted audit.Head
	if in.Noted != "" {
		if noted, err = audit.ParseHead(in.Noted); err != nil {
			return nil, posture.Invalid("query.noted", err.Error(), clip(in.Noted))
		}
	}
	rows, next, err := s.o.Store.Audit(ctx, f, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, fmt.Errorf("list the audit log: %w", err)
	}
	out := &answer[AuditLog]{AuditLog{Items: rows, NextCursor: next}}
	if !in.Verify {
		if out.Body.Head, err = s.o.Store.AuditHead(ctx); err != nil {
			return nil, fmt.Errorf("read the head of the audit log: %w", err)
		}
		return out, nil
	}
	holds := true
	out.Body.Head, err = store.VerifyAudit(ctx, s.o.Store, noted)
	if broken, ok := errors.AsType[*audit.BrokenError](err); ok {
		holds, out.Body.Broken, err = false, broken.Error(), nil
	}
	out.Body.Verified = &holds
	return out, err
}
