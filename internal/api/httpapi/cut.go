package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type cutInput struct {
	ID       string   `path:"id"`
	Severity string   `query:"severity" enum:"critical,high" json:"severity,omitempty" doc:"The least severity of the paths."`
	Paths    []string `query:"path,explode" maxItems:"1000" json:"path,omitempty" doc:"Only the paths of these ids."`
}

// getCut returns the smallest set of changes that breaks the most attack paths.
func getCut(s *Server, ctx context.Context, in *cutInput) (*runOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	return s.ofRun(ctx, id, in, func(ctx context.Context, _ store.AssessmentRef) (any, error) {
		all, err := s.attackPaths(ctx, id)
		if err != nil {
			return nil, err
		}
		return in.of(all, s.risks())
	})
}

func (in *cutInput) of(all []posture.AttackPath, risk func(attackpath.ChokePoint) int) (attackpath.Cut, error) {
	least := posture.Severity(in.Severity)
	critical := func(p posture.AttackPath) bool { return p.Severity == posture.Critical }
	if in.Severity == "" && len(in.Paths) == 0 && slices.ContainsFunc(all, critical) {
		least = posture.Critical
	}
	for i, id := range in.Paths {
		if !slices.ContainsFunc(all, func(p posture.AttackPath) bool { return p.ID == id }) {
			return attackpath.Cut{}, posture.Invalid(fmt.Sprintf("query.path[%d]", i), "is no attack path of the assessment", clip(id))
		}
	}
	meant := slices.DeleteFunc(all, func(p posture.AttackPath) bool {
		return p.Severity.Rank() < least.Rank() || len(in.Paths) > 0 && !slices.Contains(in.Paths, p.ID)
	})
	out := attackpath.Least(meant, risk)
	out.Severity = least
	return out, nil
}

// risks ranks changes by how likely they are to break something: changes that the service can make
// rank by the risk their remedies state, and changes made by hand rank last.
func (s *Server) risks() func(attackpath.ChokePoint) int {
	rank := map[string]int{}
	for _, c := range s.o.Checks {
		if c.Remedy != nil {
			rank[c.ID] = 1 + slices.Index([]string{change.Low, change.Medium, change.High}, c.Remedy.Risk)
		}
	}
	return func(p attackpath.ChokePoint) int {
		if !p.Remediable {
			return 4
		}
		worst := 1
		for _, id := range p.CheckIDs {
			worst = max(worst, rank[id])
		}
		return worst
	}
}
