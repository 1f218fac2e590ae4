package attackpath

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
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
				at, ok := w.opened(d)
				if !ok {
					continue
				}
				ways := w.access().Ways(d.policies, d.app.AllowedIDPs)
				for _, token := range lasting {
					policies := admits(ways, token.Resource.ID)
					if len(policies) == 0 {
						continue
					}
					policy, place := policies[0], at.place
					out = append(out, candidate{title: "Service token without an end: " + token.Resource.Name, gains: "opens " + place,
						grave: true, needs: []string{"they have a copy of the service token " + token.Resource.Name},
						refs: []string{d.node, "token", token.Resource.ID}, nodes: []string{graph.InternetID, d.node, at.service},
						steps: []string{graph.InternetTo, at.step}, about: []resourceKey{keyOf(*token.Resource)},
						explanation: "The policy " + policy + " lets the service token " + token.Resource.Name + " into " + d.app.Name +
							" without a person, and that token outlives any rotation: " +
							"a copy of it opens " + place + " for years.",
						breaks: []posture.Break{{Change: "Replace the service token " + token.Resource.Name + " by one that lives a year at most.",
							NodeID: graph.Account + ":" + w.snap.Account.ID}, // one change for all applications
							{Change: "Take the service token out of " + named(policies) + ".", NodeID: d.node}}})
				}
			}
			return out
		}}
}

// named names policies in a sentence.
func named(policies []string) string {
	if len(policies) == 1 {
		return "the policy " + policies[0]
	}
	return "the policies " + strings.Join(policies, ", ")
}

// admits returns the names of the policies that admit whoever sends a service token from anywhere,
// without a person. Any token may not be this one where some are excluded: no attack path is guessed. A
// token that also has to come from a small range, or with a certificate, is no way in for someone who
// has a copy.
func admits(ways []admission.Way, token string) (out []string) {
	for _, way := range ways {
		taken := way.Token == token || way.Who == admission.AnyToken && !way.Except
		if taken && way.Unasked() && way.Place >= exposure.Wide && !way.Factor && !way.Unsure && !slices.Contains(out, way.Policy.Name) {
			out = append(out, way.Policy.Name)
		}
	}
	return out
}
