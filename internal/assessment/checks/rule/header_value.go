package rule

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/csp"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// weakness returns why a value of a security header is ineffective, "" when it is effective or was
// not kept.
func weakness(header, value string) string {
	lower := strings.ToLower(strings.TrimSpace(value))
	switch {
	case lower == "":
		return ""
	case header == "x-frame-options" && lower != "deny" && lower != "sameorigin":
		return "lets every site frame them (browsers know only DENY and SAMEORIGIN)"
	case header == "x-content-type-options" && lower != "nosniff":
		return "lets browsers guess types (they know only nosniff)"
	case header == "strict-transport-security" && !traffic.HeaderHSTS(value).Enabled:
		return "turns HSTS off"
	case header == "referrer-policy":
		return weakReferrer(lower)
	case header == "content-security-policy":
		return weakPolicies(lower)
	}
	return ""
}

// weakReferrer judges the last value that browsers recognise, which is the one they apply (W3C
// Referrer Policy, section 8.1).
func weakReferrer(value string) string {
	last := ""
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); slices.Contains([]string{"no-referrer", "no-referrer-when-downgrade", "same-origin", "origin",
			"strict-origin",
			"origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url"}, v) {
			last = v
		}
	}
	if last == "unsafe-url" || last == "no-referrer-when-downgrade" {
		return "tells other sites the whole address"
	}
	return ""
}

// weakPolicies judges content security policies; of several, all apply.
func weakPolicies(value string) string {
	why := ""
	for policy := range strings.SplitSeq(value, ",") {
		w := weakPolicy(csp.Parse(policy))
		if w == "" {
			return ""
		}
		why = w
	}
	return why
}

func weakPolicy(p csp.Policy) string {
	scripts, named := p.Scripts()
	trusted := slices.ContainsFunc(scripts, func(s string) bool {
		return strings.HasPrefix(s, "'nonce-") || strings.HasPrefix(s, "'sha256-") || strings.HasPrefix(s, "'sha384-") ||
			strings.HasPrefix(s, "'sha512-")
	})
	switch {
	case slices.Contains(scripts, "'unsafe-inline'") && !trusted:
		return "lets any script in a page run ('unsafe-inline')"
	case named && p.AnyScript(): // a policy that is silent on scripts may be about frames
		return "lets scripts of any site run"
	case csp.AnyHost(p["frame-ancestors"]):
		return "lets every site frame them"
	}
	return ""
}

// harm describes what an operation does to a security header of responses (%s stands for those); ""
// for nothing harmful. computed says that the value is not known.
func harm(header string, op snapshot.HeaderOp) (what string, computed bool) {
	switch op.Operation {
	case "remove", "delete":
		return "removes " + header + " from %s", false
	case "set", "add":
		if header == "content-security-policy" && op.Operation == "add" {
			return "", false // two policies both apply
		}
		if why := weakness(header, op.Value); why != "" {
			return "sets " + header + " in %s to a value that " + why, false
		}
		return "", op.Dynamic
	}
	return "", false
}

// protects reports whether an operation sets a header to an effective value. A content security
// policy counts here for its frame directive.
func protects(header string, op snapshot.HeaderOp) bool {
	if what, computed := harm(header, op); what != "" || computed || op.Operation != "set" && op.Operation != "add" {
		return false
	}
	return header != "content-security-policy" || op.Value == "" || csp.Parse(op.Value)["frame-ancestors"] != nil
}

// mends lists the conditions of the rules that set the header to an effective value.
func mends(rules []snapshot.Rule, header string) (out []string) {
	for _, r := range rules {
		op := r.Params.Headers[header]
		if what, computed := harm(header, op); r.Enabled && what == "" && !computed && op.Operation == "set" {
			out = append(out, r.Expression)
		}
	}
	return out
}
