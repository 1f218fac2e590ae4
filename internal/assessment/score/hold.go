package score

import (
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// held are the findings that limit one grade: wide ones to D, narrow ones to C.
type held struct{ wide, narrow []*posture.Verdict }

// holds are the findings that limit the grades of a run.
type holds struct {
	account held
	zones   []held
	at      map[string]int // zone id to index in zones
}

// holding reports whether a finding limits a grade: a critical FAIL, or an UNKNOWN that may hide
// one. A WARNING stands for a doubtful or partial problem and does not.
func holding(f *posture.Verdict, r check.Reach) bool {
	return f.Result == posture.Fail && f.Severity == posture.Critical || f.Result == posture.Unknown && r.Worst == posture.Critical
}

// hold sorts the critical findings by what they affect. Wide findings are about the account itself,
// its members, tokens and rules, or from a check that limits every active zone of an account with
// several.
func hold(ev check.Evaluation, zones []posture.ZoneRef) holds {
	h := holds{zones: make([]held, len(zones)), at: make(map[string]int, len(zones))}
	active := 0
	for i, z := range zones {
		h.at[z.ID] = i
		if z.Status == "active" {
			active++
		}
	}
	critical := map[string][]*posture.Verdict{}
	for i := range ev.Findings {
		if f := &ev.Findings[i]; holding(f, ev.Reach[f.CheckID]) {
			critical[f.CheckID] = append(critical[f.CheckID], f)
		}
	}
	for _, t := range ev.Tallies {
		reached := map[int]bool{}
		for _, f := range critical[t.CheckID] {
			if at, ok := h.at[f.Resource.OwnZone()]; ok && zones[at].Status == "active" {
				reached[at] = true
			}
		}
		h.sort(critical[t.CheckID], active > 1 && len(reached) == active, ev.Reach[t.CheckID])
	}
	return h
}

// sort files the findings of one check.
func (h *holds) sort(of []*posture.Verdict, everyZone bool, r check.Reach) {
	intoZones := zoneSources(r)
	put := func(to *held, f *posture.Verdict, wide bool) {
		if wide {
			to.wide = append(to.wide, f)
		} else {
			to.narrow = append(to.narrow, f)
		}
	}
	for _, f := range of {
		at, inZone := h.at[f.Resource.OwnZone()]
		wide := inZone && everyZone || !inZone && accountWide(f.Resource.Type)
		if !inZone && f.Result == posture.Unknown { // what it may hide counts, not where it is reported
			wide = intoZones || r.Scope == check.PerZone || accountWide(r.Resource)
		}
		put(&h.account, f, wide)
		if inZone {
			put(&h.zones[at], f, everyZone)
		} else if intoZones && f.Result == posture.Unknown { // it may hide a finding in any zone
			for i := range h.zones {
				put(&h.zones[i], f, wide)
			}
		}
	}
}

// accountWide reports whether a resource outside zones affects all of them.
func accountWide(t posture.ResourceType) bool {
	return slices.Contains([]posture.ResourceType{posture.ResourceAccount, posture.ResourceMember, posture.ResourceToken,
		posture.ResourceRule}, t)
}

// fromAccount adds the results of account checks to the sums of zones: findings in a zone, and what
// they could not read, which may concern any zone.
func (h *holds) fromAccount(ev check.Evaluation, within []sums) {
	worst := make(map[string]map[int]sums)
	for _, t := range ev.Tallies {
		if zoneSources(ev.Reach[t.CheckID]) {
			worst[t.CheckID] = map[int]sums{}
		}
	}
	for i := range ev.Findings {
		f := &ev.Findings[i]
		in, r := worst[f.CheckID], ev.Reach[f.CheckID]
		if in == nil {
			continue
		}
		var s sums
		switch f.Result {
		case posture.Fail:
			s.bad = f.Severity.Weight()
		case posture.Warning:
			s.bad = f.Severity.Weight() / 2
		case posture.Unknown:
			s = sums{bad: r.Worst.Weight(), unread: f.Severity.Weight()}
		default:
			continue
		}
		if at, ok := h.at[f.Resource.OwnZone()]; ok {
			in[at] = in[at].worse(s)
		} else if f.Result == posture.Unknown {
			for at := range within {
				in[at] = in[at].worse(s)
			}
		}
	}
	for _, t := range ev.Tallies {
		for at, s := range worst[t.CheckID] {
			within[at].add(s)
		}
	}
}

// words counts the findings that limit a grade: "2 findings, 1 of which could not be judged".
func words(by []*posture.Verdict) string {
	unread := 0
	for _, f := range by {
		if f.Result == posture.Unknown {
			unread++
		}
	}
	s := fmt.Sprintf("%d findings", len(by))
	if len(by) == 1 {
		s = "1 finding"
	}
	switch {
	case unread == 0:
		return s
	case unread == len(by):
		return s + " that could not be judged"
	default:
		return fmt.Sprintf("%s, %d of which could not be judged", s, unread)
	}
}

// ids returns the first 100 distinct ids in order.
func ids(by []*posture.Verdict) []string {
	out := make([]string, len(by))
	for i, f := range by {
		out[i] = f.ID
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(100, len(out))]
}
