package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// use reports whether an enabled rule reads a signal: one that acts on it, and one
// that only logs it.
type use struct{ acts, logs truth.Value }

// reads looks for the fields a signal shows itself in. A rule that cannot be
// parsed is undecided when it names one at all.
func reads(rules []snapshot.Rule, signal func(field string) bool) use {
	out := use{}
	for _, r := range rules {
		if !r.Enabled || r.Action == "skip" {
			continue
		}
		found := mentions(r.Expression, signal)
		if limits(r) {
			out.acts = truth.Or(out.acts, found)
		} else {
			out.logs = truth.Or(out.logs, found)
		}
	}
	return out
}

func mentions(text string, signal func(field string) bool) truth.Value {
	e, err := expression.Parse(text)
	if err != nil {
		if slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool {
			return r != '.' && r != '_' && (r < 'a' || r > 'z') &&
				(r < '0' || r > '9')
		}), signal) {
			return truth.Undecided
		}
		return truth.No
	}
	if slices.ContainsFunc(expression.Fields(e), signal) {
		return truth.Yes
	}
	return truth.No
}

// leakedCredential names the fields that tell of a stolen password
// (developers.cloudflare.com/waf/detections/leaked-credentials/#leaked-credentials-fields).
func leakedCredential(field string) bool {
	return strings.HasPrefix(field, "cf.waf.credential_check.")
}
