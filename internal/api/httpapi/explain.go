package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/store"
)

type explainInput struct {
	URL string `query:"url" required:"true" maxLength:"4000" doc:"The address, such as shop.example.com/login; https unless it says http."`

	Method    string `query:"method" maxLength:"20" default:"GET" doc:"GET when absent."`
	Source    string `query:"source" maxLength:"60" doc:"The address of the visitor, or a range."`
	Country   string `query:"country" maxLength:"2" doc:"Where the visitor is: two letters, as in ISO 3166-1."`
	UserAgent string `query:"userAgent" maxLength:"1000"`

	Header       []string `query:"header,explode" maxItems:"20" doc:"A header as Name: value; only these and those of browsers are sent."`
	AssessmentID string   `query:"assessmentId" doc:"UUID. Default: the newest assessment of the host's account that was not narrowed."`
}

// getExplain follows one request through the configuration that an assessment read. It sends
// nothing to the provider.
func getExplain(s *Server, ctx context.Context, in *explainInput) (*answer[explain.Explanation], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	id, zone, err := s.assessedZone(ctx, in.AssessmentID, q.Host())
	if err != nil {
		return nil, err
	}
	snap, err := s.snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(snap.Zones, func(z snapshot.Zone) bool { return z.ID == zone })
	if i < 0 {
		return nil, posture.Problemf(posture.CodeConflict, "What assessment %s read of the zone is no longer kept, so nothing can be explained.",
			id)
	}
	out := explain.Of(snap, snap.Zones[i], q)
	out.AssessmentID = id
	filters := []store.FindingFilter{{Zones: []string{zone}}}
	if ids := out.IDs(); len(ids) > 0 {
		filters = append(filters, store.FindingFilter{Resources: ids})
	}
	var findings []posture.Finding
	for _, f := range filters {
		f.Results = []posture.Result{posture.Fail, posture.Warning}
		found, _, err := s.o.Store.Findings(ctx, id, f, store.Page{})
		if err != nil {
			return nil, fmt.Errorf("load the findings of the zone: %w", err)
		}
		findings = append(findings, found...)
	}
	out.Mark(findings)
	return &answer[explain.Explanation]{out}, nil
}

// query parses the description of the request.
func (in *explainInput) query() (q explain.Query, err error) {
	invalid := func(where, message string, value any) error { return posture.Invalid("query."+where, message, value) }
	text := strings.TrimSpace(in.URL)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err == nil && u.Port() != "" {
		_, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return q, invalid("url", "must be an address of a web site, such as https://shop.example.com/login", in.URL)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	q = explain.Query{URL: u, Method: strings.ToUpper(in.Method), Country: strings.ToUpper(in.Country), Header: http.Header{}}
	if !regexp.MustCompile(`^[A-Z]+$`).MatchString(q.Method) {
		return q, invalid("method", "must be a method of HTTP, such as GET", in.Method)
	}
	if q.Country != "" && !regexp.MustCompile(`^[A-Z][A-Z0-9]$`).MatchString(q.Country) {
		return q, invalid("country", "must be two letters, such as DE", in.Country)
	}
	if in.Source != "" {
		if q.Source, err = netip.ParsePrefix(in.Source); err != nil {
			one, bad := netip.ParseAddr(in.Source)
			if bad != nil || one.Zone() != "" {
				return q, invalid("source", "must be an address or a range, such as 203.0.113.7 or 203.0.113.0/24", in.Source)
			}
			q.Source = netip.PrefixFrom(one, one.BitLen())
		}
		q.Source = q.Source.Masked()
	}
	for _, h := range in.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok || !regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$").MatchString(name) {
			return q, invalid("header", "must be Name: value, such as X-Key: k1", nil)
		}
		q.Header.Add(name, strings.TrimSpace(value))
	}
	if in.UserAgent != "" {
		q.Header.Set("User-Agent", in.UserAgent)
	}
	return q, nil
}

// assessedZone finds the zone of a host, the one with the longest matching name: in the given
// assessment, or in the newest whole assessments of all accounts.
func (s *Server) assessedZone(ctx context.Context, assessmentID, host string) (id, zone string, err error) {
	var runs []posture.AssessmentSummary
	if assessmentID != "" {
		a, err := s.saved(ctx, "query.assessmentId", assessmentID)
		if err != nil {
			return "", "", err
		}
		runs = append(runs, a.AssessmentSummary)
	} else if runs, err = s.newestOfEach(ctx); err != nil {
		return "", "", err
	}
	longest := ""
	var names []string
	for _, a := range runs {
		for _, z := range a.Zones {
			if names = append(names, z.Name); len(z.Name) > len(longest) && (host == z.Name || strings.HasSuffix(host, "."+z.Name)) {
				id, zone, longest = a.ID, z.ID, z.Name
			}
		}
	}
	if longest != "" {
		return id, zone, nil
	}
	for _, a := range runs[:min(len(runs), snapshotsKept)] { // more would evict each other from the cache
		snap, err := s.snapshot(ctx, a.ID)
		if err != nil {
			continue // its snapshot is no longer kept
		}
		if zone := servedFor(snap, host); zone != "" {
			return a.ID, zone, nil
		}
	}
	return "", "", notAssessed(host, names)
}

// servedFor returns the id of the zone that serves host as a custom hostname of a customer, or "".
func servedFor(snap *snapshot.Snapshot, host string) string {
	for _, z := range snap.Zones {
		customers, _ := snapshot.Read(snap, snapshot.ZoneCustomHostnames, z.ID)
		if slices.ContainsFunc(customers, func(c snapshot.CustomHostname) bool {
			return !c.Gone() && (strings.EqualFold(host, c.Hostname) || c.Wildcard && exposure.Within(host, c.Hostname))
		}) {
			return z.ID
		}
	}
	return ""
}

// Bounds of the search for runs of accounts that are not registered.
const (
	runsAtOnce = 50
	mostRuns   = 1000
)

// newestOfEach returns the newest whole assessment of each account, or its newest one when none is whole. Accounts that
// are not registered are found among the newest runs of all.
func (s *Server) newestOfEach(ctx context.Context) ([]posture.AssessmentSummary, error) {
	accounts, err := s.o.Store.Accounts(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the accounts: %w", err)
	}
	ids := make([]string, len(accounts))
	for i, a := range accounts {
		ids[i] = a.ID
	}
	newest := map[string]posture.AssessmentSummary{}
	consider := func(a posture.AssessmentSummary) {
		old, is := newest[a.Account.ID]
		whole, before := a.Scope.Whole(), old.Scope.Whole()
		if !is || whole && !before || whole == before && a.CompletedAt.After(old.CompletedAt) {
			newest[a.Account.ID] = a
		}
	}
	if len(ids) > 0 {
		latest, err := s.o.Store.LatestSummaries(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("look for the newest assessments: %w", err)
		}
		for _, a := range latest {
			if a, err = s.newestWhole(ctx, a); err != nil {
				return nil, err
			}
			consider(a)
		}
	}
	page := store.Page{Limit: runsAtOnce}
	for n := 0; n == 0 || n < mostRuns && len(ids) == 0 && page.Cursor != ""; n += runsAtOnce {
		rows, next, err := s.o.Store.Assessments(ctx, store.AssessmentFilter{Status: []posture.AssessmentStatus{posture.Completed,
			posture.CompletedWithGaps}}, page)
		if err != nil {
			return nil, fmt.Errorf("list the newest assessments: %w", err)
		}
		for _, a := range rows {
			consider(a)
		}
		page.Cursor = next
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b posture.AssessmentSummary) int {
		return b.CompletedAt.Compare(a.CompletedAt)
	}), nil
}

// newestWhole returns the newest whole assessment of the account of its newest one, or that when none is whole.
func (s *Server) newestWhole(ctx context.Context, newest posture.AssessmentSummary) (posture.AssessmentSummary, error) {
	if newest.Scope.Whole() {
		return newest, nil
	}
	id, err := s.o.Store.NewestWhole(ctx, newest.Account.ID)
	var whole posture.Assessment
	if err == nil {
		whole, err = s.o.Store.Assessment(ctx, id)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return newest, nil
	case err != nil:
		return newest, fmt.Errorf("look for the newest whole assessment: %w", err)
	default:
		return whole.AssessmentSummary, nil
	}
}

// notAssessed is the problem of a host outside all assessed zones, which it names.
func notAssessed(host string, zones []string) error {
	const most = 20
	slices.Sort(zones)
	if zones = slices.Compact(zones); len(zones) == 0 {
		return posture.Problemf(posture.CodeNotAssessed, "No zone has been assessed yet; start an assessment with POST /api/assess.")
	}
	more := ""
	if len(zones) > most {
		more = fmt.Sprintf(" and %d more", len(zones)-most)
		zones = zones[:most]
	}
	return posture.Problemf(posture.CodeNotAssessed, "No assessed zone has the host %s; those assessed are %s%s.", host,
		strings.Join(zones, ", "), more)
}

// snapshotsKept is how many snapshots stay in memory for repeated questions about an assessment;
// one of 1,000 zones takes some 60 MB.
const snapshotsKept = 2

// snapshot returns the snapshot of an assessment.
func (s *Server) snapshot(ctx context.Context, id string) (*snapshot.Snapshot, error) {
	a, err := s.saved(ctx, "query.assessmentId", id)
	if err != nil {
		return nil, err
	}
	past, err := s.past(ctx, a)
	if err != nil {
		return nil, err
	}
	return s.then(ctx, past)
}

// then returns the snapshot of a past run.
func (s *Server) then(ctx context.Context, past assess.Past) (*snapshot.Snapshot, error) {
	id := past.Assessment.ID
	if snap, ok := s.snapshots.Get(id); ok {
		return snap, nil
	}
	snap, err := s.o.Remedy.Runner.Snapshot(ctx, past)
	if err != nil {
		return nil, err
	}
	s.snapshots.Add(id, snap)
	return snap, nil
}
