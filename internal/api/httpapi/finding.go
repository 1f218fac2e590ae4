package httpapi

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// FindingFields are the filters of every list of findings. Values of one field combine with OR,
// fields with AND.
type FindingFields struct {
	Result   string `query:"result" json:"result,omitempty" doc:"Results, parted by commas, or all. Default FAIL,WARNING,UNKNOWN."`
	Severity string `query:"severity" json:"severity,omitempty"`
	Category string `query:"category" json:"category,omitempty"`
	Check    string `query:"check" json:"check,omitempty"`
	Zone     string `query:"zone" json:"zone,omitempty" doc:"Zone id or name."`
	Resource string `query:"resource" json:"resource,omitempty" doc:"Resource id."`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in message, resource name or check id."`
}

// FindingQuery asks for one page of findings.
type FindingQuery struct {
	FindingFields
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor"`
}

func (in FindingFields) filter() (f store.FindingFilter, err error) {
	if f.Results, err = parseResults(in.Result); err != nil {
		return f, err
	}
	if f.Severities, err = valuesOf("severity", in.Severity, posture.ParseSeverity); err != nil {
		return f, err
	}
	if f.Categories, err = valuesOf("category", in.Category, posture.ParseCategory); err != nil {
		return f, err
	}
	if f.Checks, err = valuesOf("check", in.Check, parseCheck); err != nil {
		return f, err
	}
	f.Zones, f.Resources, f.Text = zonesIn(in.Zone), words(in.Resource), searched(in.Text)
	return f, nil
}

// parseCheck parses the id of a check, which an older catalogue may have had.
func parseCheck(s string) (string, error) {
	if id := strings.ToUpper(s); regexp.MustCompile(`^CFL-[A-Z0-9]+-\d{3}$`).MatchString(id) {
		return id, nil
	}
	return "", fmt.Errorf("%q is no id of a check; ids look like CFL-SSL-002, and GET /api/checks lists them", clip(s))
}

// zonesIn parses ids and names of zones. Runs keep names in ASCII and lower case; Cloudflare's pages show
// people the other form.
func zonesIn(list string) []string {
	out := words(list)
	for _, w := range out {
		if kept := strings.ToLower(strings.TrimSuffix(snapshot.ASCII(w), ".")); kept != w {
			out = append(out, kept)
		}
	}
	return out
}

// searched returns a text to search for: what looks like a hostname in the form in which runs keep it.
func searched(text string) string {
	if strings.Contains(text, ".") && !strings.ContainsFunc(text, unicode.IsSpace) {
		return snapshot.ASCII(text)
	}
	return text
}

func (in FindingQuery) page() store.Page { return store.Page{Limit: in.Limit, Cursor: in.Cursor} }

type latestFindingsInput struct {
	FindingQuery
	Sort      string `query:"sort" enum:"severity,check,resource,zone,account,oldest,newest" default:"severity"`
	Exception string `query:"exception" enum:"hidden,shown,only" default:"hidden"`
	Account   string `query:"account" doc:"Provider account id, or a registered account's id or name."`
	Status    string `query:"status"`
}

type latestFindingsOutput struct {
	Body struct {
		Items      []store.LatestFinding `json:"items"`
		NextCursor string                `json:"nextCursor"`
		Hidden     int                   `json:"hidden" doc:"Findings with an exception that match the other filters."`
	}
}

// latestFindings lists the current findings of all accounts.
func latestFindings(s *Server, ctx context.Context, in *latestFindingsInput) (*latestFindingsOutput, error) {
	f, err := s.latestFilter(ctx, in)
	if err != nil {
		return nil, err
	}
	rows, next, err := s.o.Store.LatestFindings(ctx, f, in.page())
	if err != nil {
		return nil, fmt.Errorf("list the findings: %w", err)
	}
	out := &latestFindingsOutput{}
	out.Body.Items, out.Body.NextCursor = notNil(rows), next
	active, err := s.o.Store.ActiveExceptions(ctx, f.Now)
	if err != nil || len(active) == 0 {
		return out, err
	}
	f.Excepted = store.ExceptedOnly
	if out.Body.Hidden, err = s.o.Store.CountLatest(ctx, f); err != nil {
		return nil, fmt.Errorf("count the accepted findings: %w", err)
	}
	return out, nil
}

func (s *Server) latestFilter(ctx context.Context, in *latestFindingsInput) (f store.LatestFilter, err error) {
	if f.FindingFilter, err = in.filter(); err != nil {
		return f, err
	}
	f.Now, f.Order = s.now(), orderOf(in.Sort)
	switch in.Exception {
	case "", "hidden":
		f.Excepted = store.ExceptedHidden
	case "only":
		f.Excepted = store.ExceptedOnly
	}
	if in.Status == "" && slices.ContainsFunc(f.Results, posture.Result.Passes) {
		in.Status = "all" // what passes is resolved
	}
	if f.Statuses, err = parseStatuses(in.Status); err != nil {
		return f, err
	}
	if slices.Contains(f.Statuses, posture.StatusResolved) && len(words(in.Result)) == 0 {
		f.Results, f.Opened = nil, true
	}
	f.Accounts, err = s.accountKeys(ctx, in.Account)
	return f, err
}

// orderOf converts the sort parameter, which the schema has already checked against its enum.
func orderOf(sort string) store.FindingOrder {
	if sort == "severity" {
		return store.OrderSeverity
	}
	return store.FindingOrder(sort)
}

func openStatuses() []posture.FindingStatus {
	return []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}
}

// parseStatuses reads a comma-separated list of statuses. Empty means open and reopened.
func parseStatuses(s string) ([]posture.FindingStatus, error) {
	all := append(openStatuses(), posture.StatusResolved)
	if s == "all" {
		return all, nil
	}
	if len(words(s)) == 0 {
		return openStatuses(), nil
	}
	return valuesOf("status", s, among("status", all...))
}

// shownSightings is how many runs the history of a finding covers.
const shownSightings = 100

// FindingDetail is a finding with its history.
type FindingDetail struct {
	store.LatestFinding
	History []store.Sighting `json:"history" doc:"The newest 100 runs that hold the finding, newest first."`

	AttackPaths []posture.AttackPath `json:"attackPaths" doc:"The attack paths it is on, by the last run that holds it; none once resolved."`
}

type findingInput struct {
	ID string `path:"id" doc:"Id of the finding: 32 hexadecimal digits."`
}

func getFinding(s *Server, ctx context.Context, in *findingInput) (*answer[FindingDetail], error) {
	if !findingID.MatchString(in.ID) {
		return nil, posture.Invalid("path.id", fmt.Sprintf("%q is not the id of a finding, which is 32 hexadecimal digits", clip(in.ID)),
			clip(in.ID))
	}
	latest, err := s.o.Store.LatestFinding(ctx, in.ID, s.now())
	if errors.Is(err, store.ErrNotFound) {
		return nil, posture.Problemf(posture.CodeNotFound, "There is no finding %s; GET /api/findings lists all.", in.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("load the finding: %w", err)
	}
	out := &answer[FindingDetail]{Body: FindingDetail{LatestFinding: latest, AttackPaths: []posture.AttackPath{}}}
	if out.Body.History, err = s.o.Store.Sightings(ctx, in.ID, shownSightings); err != nil {
		return nil, fmt.Errorf("load the history of the finding: %w", err)
	}
	if latest.Status == posture.StatusResolved || len(latest.AttackPathIDs) == 0 {
		return out, nil
	}
	paths, err := s.o.Store.Paths(ctx, latest.AssessmentID)
	if err != nil {
		return nil, fmt.Errorf("load the attack paths of the finding: %w", err)
	}
	for p, err := range paths {
		if err != nil {
			return nil, fmt.Errorf("read the attack paths of the finding: %w", err)
		}
		if slices.Contains(latest.AttackPathIDs, p.ID) {
			out.Body.AttackPaths = append(out.Body.AttackPaths, p)
		}
	}
	return out, nil
}
