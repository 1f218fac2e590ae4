package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// lastingServiceToken finds applications that admit a service token with a lifetime beyond any
// rotation: whoever copies it has access for years.
func lastingServiceToken() Kind {
	return Kind{Name: "lasting-service-token", Title: "Service token without an end",
		Finds:   "a service token that never ends, on an application that lets it in",
		Related: []string{"CFL-ZT-006"},
		find: func(w *world) []candidate {
			var out []candidate
			lasting := w.failed("CFL-ZT-006")
			for _, d := range w.doors() {
				for _, token := range lasting {
					policy := admits(d.policies, token.Resource.ID)
					if policy == "" {
						continue
					}
					out = append(out, candidate{title: "Service token without an end: " + token.Resource.Name, gains: "opens " + w.label(d.service),
						grave: true, needs: []string{"they have a copy of the service token " + token.Resource.Name},
						refs: []string{d.node, "token", token.Resource.ID}, nodes: []string{graph.InternetID, d.node, d.service},
						steps: []string{graph.InternetTo, graph.Protects}, about: []resourceKey{keyOf(*token.Resource)},
						explanation: "The policy " + policy + " lets the service token " + token.Resource.Name + " into " + d.app.Name +
							" without a person, and that token outlives any rotation: " +
							"a copy of it opens " + w.label(d.service) + " for years.",
						breaks: []posture.Break{{Change: "Replace the service token " + token.Resource.Name + " by one that lives a year at most.",
							NodeID: d.node},
							{Change: "Take the service token out of the policy " + policy + ".", NodeID: d.node}}})
				}
			}
			return out
		}}
}

// admits returns the name of the policy that admits a service token without a person.
func admits(policies []snapshot.AccessPolicy, token string) string {
	for _, p := range policies {
		if p.Decision != "non_identity" && p.Decision != "bypass" {
			continue
		}
		if slices.ContainsFunc(p.Include, func(r snapshot.AccessRule) bool {
			return r.Kind == "service_token" && r.Value == token || r.Kind == "any_valid_service_token"
		}) {
			return p.Name
		}
	}
	return ""
}
