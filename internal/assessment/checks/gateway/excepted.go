package gateway

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// reach is how much traffic the exception of a rule applies to.
type reach int

const (
	none    reach = iota // the rule is never evaluated
	few                  // the targets it names
	some                 // a kind of sites, or all of them for some people
	all                  // everything, for everyone
	unclear              // its expression cannot be parsed
)

// reachOf returns how much traffic of a filter a rule matches, considering whether an earlier rule
// takes everything.
func reachOf(r admission.Rule, filter string, rules []admission.Rule) reach {
	others := slices.DeleteFunc(slices.Clone(rules), func(o admission.Rule) bool { return o.ID == r.ID })
	never := overtaken(r, filter, others, everything)
	whole, kind := admission.Covers(r, everything).All, admission.Covers(r, wideTarget).All
	switch {
	case never == truth.Yes:
		return none
	case whole == truth.Undecided || never == truth.Undecided:
		return unclear
	case whole == truth.Yes && !admission.Limited(r):
		return all
	case whole == truth.Yes || kind == truth.Yes:
		return some
	}
	return few
}

// ruleCall changes one setting of a rule and keeps the rest: a PUT resets what it leaves out, so that a temporary rule would
// become permanent without its expiration.
func ruleCall(change string) posture.Call {
	return posture.Call{Method: "PUT", Path: "/accounts/{account_id}/gateway/rules/{id}", From: "/accounts/{account_id}/gateway/rules/{id}",
		Body: `.result | {name, description, action, enabled, filters, traffic, identity, device_posture, precedence, rule_settings, ` +
			`schedule, expiration} | del(.expiration.expired) | ` +
			`with_entries(select(.value != null)) | ` + change}
}

// ruleIn is the dashboard path of a rule in a filter.
func ruleIn(tab, what string) string {
	return "Zero Trust › Traffic policies › Firewall policies › " + tab + " › {name} › Edit: " + what
}

func resourceOf(r admission.Rule) posture.Resource {
	return posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name}
}

// matched returns the traffic of a rule for evidence.
func matched(r admission.Rule) string {
	if strings.TrimSpace(r.Traffic) == "" {
		return "all traffic"
	}
	return r.Traffic
}
