package gateway

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// before reports whether a rule is asked before another in one filter. Of the web filter, rules not to inspect come first, then
// those about isolation, then the rest; within each the precedence decides
// (developers.cloudflare.com/cloudflare-one/traffic-policies/order-of-enforcement/).
func before(a, b snapshot.GatewayRule, filter string) bool {
	stage := func(r snapshot.GatewayRule) int {
		switch {
		case filter != "http":
			return 0
		case r.Action == "off":
			return 1
		case r.Action == "isolate" || r.Action == "noisolate":
			return 2
		default:
			return 3
		}
	}
	return stage(a) < stage(b) || stage(a) == stage(b) && a.Precedence < b.Precedence
}

// overtaken reports whether a rule of a filter is never asked, because an exception takes all traffic of everybody before it.
func overtaken(r snapshot.GatewayRule, filter string, rules []snapshot.GatewayRule) truth.Value {
	out := truth.No
	for _, e := range rules {
		isolation := e.Action == "noisolate"
		excepts := isolation && r.Action == "isolate" || slices.Contains([]string{"allow", "off", "noscan"}, e.Action)
		if e.Enabled && excepts && !admission.Limited(e) && slices.Contains(e.Filters, filter) && before(e, r, filter) {
			out = truth.Or(out, admission.Covers(e, everything).All)
		}
	}
	return out
}
