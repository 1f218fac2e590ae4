// Package assess is the pipeline of one assessment: plan the reads, collect them, freeze the snapshot,
// evaluate it, and build the report. Each step is its own function; the store holds what was read so
// that a second attempt resumes where the first was killed.
package assess

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Plan is what a run judges and therefore reads.
type Plan struct {
	Checks  []check.Check
	Sources []snapshot.Source
}

// NewPlan narrows the catalogue to the request and selects the reads that those checks need, together
// with the reads that decide whether others are needed. Unknown names are a problem that lists each.
func NewPlan(req posture.AssessRequest, checks []check.Check, sources []snapshot.Source) (Plan, error) {
	if err := Validate(req, checks); err != nil {
		return Plan{}, err
	}
	byName := map[string]snapshot.Source{}
	for _, s := range sources {
		byName[s.Name] = s
	}
	need := wants{byName: byName, of: map[string]planSet{}}
	for _, always := range preflight() {
		need.include(always, nil)
	}
	if req.Incremental {
		need.include(snapshot.AccountAuditChanges.Source(), nil) // it decides what is read again
	}
	everything := len(req.Categories) == 0 && len(req.Checks) == 0
	if everything {
		// The graph and the attack paths cover the whole account or are not made at all.
		for _, s := range sources {
			if s.Feeds {
				need.include(s.Name, nil)
			}
		}
		for _, setting := range graph.Settings() {
			need.add(setting.Name(), nil)
		}
	}
	affordable := func(check.Check) bool { return true }
	if req.Profile == posture.ProfileCore {
		affordable = need.core(checks)
	}
	var p Plan
	for _, c := range checks {
		if selected(req, c) && (affordable(c) || slices.Contains(req.Checks, c.ID)) {
			p.Checks = append(p.Checks, c)
		}
	}
	if len(p.Checks) == 0 {
		return Plan{}, posture.Invalid("body.profile", "the core profile has no check of the chosen categories; use the full profile", nil)
	}
	kept := wants{byName: byName, of: maps.Clone(need.of)}
	kept.check(slices.DeleteFunc(slices.Clone(p.Checks), spare)...)
	need.check(p.Checks...)
	spared := func(name string) bool {
		have, needed := kept.of[name]
		return everything && !(needed && have.has(planSet{"free"}))
	}
	for _, s := range sources {
		if plans, needed := need.of[s.Name]; needed {
			p.Sources = append(p.Sources, need.singly(plans.narrow(s), spared))
		}
	}
	return p, nil
}

// spare reports whether a read that only such checks need is left out of a full run on free zones once
// settings are read one by one. Three checks of medium severity are among them, each with a read of its
// own: free zones cannot choose their ciphers, and have TLS 1.3 and normalised paths unless turned off.
func spare(c check.Check) bool {
	return c.Severity.Rank() < posture.Medium.Rank() || slices.Contains([]string{"CFL-SSL-006", "CFL-SSL-014", "CFL-WAF-020"}, c.ID)
}

// preflight names the reads that every run starts with.
func preflight() []string {
	return []string{snapshot.UserTokenVerify.Source(), snapshot.AccountTokenVerify.Source(), snapshot.AccountList.Source(),
		snapshot.ZoneList.Source()}
}

// wants are the sources that a run needs, each for zones of some plans.
type wants struct {
	byName map[string]snapshot.Source
	of     map[string]planSet
}

// planSet is a set of zone plans; the empty set stands for every plan.
type planSet []string

// has reports whether the set contains all plans of another.
func (p planSet) has(other planSet) bool {
	return len(p) == 0 || len(other) > 0 && !slices.ContainsFunc(other, func(plan string) bool { return !slices.Contains(p, plan) })
}

func (p planSet) join(other planSet) planSet {
	if len(p) == 0 || len(other) == 0 {
		return nil
	}
	out := slices.Concat(p, other)
	slices.Sort(out)
	return slices.Compact(out)
}

// narrow limits a source of zones to the plans it is needed for.
func (p planSet) narrow(s snapshot.Source) snapshot.Source {
	if len(p) == 0 {
		return s
	}
	if len(s.Plans) == 0 {
		s.Plans = slices.Clone(p)
		return s
	}
	s.Plans = slices.DeleteFunc(slices.Clone(s.Plans), func(plan string) bool { return !slices.Contains(p, plan) })
	if len(s.Plans) == 0 {
		s.Plans = []string{"none"} // no zone can have both
	}
	return s
}

// include adds a source and everything that its skip rule or item list looks at, for zones of the given
// plans.
func (w wants) include(name string, plans planSet) {
	s, known := w.byName[name]
	if !known || !w.add(name, plans) {
		return
	}
	plans = w.of[name]
	for _, after := range s.After {
		w.include(after, plans)
	}
	if s.Parent != "" {
		w.include(s.Parent, plans)
	}
}

// add adds a single source or zone setting, and reports whether that is new.
func (w wants) add(name string, plans planSet) bool {
	have, needed := w.of[name]
	if needed && have.has(plans) {
		return false
	}
	if needed {
		plans = have.join(plans)
	}
	w.of[name] = plans
	return true
}

// singly limits the single reads of settings to the plans they are needed for, and marks what is spared
// on free zones then.
func (w wants) singly(s snapshot.Source, spared func(name string) bool) snapshot.Source {
	if s.Level() != snapshot.LevelZone {
		return s
	}
	s.Singly = slices.Clone(s.Singly)
	for i := range s.Singly {
		r := &s.Singly[i]
		name := s.Name + "/" + r.ID
		plans, needed := w.of[name]
		if r.Plans, r.Spare = plans, spared(name); !needed {
			r.Plans = []string{"none"}
		}
	}
	if spared(s.Name) && planSet(s.Plans).has(planSet{"free"}) {
		s.Spare, s.After = true, append(slices.Clip(s.After), snapshot.ZoneSettings.Source())
	}
	return s
}

// check adds what checks read.
func (w wants) check(checks ...check.Check) {
	for _, c := range checks {
		for _, n := range slices.Concat(c.Needs, c.Optional) {
			// A check that is not per zone looks at all zones, whatever their plan.
			plans := planSet(c.Plans)
			if c.Scope != check.PerZone {
				plans = nil
			}
			w.include(n.Source(), plans)
			if setting, single := n.(snapshot.ZoneSetting); single {
				w.add(setting.Name(), plans)
			}
		}
	}
}

// core returns which checks the core profile judges: those of high and critical severity, and every
// other one that needs no read beyond what these, the graph and the attack paths need anyway.
func (w wants) core(checks []check.Check) func(check.Check) bool {
	core := wants{byName: w.byName, of: maps.Clone(w.of)}
	for _, c := range checks {
		if c.Severity.Rank() >= posture.High.Rank() {
			core.check(c)
		}
	}
	return func(c check.Check) bool {
		return !slices.ContainsFunc(slices.Concat(c.Needs, c.Optional), func(n snapshot.Named) bool {
			if _, read := w.byName[n.Source()]; !read {
				return false
			}
			plans := planSet(c.Plans)
			if c.Scope != check.PerZone {
				plans = nil
			}
			have, needed := core.of[n.Source()]
			return !needed || !have.has(plans)
		})
	}
}

func selected(req posture.AssessRequest, c check.Check) bool {
	if len(req.Checks) > 0 && !slices.Contains(req.Checks, c.ID) {
		return false
	}
	if len(req.Categories) == 0 {
		return true
	}
	return slices.ContainsFunc(req.Categories, func(name string) bool {
		category, err := posture.ParseCategory(name)
		return err == nil && category == c.Category
	})
}

// longestPattern leaves room for wildcards in a name of 253 characters.
const longestPattern = 300

// Validate checks a request against the catalogue, without the provider. The problem lists every field
// that is wrong.
func Validate(req posture.AssessRequest, checks []check.Check) error {
	var wrong []posture.FieldError
	for i, name := range req.Categories {
		if _, err := posture.ParseCategory(name); err != nil {
			wrong = append(wrong, posture.FieldError{Location: fmt.Sprintf("body.categories[%d]", i), Message: err.Error(), Value: name})
		}
	}
	for i, id := range req.Checks {
		if !slices.ContainsFunc(checks, func(c check.Check) bool { return c.ID == id }) {
			wrong = append(wrong, posture.FieldError{Location: fmt.Sprintf("body.checks[%d]", i),
				Message: fmt.Sprintf("check %q is unknown; GET /api/checks lists all", id), Value: id})
		}
	}
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"zones", req.Zones}, {"excludeZones", req.ExcludeZones}} {
		for i, p := range list.patterns {
			if _, err := path.Match(p, ""); err != nil || strings.TrimSpace(p) == "" || len(p) > longestPattern {
				p = posture.Clip(p, 100)
				wrong = append(wrong, posture.FieldError{Location: fmt.Sprintf("body.%s[%d]", list.name, i),
					Message: fmt.Sprintf("zone pattern %q is not a name, an id or a pattern with * and ?", p), Value: p})
			}
		}
	}
	if len(wrong) > 0 {
		return &posture.Problem{Code: posture.CodeInvalid, Detail: wrong[0].Message, Errors: wrong}
	}
	if !slices.ContainsFunc(checks, func(c check.Check) bool { return selected(req, c) }) {
		return posture.Invalid("body.categories", "none of the chosen checks is of a chosen category; leave out one of the two", nil)
	}
	return nil
}

// ChooseZones narrows the zones of the account to the request. A pattern that matches no zone is a
// problem that names it, and so are zones that are all excluded: a silent empty run would read as good news.
func ChooseZones(req posture.AssessRequest, all []snapshot.Zone) ([]snapshot.Zone, error) {
	var wrong []posture.FieldError
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"zones", req.Zones}, {"excludeZones", req.ExcludeZones}} {
		for i, p := range list.patterns {
			if !slices.ContainsFunc(all, func(z snapshot.Zone) bool { return matches(p, z) }) {
				wrong = append(wrong, posture.FieldError{Location: fmt.Sprintf("body.%s[%d]", list.name, i),
					Message: fmt.Sprintf("zone %q matches none of the %d zones the token sees", p, len(all)), Value: p})
			}
		}
	}
	if len(wrong) > 0 {
		return nil, &posture.Problem{Code: posture.CodeInvalid, Detail: wrong[0].Message, Errors: wrong}
	}
	var out []snapshot.Zone
	for _, z := range all {
		in := len(req.Zones) == 0 || slices.ContainsFunc(req.Zones, func(p string) bool { return matches(p, z) })
		if in && !slices.ContainsFunc(req.ExcludeZones, func(p string) bool { return matches(p, z) }) {
			out = append(out, z)
		}
	}
	if len(req.Zones) > 0 && len(out) == 0 {
		return nil, posture.Invalid("body.excludeZones", "every chosen zone is excluded; leave out one of the two", nil)
	}
	slices.SortFunc(out, func(a, b snapshot.Zone) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func matches(pattern string, z snapshot.Zone) bool {
	if pattern == z.ID {
		return true
	}
	ok, err := path.Match(strings.ToLower(snapshot.ASCII(pattern)), strings.ToLower(z.Name))
	return err == nil && ok
}
