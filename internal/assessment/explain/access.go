package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// access finds the application that guards the address: the most specific one
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/app-paths/).
func (w *walk) access() PhaseStep {
	s := PhaseStep{Phase: "access", Title: "Access", sources: []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies,
		snapshot.AccessGroups, snapshot.AccessIDPs, snapshot.GatewayListItems, snapshot.DevicePosture}}
	apps, unread := read(w, snapshot.AccessApps)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	if len(apps) == 0 {
		s.Outcome, s.Detail = NotConfigured, "There are no applications."
		return s
	}
	doors := exposure.Matching(exposure.AccessEndpoints(apps), w.query.Host())
	best := slices.IndexFunc(doors, func(d exposure.AccessEndpoint) bool { return d.Holds(w.query.path()) })
	if best < 0 {
		s.Outcome, s.Detail = Passed, "No application guards this address."
		return s
	}
	app := apps[slices.IndexFunc(apps, func(a snapshot.AccessApp) bool { return a.ID == doors[best].App })]
	s.By = byOf(traffic.By{Source: snapshot.AccessApps, Pointer: "/" + app.ID, Rule: app.ID,
		Name: "the application " + app.Name, Account: true})
	if doors[best].Open {
		s.Outcome, s.Detail = Passed, fmt.Sprintf("The application %s leaves this path to everybody.", app.Name)
		return s
	}
	if doors[best].Unsure {
		return unclear(s, fmt.Sprintf("whether the application %s guards this address is not documented", app.Name), "")
	}
	policies, unread := read(w, snapshot.AccessPolicies)
	groups, noGroups := read(w, snapshot.AccessGroups)
	for _, d := range []*traffic.Doubt{unread, noGroups} {
		if d != nil {
			return w.doubtful(s, *d)
		}
	}
	with := admission.Access{Groups: exposure.IndexGroups(groups), Lists: admission.ListsIn(w.snap)}
	if idps, none := read(w, snapshot.AccessIDPs); none == nil {
		with.Logins = &idps
	}
	if all, none := read(w, snapshot.DevicePosture); none == nil {
		with.Posture = &all
	}
	with, left, place := with.For(admission.Visitor{Source: w.query.Source, Country: w.query.Country},
		exposure.Attached(app, exposure.IndexPolicies(policies)))
	open, in := truth.No, []string{}
	ways := with.Ways(left, app.AllowedIDPs)
	for _, way := range ways {
		if word := whoWord(way); !slices.Contains(in, word) {
			in = append(in, word)
		}
		if way.Open() && !way.Placed && !way.Client {
			open = truth.Or(open, truth.If(!way.Unsure, true))
		}
	}
	s.Values = map[string]string{"application": app.Name}
	switch {
	case open == truth.Yes:
		s.Outcome, s.Detail = Passed, fmt.Sprintf("The application %s lets the visitor in without a login.", app.Name)
	case place != nil:
		return unclear(s, fmt.Sprintf("whether the application %s lets the visitor in depends on %s", app.Name, placeWord(*place)), "")
	case open == truth.Undecided:
		return unclear(s, fmt.Sprintf("whether the application %s lets everybody in hangs on what was not read", app.Name), "")
	case len(ways) == 0:
		s.Outcome, s.ends, s.Detail = Blocked, true, fmt.Sprintf("The application %s does not let the visitor in.", app.Name)
	default:
		s.Outcome, s.Detail = Challenged, fmt.Sprintf("The application %s lets in %s.", app.Name, list(in))
	}
	return s
}

// placeWord describes what a selector of a place reads.
func placeWord(r snapshot.AccessRule) string {
	switch r.Kind {
	case "geo":
		return fieldWord("ip.src.country")
	case "ip":
		return fieldWord("ip.src")
	default:
		return "what a list of addresses holds"
	}
}

// whoWord describes who is admitted by a way.
func whoWord(way admission.Way) string {
	out := map[admission.Who]string{
		admission.Named: "people, devices or services that are named", admission.Company: "everybody in the company's directory",
		admission.AnyToken: "whoever holds a service token of the account", admission.SomeLogin: "whoever can sign in",
		admission.Anybody: "whoever has a mailbox", admission.Anyone: "anybody",
	}[way.Who]
	var more []string
	if way.Placed {
		more = append(more, "from certain places")
	}
	if way.Factor {
		more = append(more, "with a second factor or a checked device")
	}
	if way.Client && !way.Factor {
		more = append(more, "with the WARP client")
	}
	return strings.Join(append([]string{out}, more...), " ")
}
