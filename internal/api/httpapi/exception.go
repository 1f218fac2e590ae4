package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
)

type listExceptionsInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor"`
}

type listExceptionsOutput page[posture.Exception]

func listExceptions(s *Server, ctx context.Context, in *listExceptionsInput) (*listExceptionsOutput, error) {
	rows, next, err := s.o.Store.Exceptions(ctx, s.now(), store.Page{Limit: in.Limit, Cursor: in.Cursor})
	return (*listExceptionsOutput)(pageOf(rows, next, itself)), err
}

// ExceptionScope selects the findings that an exception covers.
type ExceptionScope struct {
	Account string `json:"account,omitempty" maxLength:"200" doc:"Id or name of a registered account, or a provider account id. Default all."`

	Match posture.ExceptionMatch `json:"match" doc:"The values of one field combine with OR, the fields with AND. At least one must narrow."`

	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"Its end, at most 400 days ahead. Recommended; without it only a revocation ends it."`
}

type postExceptionInput struct {
	OnceHeader
	Body struct {
		ExceptionScope
		Reason string `json:"reason" maxLength:"1000" doc:"Why the risk is accepted."`
		Owner  string `json:"owner" maxLength:"1000" doc:"Who answers for it."`
	}
}

// ExceptionMade is a new exception with a preview of what it hides.
type ExceptionMade struct {
	posture.Exception
	Preview exception.Preview `json:"preview"`
}

func postException(s *Server, ctx context.Context, in *postExceptionInput) (*object[ExceptionMade], error) {
	b := in.Body
	e, err := s.exception(ctx, b.ExceptionScope, b.Reason, b.Owner)
	if err != nil {
		return nil, err
	}
	preview, err := s.preview(ctx, e)
	if err != nil {
		return nil, err
	}
	call, err := onceOf(ctx, in.OnceHeader, b)
	if err != nil {
		return nil, err
	}
	e.ID, e.CreatedAt = s.o.NewID(), s.now()
	made, added, err := s.o.Store.AddException(ctx, e, call.Key, call.BodyHash)
	if errors.Is(err, store.ErrIdempotencyConflict) {
		return nil, keyConflict()
	}
	if err != nil {
		return nil, fmt.Errorf("keep the exception: %w", err)
	}
	if !added {
		s.o.Log.Info("an exception was asked for again", "exception", made.ID)
	}
	return &object[ExceptionMade]{Status: http.StatusCreated, Location: "/api/exceptions/" + made.ID, Body: ExceptionMade{Exception: made,
		Preview: preview}}, nil
}

// exception validates the exception that a caller asks for.
func (s *Server) exception(ctx context.Context, in ExceptionScope, reason, owner string) (posture.Exception, error) {
	e, err := exception.Check(posture.Exception{Account: in.Account, Match: in.Match, Reason: reason, Owner: owner, ExpiresAt: in.ExpiresAt},
		s.checkIDs(), s.now())
	if err == nil {
		err = errors.Join(showable("body.reason", e.Reason), showable("body.owner", e.Owner))
	}
	if err == nil && e.Account == "" && scoped.Narrowed(ctx) {
		err = posture.Invalid("body.account", "name the account, because your role is for some accounts only", "")
	}
	if err == nil {
		e.Account, err = s.assessedAccount(ctx, "body.account", in.Account)
	}
	return e, err
}

// assessedAccount returns the provider's id of a registered account or of one that was assessed,
// and "" for "".
func (s *Server) assessedAccount(ctx context.Context, location, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	a, err := s.find(ctx, ref)
	var problem *posture.Problem
	switch {
	case err == nil:
		return cmp.Or(a.ProviderID, a.ID), nil
	case !errors.As(err, &problem):
		return "", fmt.Errorf("look up the account: %w", err)
	}
	_, err = s.o.Store.Pick(ctx, "", ref)
	if errors.Is(err, store.ErrNotFound) {
		return "", posture.Invalid(location, fmt.Sprintf("there is no registered account %q and no assessment of a provider account with "+
			"this id; GET /api/accounts lists the registered ones", clip(ref)), clip(ref))
	}
	return ref, err
}

func (s *Server) checkIDs() []string {
	ids := make([]string, 0, len(s.o.Checks))
	for _, c := range s.o.Checks {
		ids = append(ids, c.ID)
	}
	return ids
}

type previewExceptionInput struct {
	Body struct {
		ExceptionScope
		Reason string `json:"reason,omitempty" maxLength:"1000"`
		Owner  string `json:"owner,omitempty" maxLength:"1000"`
	}
}

// previewException returns what an exception would hide; reason and owner may be missing.
func previewException(s *Server, ctx context.Context, in *previewExceptionInput) (*answer[exception.Preview], error) {
	e, err := s.exception(ctx, in.Body.ExceptionScope, "preview", "preview")
	if err != nil {
		return nil, err
	}
	p, err := s.preview(ctx, e)
	return &answer[exception.Preview]{p}, err
}

// preview sums up the open findings that the exception would match and the attack paths they are on.
func (s *Server) preview(ctx context.Context, e posture.Exception) (exception.Preview, error) {
	p := newPreviewing()
	f := store.LatestFilter{Statuses: openStatuses()}
	f.Checks, f.Severities, f.Resources = e.Match.CheckIDs, e.Match.Severities, e.Match.ResourceIDs
	if e.Account != "" {
		f.Accounts = []string{e.Account}
	}
	for found, err := range store.EachLatest(ctx, s.o.Store, f) {
		if err != nil {
			return p.Preview, err
		}
		if exception.Accepts(found.Result) && exception.Matches(e.Match, &found.Finding) {
			p.add(&found)
		}
	}
	return s.previewed(ctx, p)
}

// previewing is a preview whose attack paths are not loaded yet.
type previewing struct {
	exception.Preview
	onPaths map[string]map[string]bool // finding ids on attack paths, by assessment
}

func newPreviewing() *previewing {
	return &previewing{exception.NewPreview(), map[string]map[string]bool{}}
}

func (p *previewing) add(found *store.LatestFinding) {
	p.Add(found.Finding)
	if len(found.AttackPathIDs) == 0 {
		return
	}
	if p.onPaths[found.AssessmentID] == nil {
		p.onPaths[found.AssessmentID] = map[string]bool{}
	}
	p.onPaths[found.AssessmentID][found.ID] = true
}

// previewed completes a preview with the attack paths of its findings.
func (s *Server) previewed(ctx context.Context, p *previewing) (exception.Preview, error) {
	var paths []posture.AttackPath
	for assessment, findings := range p.onPaths {
		all, err := s.o.Store.Paths(ctx, assessment)
		if err != nil {
			return p.Preview, fmt.Errorf("load the attack paths: %w", err)
		}
		for path, err := range all {
			if err != nil {
				return p.Preview, fmt.Errorf("read the attack paths: %w", err)
			}
			if slices.ContainsFunc(path.FindingIDs, func(id string) bool { return findings[id] }) {
				paths = append(paths, path)
			}
		}
	}
	p.Close(paths)
	return p.Preview, nil
}

// revokeException ends an exception, which shows its findings again at once; the row is kept.
func revokeException(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
	return deleting("exception", "/api/exceptions", func(st store.Store, ctx context.Context, id string) error {
		return st.RevokeException(ctx, id, s.now())
	})(s, ctx, in)
}
