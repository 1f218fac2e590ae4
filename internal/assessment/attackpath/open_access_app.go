package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// openAccessApp finds applications whose policies admit everyone: everyone, any
// service token, a public mail domain, or a bypass for most of the internet. It
// is critical for a bypass, which requires no login. The verdicts are those of the
// checks of policies.
func openAccessApp() Kind {
	return Kind{Name: "open-access-app", Title: "Open Access application",
		Finds:   "an Access application whose policy lets in nearly everyone (2)",
		Related: []string{"CFL-INSIGHT-004", "CFL-ZT-007", "CFL-ZT-009", "CFL-ZT-011", "CFL-ZT-026"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, d := range w.doors() {
				a := d.app
				open, about := w.openPolicy(a, d.policies)
				if open == nil {
					continue
				}
				c := candidate{severity: posture.High, title: "Open Access application: " + a.Name, refs: []string{d.node}, about: about,
					nodes: []string{graph.InternetID, d.node, d.service}, steps: []string{graph.InternetTo, graph.Protects},
					explanation: "The policy " + open.Name + " of " + a.Name + " lets practically everyone through, so the login in front of " +
						w.label(d.service) + " keeps nobody out.",
					breaks: []posture.Break{{Change: "Name groups, own domains or addresses in the policy " + open.Name + ".", NodeID: d.node,
						CheckIDs: []string{"CFL-ZT-007"}}}}
				if open.Decision == "bypass" {
					c.severity = posture.Critical
					c.explanation = "The policy " + open.Name + " of " + a.Name + " bypasses the login for practically everyone, so anyone reaches " +
						w.label(d.service) + " without being asked or logged."
					c.breaks[0].Change = "Remove the bypass policy " + open.Name + ", or limit it to exact addresses."
				}
				if !w.fails("CFL-ZT-007", posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID}) {
					c.breaks[0].CheckIDs = nil
				}
				out = append(out, c)
			}
			return out
		}}
}

// openPolicy returns the worst policy that admits everyone, and the resources whose
// verdicts say so. A bypass is worse than an allow.
func (w *world) openPolicy(a snapshot.AccessApp, policies []snapshot.AccessPolicy) (worst *snapshot.AccessPolicy, about []resourceKey) {
	everyone := w.fails("CFL-ZT-007", posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID})
	for _, p := range policies {
		r := posture.Resource{Type: posture.ResourceAccessPolicy, ID: p.ID}
		said := w.fails("CFL-ZT-011", r) || w.fails("CFL-ZT-026", r)
		if said {
			about = append(about, keyOf(r))
		}
		if !said && !(everyone && admitsAll(p)) {
			continue
		}
		if worst == nil || p.Decision == "bypass" && worst.Decision != "bypass" {
			worst = &p
		}
	}
	if worst == nil && everyone && len(policies) > 0 {
		worst = &policies[0] // everyone comes in through a group; the check followed it
	}
	return worst, about
}

// admitsAll reports whether a policy itself names everyone.
func admitsAll(p snapshot.AccessPolicy) bool {
	return (p.Decision == "allow" || p.Decision == "bypass") && slices.ContainsFunc(p.Include, func(r snapshot.AccessRule) bool {
		return r.Kind == "everyone" || r.Kind == "ip" && (r.Value == "0.0.0.0/0" || r.Value == "::/0")
	})
}
