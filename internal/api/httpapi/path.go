package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// mostChokePoints are as many as somebody reads.
const mostChokePoints = 50

type pathsInput struct {
	ID       string `path:"id"`
	Severity string `query:"severity" enum:"critical,high" json:"severity,omitempty"`
	Kind     string `query:"kind" json:"kind,omitempty" maxLength:"64"`
	Node     string `query:"node" json:"node,omitempty" maxLength:"1000" doc:"Only paths that this node is on."`
	Text     string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Text in title, explanation or check id."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor   string `query:"cursor" maxLength:"1000"`
}

// PathsBody is a page of attack paths, the worst and shortest first.
type PathsBody struct {
	Items       []posture.AttackPath    `json:"items"`
	NextCursor  string                  `json:"nextCursor"`
	Total       int                     `json:"total" doc:"How many paths there are with these filters."`
	ChokePoints []attackpath.ChokePoint `json:"chokePoints" doc:"Changes that break paths alone, the one that breaks most first; of all paths of the assessment, at most 50."`
}

// listPaths lists the attack paths of one assessment without its graph.
func listPaths(s *Server, ctx context.Context, in *pathsInput) (*runOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context, _ store.AssessmentRef) (any, error) {
		seq, err := s.o.Store.Paths(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("load the attack paths: %w", err)
		}
		all, err := store.Collect(seq)
		if err != nil {
			return nil, fmt.Errorf("load the attack paths: %w", err)
		}
		return in.page(all)
	})
}

func (in *pathsInput) page(all []posture.AttackPath) (PathsBody, error) {
	out := PathsBody{ChokePoints: attackpath.ChokePoints(all)}
	out.ChokePoints = out.ChokePoints[:min(len(out.ChokePoints), mostChokePoints)]
	all = slices.DeleteFunc(all, func(p posture.AttackPath) bool { return !in.fits(p) })
	slices.SortFunc(all, func(x, y posture.AttackPath) int {
		return cmp.Or(cmp.Compare(y.Severity.Rank(), x.Severity.Rank()), cmp.Compare(x.HopCount, y.HopCount), strings.Compare(x.Title, y.Title),
			strings.Compare(x.ID, y.ID))
	})
	out.Total = len(all)
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(p posture.AttackPath) bool { return p.ID == in.Cursor })
		if at < 0 {
			return out, posture.Invalid("query.cursor", fmt.Sprintf("the cursor %q names no attack path of this list; start again without it",
				clip(in.Cursor)), clip(in.Cursor))
		}
		all = all[at+1:]
	}
	out.Items = notNil(all[:min(len(all), in.Limit)])
	if len(all) > in.Limit {
		out.NextCursor = out.Items[in.Limit-1].ID
	}
	return out, nil
}

func (in *pathsInput) fits(p posture.AttackPath) bool {
	text := strings.ToLower(p.Title + " " + p.Explanation + " " + strings.Join(p.RelatedCheckIDs, " "))
	return (in.Severity == "" || string(p.Severity) == in.Severity) &&
		(in.Kind == "" || p.Kind == in.Kind) &&
		(in.Node == "" || slices.Contains(p.Nodes, in.Node)) &&
		strings.Contains(text, strings.ToLower(in.Text))
}
