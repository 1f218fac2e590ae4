package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// RunFindingQuery is what the findings of one run are filtered by.
type RunFindingQuery struct {
	FindingQuery
	Status     string `query:"status" doc:"open, reopened, resolved, as of the run, parted by commas. Default: all."`
	Remediable string `query:"remediable" enum:"yes,no" doc:"Whether the service can make the change."`
	Exception  string `query:"exception" enum:"hidden,shown,only" default:"shown" doc:"What happens to findings whose risk the run found accepted: shown lists them among the others, hidden leaves them out, only lists nothing else."`
}

// filter reads the query. A category, check or zone after a minus is left out.
func (in RunFindingQuery) filter() (f store.RunFilter, err error) {
	q := in.FindingFields
	q.Category, q.Check, q.Zone = "", "", ""
	without := q
	q.Category, without.Category = parted(in.Category)
	q.Check, without.Check = parted(in.Check)
	q.Zone, without.Zone = parted(in.Zone)
	if f.FindingFilter, err = q.filter(); err != nil {
		return f, err
	}
	if f.Without, err = without.filter(); err != nil {
		return f, err
	}
	if in.Status != "" {
		if f.Statuses, err = parseStatuses(in.Status); err != nil {
			return f, err
		}
	}
	if in.Remediable != "" {
		yes := in.Remediable == "yes"
		f.Remediable = &yes
	}
	switch in.Exception {
	case "hidden":
		f.Excepted = store.ExceptedHidden
	case "only":
		f.Excepted = store.ExceptedOnly
	}
	return f, nil
}

// of reads the id of the run and the query.
func (in RunFindingQuery) of(raw string) (id string, f store.RunFilter, err error) {
	if id, err = parseID("path.id", raw); err == nil {
		f, err = in.filter()
	}
	return id, f, err
}

// parted tells words from those after a minus.
func parted(s string) (with, without string) {
	var in, out []string
	for _, w := range words(s) {
		if rest, left := strings.CutPrefix(w, "-"); left {
			out = append(out, rest)
		} else {
			in = append(in, w)
		}
	}
	return strings.Join(in, ","), strings.Join(out, ",")
}

type listFindingsInput struct {
	RunFindingQuery
	Facets bool   `query:"facets" doc:"Also count, for each value of each field, what would be listed if that field asked for it."`
	ID     string `path:"id"`
}

type listFindingsOutput struct {
	Body struct {
		Items      []posture.Finding `json:"items"`
		NextCursor string            `json:"nextCursor"`
		Counts     map[string]int    `json:"counts" doc:"Findings of each result that match the other filters."`
		Facets     *store.Facets     `json:"facets,omitempty" doc:"When asked for."`
	}
}

func listFindings(s *Server, ctx context.Context, in *listFindingsInput) (*listFindingsOutput, error) {
	id, f, err := in.of(in.ID)
	if err != nil {
		return nil, err
	}
	rows, next, err := s.o.Store.RunFindings(ctx, id, f, in.page())
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.missing(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("list the findings: %w", err)
	}
	out := &listFindingsOutput{}
	out.Body.Items, out.Body.NextCursor, out.Body.Counts = notNil(rows), next, map[string]int{}
	counts, err := s.runCounts(ctx, id, f, in.Facets, &out.Body.Facets)
	if err != nil {
		return nil, fmt.Errorf("count the findings: %w", err)
	}
	for _, r := range posture.Results() {
		out.Body.Counts[string(r)] = counts[r]
	}
	return out, nil
}

// runCounts counts by result, from the facets when these are wanted or nothing cheaper knows.
func (s *Server) runCounts(ctx context.Context, id string, f store.RunFilter, wanted bool, facets **store.Facets) (map[posture.Result]int, error) {
	if !wanted && f.Plain() {
		f.Results = nil
		return s.o.Store.CountFindings(ctx, id, f.FindingFilter)
	}
	all, err := s.o.Store.RunFacets(ctx, id, f)
	if wanted {
		*facets = &all
	}
	return all.Result, err
}

type groupFindingsInput struct {
	RunFindingQuery
	By string `query:"by" enum:"check,zone,resource" required:"true" doc:"What the findings of a group have in common."`
	ID string `path:"id"`
}

type groupFindingsOutput struct {
	Body struct {
		Items      []store.FindingGroup `json:"items"`
		NextCursor string               `json:"nextCursor"`
		Total      int                  `json:"total" doc:"How many groups there are."`
	}
}

// groupFindings parts what listFindings lists.
func groupFindings(s *Server, ctx context.Context, in *groupFindingsInput) (*groupFindingsOutput, error) {
	id, f, err := in.of(in.ID)
	if err != nil {
		return nil, err
	}
	rows, total, next, err := s.o.Store.RunGroups(ctx, id, f, store.Grouping(in.By), in.page())
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.missing(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("group the findings: %w", err)
	}
	out := &groupFindingsOutput{}
	out.Body.Items, out.Body.NextCursor, out.Body.Total = notNil(rows), next, total
	return out, nil
}
