package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/document"
	"github.com/edgeposture/edgeposture/internal/store"
)

type latestInput struct {
	Account string `query:"account" doc:"Provider account id, or a registered account's id or name."`
	Result  string `query:"result" doc:"Results to list, parted by commas; all lists every one. Default FAIL,WARNING,UNKNOWN."`
}

type assessmentOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Cache  string `header:"Cache-Control"`
	Body   any
}

func getLatest(s *Server, ctx context.Context, in *latestInput) (*assessmentOutput, error) {
	a, err := s.pick(ctx, Choice{Account: in.Account})
	if err != nil {
		return nil, err
	}
	want, err := parseResults(in.Result)
	if err != nil {
		return nil, err
	}
	body, err := s.assessment(ctx, a.ID, want)
	if err != nil {
		return nil, err
	}
	return &assessmentOutput{Status: 200, Body: body}, nil
}

// accountKey resolves the account of a filter to the provider's id, or to its own id while the
// provider's is not known; "" for "".
func (s *Server) accountKey(ctx context.Context, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	a, err := s.filterAccount(ctx, ref)
	return cmp.Or(a.ProviderID, a.ID), err
}

// accountKeys is accountKey for the accounts that a filter lists, parted by commas.
func (s *Server) accountKeys(ctx context.Context, refs string) (out []string, err error) {
	for _, ref := range words(refs) {
		key, err := s.accountKey(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, key)
	}
	return out, nil
}

// filterAccount returns the account that a filter names by an id, its name or the word default. What
// looks like an id but is none of a registered account may be of one that was deleted, whose
// assessments stay, or of a one-off.
func (s *Server) filterAccount(ctx context.Context, ref string) (posture.Account, error) {
	a, err := s.account(ctx, ref)
	if err == nil {
		return a, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return a, fmt.Errorf("look up the account: %w", err)
	}
	id, err := s.ofProvider(ctx, ref)
	switch {
	case err != nil:
		return a, err
	case id != "":
		return posture.Account{ID: id, ProviderID: ref}, nil
	case accountID.MatchString(ref):
		return posture.Account{ID: ref}, nil
	}
	return a, posture.Invalid("query.account", "There is no such account; GET /api/accounts lists them", clip(ref))
}

// accountID is Cloudflare's id of an account, or one of ours.
var accountID = regexp.MustCompile(`^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// assessment returns an assessment with its findings of the wanted results.
func (s *Server) assessment(ctx context.Context, id string, want []posture.Result) (*document.Document, error) {
	key := "assessment/" + id + resultTag(slices.Sorted(slices.Values(want)))
	return s.kept(ctx, s.documents, key, func(ctx context.Context, w io.Writer) error {
		a, err := s.saved(ctx, "path.id", id)
		if err != nil {
			return err
		}
		a.Findings = []posture.Finding{}
		if err := writeWith(w, a, store.Each(ctx, s.o.Store, id, store.FindingFilter{Results: want})); err != nil {
			return fmt.Errorf("write the assessment: %w", err)
		}
		return nil
	})
}

type assessmentInput struct {
	ID          string `path:"id" doc:"UUID of the assessment."`
	Result      string `query:"result" doc:"Results to list, parted by commas; all lists every one. Default FAIL,WARNING,UNKNOWN."`
	IfNoneMatch string `header:"If-None-Match"`
}

func getAssessment(s *Server, ctx context.Context, in *assessmentInput) (*assessmentOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	a, err := s.pick(ctx, Choice{AssessmentID: id})
	if err != nil {
		return nil, err
	}
	want, err := parseResults(in.Result)
	if err != nil {
		return nil, err
	}
	etag := fmt.Sprintf("%q", a.ID+resultTag(want))
	out := &assessmentOutput{Status: 200, ETag: etag, Cache: "private, no-cache"}
	if matchesETag(in.IfNoneMatch, etag) {
		out.Status = 304
		return out, nil
	}
	if out.Body, err = s.assessment(ctx, a.ID, want); err != nil {
		return nil, err
	}
	return out, nil
}

func resultTag(results []posture.Result) string {
	out := ""
	for _, r := range results {
		out += "-" + string(r)
	}
	return out
}

func matchesETag(header, etag string) bool {
	for t := range strings.SplitSeq(header, ",") {
		t = strings.TrimPrefix(strings.TrimSpace(t), "W/")
		if t == etag || t == "*" {
			return true
		}
	}
	return false
}

type listAssessmentsInput struct {
	Account string    `query:"account"`
	Status  string    `query:"status" doc:"completed, completed_with_gaps, or both parted by a comma."`
	Since   time.Time `query:"since" doc:"Completed at or after this instant (RFC 3339)."`
	Until   time.Time `query:"until" doc:"Completed before this instant."`
	Newest  bool      `query:"newest" doc:"Only the newest of each account; the other filters narrow these."`
	Limit   int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor  string    `query:"cursor"`
}

type listAssessmentsOutput struct {
	Body struct {
		Assessments []posture.AssessmentSummary `json:"assessments"`
		NextCursor  string                      `json:"nextCursor"`
	}
}

func listAssessments(s *Server, ctx context.Context, in *listAssessmentsInput) (*listAssessmentsOutput, error) {
	account, err := s.accountKey(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	f := store.AssessmentFilter{Account: account, Since: in.Since, Until: in.Until, Newest: in.Newest}
	for _, w := range words(in.Status) {
		st := posture.AssessmentStatus(w)
		if st != posture.Completed && st != posture.CompletedWithGaps {
			return nil, posture.Invalid("query.status", fmt.Sprintf("status %q is not completed or completed_with_gaps", w), w)
		}
		f.Status = append(f.Status, st)
	}
	out := &listAssessmentsOutput{}
	out.Body.Assessments, out.Body.NextCursor, err = s.summaries(ctx, f, in.Limit, in.Cursor)
	return out, err
}

const (
	// zonesListed bounds the zones of one list of assessments, each of which names all of its own: 1,000 runs of 1,000
	// zones are 150 MB.
	zonesListed = 50_000
	// summariesFirst is how many assessments are read to learn how many zones they have.
	summariesFirst = 20
)

// summaries lists assessments up to a limit, or up to the one with which they have zonesListed zones.
func (s *Server) summaries(ctx context.Context, f store.AssessmentFilter, limit int, cursor string) ([]posture.AssessmentSummary, string,
	error) {
	out, zones := []posture.AssessmentSummary{}, 0
	for n := min(limit, summariesFirst); ; n = min(limit-len(out), (zonesListed-zones)*len(out)/max(zones, 1)+1) {
		rows, next, err := s.o.Store.Assessments(ctx, f, store.Page{Limit: n, Cursor: cursor})
		if err != nil {
			return nil, "", fmt.Errorf("list the assessments: %w", err)
		}
		for _, a := range rows {
			zones += len(a.Zones)
		}
		out, cursor = append(out, rows...), next
		if next == "" || len(out) >= limit || zones >= zonesListed {
			return out, next, nil
		}
	}
}

// parseResults reads a comma-separated list of results. Empty means FAIL, WARNING and UNKNOWN.
func parseResults(s string) ([]posture.Result, error) {
	if s == "all" {
		return posture.Results(), nil
	}
	if len(words(s)) == 0 {
		return []posture.Result{posture.Fail, posture.Warning, posture.Unknown}, nil
	}
	return valuesOf("result", s, posture.ParseResult)
}

// valuesOf reads the values of a query parameter, parted by commas.
func valuesOf[T any](parameter, list string, parse func(string) (T, error)) (out []T, err error) {
	for _, w := range words(list) {
		v, err := parse(w)
		if err != nil {
			return nil, posture.Invalid("query."+parameter, err.Error(), w)
		}
		out = append(out, v)
	}
	return out, nil
}

// among parses a word of which there are only these.
func among[T ~string](what string, all ...T) func(string) (T, error) {
	return func(w string) (T, error) {
		if slices.Contains(all, T(w)) {
			return T(w), nil
		}
		known := make([]string, len(all))
		for i, v := range all {
			known[i] = string(v)
		}
		return "", fmt.Errorf("%s %q is not one of %s", what, w, strings.Join(known, ", "))
	}
}

func words(s string) []string {
	var out []string
	for w := range strings.SplitSeq(s, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

func parseID(location, s string) (string, error) {
	id, err := uuidOf(s)
	if err != nil {
		return "", posture.Invalid(location, err.Error(), clip(s))
	}
	return id, nil
}

func uuidOf(s string) (string, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 {
		return "", fmt.Errorf("%q is not a UUID; ids look like 0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f", clip(s))
	}
	return id.String(), nil
}

// orMissing turns store.ErrNotFound into a not-found problem, and wraps any other error.
func orMissing(err error, what, id, list string) error {
	if errors.Is(err, store.ErrNotFound) {
		return posture.Problemf(posture.CodeNotFound, "There is no %s %s; GET %s lists all.", what, id, list)
	}
	return fmt.Errorf("look for the %s: %w", what, err)
}

// byID parses the id in a path and loads that object. what and list name its kind and its list
// endpoint in problems.
func byID[T any](ctx context.Context, ref, what, list string, get func(ctx context.Context, id string) (T, error)) (out T, err error) {
	id, err := parseID("path.id", ref)
	if err != nil {
		return out, err
	}
	if out, err = get(ctx, id); err != nil {
		return out, orMissing(err, what, id, list)
	}
	return out, nil
}

func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}
