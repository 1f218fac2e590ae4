package traffic

import (
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Hit is a condition that requests meet, by its index in the list. When Sure is false they may or
// may not meet it.
type Hit struct {
	At   int
	Sure bool
}

// Met returns which of the given conditions of the rules language the requests of a lane meet, in
// order, without regard to what the rules then do. The name identifies the list of conditions.
func Met(name string, conditions []string) Aspect[[]Hit] {
	return Aspect[[]Hit]{
		Name:  "met " + name,
		Needs: needs(snapshot.AccountLists, snapshot.AccountListItems),
		lanes: func(z *zone) []Lane[[]Hit] { return metLanes(z, conditions) },
	}
}

func metLanes(z *zone, conditions []string) []Lane[[]Hit] {
	return lanesOf(z, conditions, anyKind, func(s *space) []state[[]Hit] {
		lanes := []state[string]{{boxes: s.start()}} // the hits as text, which distinguishes lanes
		for i, c := range conditions {
			at := strconv.Itoa(i)
			lanes = apply(s, lanes, c, func(v string) string { return v + at + " " }, func(v string) string { return v + at + "? " },
				func(v string) string { return v })
		}
		out := make([]state[[]Hit], len(lanes))
		for i, l := range lanes {
			out[i].boxes = l.boxes
			for text := range strings.FieldsSeq(l.value) {
				number, perhaps := strings.CutSuffix(text, "?")
				at, _ := strconv.Atoi(number)
				out[i].value = append(out[i].value, Hit{At: at, Sure: !perhaps})
			}
		}
		return out
	})
}

// Entry reads the entrypoint ruleset of a phase of a zone, or of the account, and the doubt when it
// is not known. Account rules that are not read leave the phase of a zone in doubt.
func (k Kept) Entry(snap *snapshot.Snapshot, of snapshot.Zone, phase snapshot.Key[snapshot.Ruleset]) (snapshot.Ruleset, *Doubt) {
	list := snapshot.ZoneRulesets
	if snapshot.LevelOf(phase.Source()) != snapshot.LevelZone {
		list = snapshot.AccountRulesets
	}
	z := k.zone(snap, of)
	rules, doubt := entry(z, list, phase)
	switch phase {
	case snapshot.ZonePhaseCustom, snapshot.ZonePhaseRate, snapshot.ZonePhaseManaged, snapshot.ZonePhaseDDoS: // the account's rules, too
		return rules, doubt
	}
	if name, ofZone := strings.CutPrefix(phase.Source(), "zone/ruleset/"); ofZone && doubt == nil {
		doubt = accountPhase(z, name)
	}
	return rules, doubt
}
