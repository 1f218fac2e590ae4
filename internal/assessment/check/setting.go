package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// OnOff judges an on/off setting of a zone as page rules and configuration rules apply it to
// requests. A rule that changes it for part of the traffic is taken as deliberate: it is mentioned
// but is no finding. A rule that changes it for all traffic is one.
func OnOff(v *View, id, want, bad string) Outcome {
	if out := NoTraffic(v); out != nil {
		return *out
	}
	lanes := Lanes(v, traffic.Setting(id), v.Zone())
	isBad := func(value string) bool { return value != want && (value == "on" || value == "off") }
	var wrong, odd []traffic.Lane[traffic.Value[string]]
	var doubt *traffic.Doubt
	for _, l := range lanes {
		switch known := l.Value.Is == "on" || l.Value.Is == "off"; {
		case l.Value.Holds(isBad) == truth.Undecided:
			doubt = cmp.Or(doubt, l.Value.Doubt)
		case l.Value.Holds(isBad) == truth.Yes:
			wrong = append(wrong, l)
		case !known && l.Value.Doubt == nil:
			odd = append(odd, l)
		}
	}
	base, _ := Read(v, snapshot.ZoneSettings).Text(id)
	exceptions := len(wrong) < len(lanes) && base == want
	switch {
	case doubt != nil && (len(wrong) == 0 || base == want || base == ""):
		return v.Doubtful(*doubt)
	case len(wrong) > 0 && !exceptions:
		by := wrong[0].Value.By
		if len(wrong) < len(lanes) {
			bad += " That concerns " + HostsOf(wrong) + "."
		}
		if by.Rule != "" {
			bad += " What decides is " + ByRule(by) + "."
		}
		out := v.Fail(bad, LaneEvidence(wrong, want)...).As(ByRuleWords(by))
		if doubt != nil && doubt.Source != nil { // it may concern more
			reason, _ := v.reasonOf(*doubt)
			return out.because(reason)
		}
		return out
	case len(odd) > 0:
		return v.Unknown(id + " has a value this check does not know: " + odd[0].Value.Is)
	case len(wrong) > 0:
		return v.Pass("The setting %s is %s, except where %s decides otherwise.", id, want, ByRule(wrong[0].Value.By))
	}
	return v.Pass("The setting %s is %s.", id, want)
}

// LaneEvidence returns one row of evidence for each rule or setting that decided a lane, with an
// example request.
func LaneEvidence[T comparable](lanes []traffic.Lane[traffic.Value[T]], expected string) []posture.Evidence {
	var out []posture.Evidence
	var seen []string
	for _, l := range lanes {
		by := l.Value.By
		if key := by.Source.Source() + by.Pointer; !slices.Contains(seen, key) {
			seen = append(seen, key)
			out = append(out, Evidence(by.Source, by.Pointer, fmt.Sprintf("%v for %s", l.Value.Is, l.Example().Describe()), expected))
		}
	}
	return out
}
