package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// openAccessApp finds applications whose policies admit everyone: everyone, any service token, a
// public mail domain, or a bypass for most of the internet; and those that leave a host public.
// Everyone is not found where only the company's people can sign in. It is critical when no login is
// required: for a bypass, a public host, or a Service Auth policy that anyone meets. The verdicts come
// from the checks of Access.
func openAccessApp() Kind {
	return Kind{Name: "open-access-app", Title: "Open Access application",
		Finds:   "an Access application whose policy lets in nearly everyone (2)",
		Related: []string{"CFL-INSIGHT-004", "CFL-ZT-007", "CFL-ZT-009", "CFL-ZT-011", "CFL-ZT-026"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, d := range w.doors() {
				a := d.app
				by, others, about := w.openWay(a, d.policies)
				if by == nil {
					if d.public != "" && w.reachable(d.public) && w.fails("CFL-ZT-007", posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID}) {
						out = append(out, w.leftPublic(d))
					}
					continue
				}
				way, ok := w.opened(d)
				if !ok {
					continue
				}
				place := way.place
				open, who := by.Policy, by.Who
				c := candidate{title: "Open Access application: " + a.Name, gains: "opens " + place, grave: true,
					needs: []string{"they sign in, which practically everyone can"}, refs: []string{d.node}, about: about,
					nodes: []string{graph.InternetID, d.node, way.service}, steps: []string{graph.InternetTo, way.step},
					explanation: "The policy " + open.Name + " of " + a.Name + " lets practically everyone through, so the login in front of " +
						place + " keeps nobody out.",
					breaks: []posture.Break{{Change: "Name groups, own domains or addresses in the policy " + open.Name, NodeID: d.node,
						CheckIDs: []string{"CFL-ZT-007"}}}}
				switch {
				case who == admission.Company:
					c.needs = []string{"they have an account in the company's directory, with an address at a public mail service"}
					c.explanation = "The policy " + open.Name + " of " + a.Name + " takes any address at a public mail service, so every guest in the " +
						"company's directory reaches " + place + "."
				case who == admission.AnyToken:
					c.needs = []string{"they hold any service token of the account"}
					c.explanation = "The policy " + open.Name + " of " + a.Name + " takes every service token of the account, so whoever gets hold " +
						"of one reaches " + place + "."
					c.breaks[0].Change = "Name the service tokens in the policy " + open.Name
				case who == admission.Anyone && by.Range != "":
					c.needs = []string{"they send the request from " + by.Range}
					c.explanation = "The policy " + open.Name + " of " + a.Name + " asks nobody in " + by.Range + " to sign in, so whoever sends a " +
						"request from an address there reaches " + place + "."
					c.breaks[0].Change = "Limit the policy " + open.Name + " to exact addresses"
				case open.Decision == "bypass":
					c.needs = nil
					c.explanation = "The policy " + open.Name + " of " + a.Name + " bypasses the login for practically everyone, so anyone reaches " +
						place + " without being asked or logged."
					c.breaks[0].Change = "Remove the bypass policy " + open.Name + ", or limit it to exact addresses"
				case who == admission.Anyone:
					c.needs = nil
					c.explanation = "The Service Auth policy " + open.Name + " of " + a.Name + " demands no service token of its own, so anyone reaches " +
						place + " without a login."
					c.breaks[0].Change = "Name a service token or a certificate in the policy " + open.Name
				}
				// One change for all policies: what the others admit stays open.
				c.breaks[0].Change += also(open, others) + "."
				if by.Client && who > admission.AnyToken {
					c.needs = append(c.needs, "they run the WARP client, which is free")
				}
				if len(others) > 1 || !w.fails("CFL-ZT-007", posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID}) {
					c.breaks[0].CheckIDs = nil
				}
				out = append(out, c)
			}
			return out
		}}
}

// leftPublic returns the path to a host whose application leaves every path of it public.
func (w *world) leftPublic(d door) candidate {
	return candidate{title: "Open Access application: " + d.app.Name, gains: "opens " + w.label(d.public), grave: true, refs: []string{d.node},
		nodes: []string{graph.InternetID, d.node, d.public}, steps: []string{graph.InternetTo, graph.Exposes},
		explanation: "The application " + d.app.Name + " leaves every path of " + w.label(d.public) +
			" public, so anyone reaches it without being asked or logged.",
		breaks: []posture.Break{{Change: "Take the public path /* out of the destination of " + d.app.Name + ".", NodeID: d.node,
			CheckIDs: []string{"CFL-ZT-007"}}}}
}

// also says that other policies, which admit everyone as well, are limited with the first one.
func also(first snapshot.AccessPolicy, policies []string) string {
	policies = slices.DeleteFunc(policies, func(name string) bool { return name == first.Name })
	if len(policies) == 0 {
		return ""
	}
	return ", and limit " + named(policies) + " as well"
}

// openWay returns the worst way that admits everyone, the names of all policies with such a way, and the
// policies whose verdicts say so. A way that requires no login is worse than one that does.
func (w *world) openWay(a snapshot.AccessApp, policies []snapshot.AccessPolicy) (worst *admission.Way, open []string, about []resourceKey) {
	everyone := w.fails("CFL-ZT-007", posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID})
	for _, way := range w.access().Ways(policies, a.AllowedIDPs) {
		r := posture.Resource{Type: posture.ResourceAccessPolicy, ID: way.Policy.ID}
		said := w.fails("CFL-ZT-011", r) || w.fails("CFL-ZT-026", r)
		if said && !slices.Contains(about, keyOf(r)) {
			about = append(about, keyOf(r))
		}
		// Everyone in the company's directory is not someone on the internet, nor certainly everyone who has a login that is not known.
		if way.Who == admission.Named || !said && !(everyone && way.Who > admission.SomeLogin) {
			continue
		}
		if !slices.Contains(open, way.Policy.Name) {
			open = append(open, way.Policy.Name)
		}
		if worst == nil || way.Who > worst.Who || way.Who == worst.Who && way.Place > worst.Place {
			worst = &way
		}
	}
	return worst, open, about
}
