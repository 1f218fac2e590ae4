package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// RunFindingQuery filters the findings of one run.
type RunFindingQuery struct {
	FindingQuery
	Status     string `query:"status" doc:"open, reopened, resolved, as of the run, parted by commas. Default: all."`
	Remediable string `query:"remediable" enum:"yes,no" doc:"Whether the service can make the change."`
	Exception  string `query:"exception" enum:"hidden,shown,only" default:"shown"`
}

// filter converts the query. A category, check or zone with a leading minus is excluded.
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

// of parses the id of the run and converts the query.
func (in RunFindingQuery) of(raw string) (id string, f store.RunFilter, err error) {
	if id, err = parseID("path.id", raw); err == nil {
		f, err = in.filter()
	}
	return id, f, err
}

// parted separates plain words from words with a leading minus.
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
	Sort   string `query:"sort" enum:"severity,check,resource,zone,oldest,newest" default:"severity"`
	Facets bool   `query:"facets" doc:"Also count, for each value of each field, what would be listed if that field asked for it."`
	ID     string `path:"id"`
}

// runOutput is a response about a run, which never changes.
type runOutput struct{ Body any }

// ListFindingsOutputBody is a page of the findings of one run.
type ListFindingsOutputBody struct {
	Items      []posture.Finding `json:"items"`
	NextCursor string            `json:"nextCursor"`
	Counts     map[string]int    `json:"counts" doc:"Findings of each result that match the other filters."`
	Facets     *store.Facets     `json:"facets,omitempty" doc:"When asked for."`
}

func listFindings(s *Server, ctx context.Context, in *listFindingsInput) (*runOutput, error) {
	id, f, err := in.of(in.ID)
	if err != nil {
		return nil, err
	}
	f.Order = orderOf(in.Sort)
	return s.ofRun(ctx, id, in, func(ctx context.Context, _ store.AssessmentRef) (any, error) {
		rows, next, err := s.o.Store.RunFindings(ctx, id, f, in.page())
		if err != nil {
			return nil, fmt.Errorf("list the findings: %w", err)
		}
		out := &ListFindingsOutputBody{Items: notNil(rows), NextCursor: next, Counts: map[string]int{}}
		counts, err := s.runCounts(ctx, id, f, in.Facets, &out.Facets)
		if err != nil {
			return nil, fmt.Errorf("count the findings: %w", err)
		}
		for _, r := range posture.Results() {
			out.Counts[string(r)] = counts[r]
		}
		return out, nil
	})
}

// ofRun answers with what find returns for a run, cached by the query.
func (s *Server) ofRun(ctx context.Context, id string, query any,
	find func(ctx context.Context, run store.AssessmentRef) (any, error)) (*runOutput, error) {
	run, err := s.pick(ctx, Choice{AssessmentID: id})
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(query)
	if err != nil {
		return nil, fmt.Errorf("name the query: %w", err)
	}
	body, err := s.kept(ctx, s.pages, fmt.Sprintf("%T%s", query, key), func(ctx context.Context, w io.Writer) error {
		found, err := find(ctx, run)
		if errors.Is(err, store.ErrNotFound) {
			return s.missing(ctx, id)
		}
		if err != nil {
			return err
		}
		return huma.DefaultJSONFormat.Marshal(w, found)
	})
	if err != nil {
		return nil, err
	}
	return &runOutput{body}, nil
}

// runCounts counts findings by result. It computes the facets only when they are wanted or no
// cheaper query exists.
func (s *Server) runCounts(ctx context.Context, id string, f store.RunFilter, wanted bool,
	facets **store.Facets) (map[posture.Result]int, error) {
	if !wanted && f.IsFindingFilter() {
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

// GroupFindingsOutputBody is a page of groups of the findings of one run.
type GroupFindingsOutputBody struct {
	Items      []store.FindingGroup `json:"items"`
	NextCursor string               `json:"nextCursor"`
	Total      int                  `json:"total" doc:"How many groups there are."`
}

// groupFindings groups what listFindings lists.
func groupFindings(s *Server, ctx context.Context, in *groupFindingsInput) (*runOutput, error) {
	id, f, err := in.of(in.ID)
	if err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context, _ store.AssessmentRef) (any, error) {
		rows, total, next, err := s.o.Store.RunGroups(ctx, id, f, store.Grouping(in.By), in.page())
		if err != nil {
			return nil, fmt.Errorf("group the findings: %w", err)
		}
		return GroupFindingsOutputBody{Items: notNil(rows), NextCursor: next, Total: total}, nil
	})
}
