// Package assess is the pipeline of one assessment: plan the reads, collect
// them, freeze the snapshot, judge it, and join the report. Each step is its
// own function; the store holds what was read so that a second attempt goes on
// where the first was killed.
package assess

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/cloudflare"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Plan is what a run judges and therefore reads.
type Plan struct {
	Checks  []check.Check
	Sources []cloudflare.Source
}

// NewPlan narrows the catalogue to the request and takes the reads those checks
// need, with the reads that decide whether others are needed. Unknown names are
// a problem that names each.
func NewPlan(req posture.AssessRequest, checks []check.Check, sources []cloudflare.Source) (Plan, error) {
	if err := Validate(req, checks); err != nil {
		return Plan{}, err
	}
	byName := map[string]cloudflare.Source{}
	for _, s := range sources {
		byName[s.Name] = s
	}
	need := map[string]bool{}
	for _, always := range preflight() {
		include(always, byName, need)
	}
	if len(req.Categories) == 0 && len(req.Checks) == 0 {
		// The graph and the attack paths are of the whole account or not at all.
		for _, s := range sources {
			if s.Feeds {
				include(s.Name, byName, need)
			}
		}
	}
	affordable := func(check.Check) bool { return true }
	if req.Profile == posture.ProfileCore {
		affordable = affordableInCore(checks, byName, need)
	}
	var p Plan
	for _, c := range checks {
		if selected(req, c) && affordable(c) {
			p.Checks = append(p.Checks, c)
		}
	}
	for _, c := range p.Checks {
		for _, n := range slices.Concat(c.Needs, c.Optional) {
			include(n.Source(), byName, need)
		}
	}
	for _, s := range sources {
		if need[s.Name] {
			p.Sources = append(p.Sources, s)
		}
	}
	return p, nil
}

// preflight names the reads every run starts with.
func preflight() []string {
	return []string{snapshot.UserTokenVerify.Source(), snapshot.AccountTokenVerify.Source(), snapshot.AccountList.Source(), snapshot.ZoneList.Source()}
}

// include adds a source and everything its skip rule or item list looks at.
func include(name string, byName map[string]cloudflare.Source, need map[string]bool) {
	s, known := byName[name]
	if !known || need[name] {
		return
	}
	need[name] = true
	for _, after := range s.After {
		include(after, byName, need)
	}
	if s.Parent != "" {
		include(s.Parent, byName, need)
	}
}

// affordableInCore tells which checks the core profile judges: those of high and
// critical severity, and every other one that needs no read beyond what these,
// the graph and the attack paths need anyway.
func affordableInCore(checks []check.Check, byName map[string]cloudflare.Source, feeds map[string]bool) func(check.Check) bool {
	core := maps.Clone(feeds)
	for _, c := range checks {
		if c.Severity.Rank() < posture.High.Rank() {
			continue
		}
		for _, n := range slices.Concat(c.Needs, c.Optional) {
			include(n.Source(), byName, core)
		}
	}
	return func(c check.Check) bool {
		return !slices.ContainsFunc(slices.Concat(c.Needs, c.Optional), func(n snapshot.Named) bool {
			_, read := byName[n.Source()]
			return read && !core[n.Source()]
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

// Validate holds a request against the catalogue, without the provider. The
// problem lists every place that is wrong.
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
			if _, err := path.Match(p, ""); err != nil || strings.TrimSpace(p) == "" {
				wrong = append(wrong, posture.FieldError{Location: fmt.Sprintf("body.%s[%d]", list.name, i),
					Message: fmt.Sprintf("zone pattern %q is not a name, an id or a pattern with * and ?", p), Value: p})
			}
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &posture.Problem{Code: posture.CodeInvalid, Detail: wrong[0].Message, Errors: wrong}
}

// ChooseZones narrows the zones of the account to the request. A pattern that
// matches no zone is a problem that names it: a silent empty run would read as
// good news.
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
	slices.SortFunc(out, func(a, b snapshot.Zone) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func matches(pattern string, z snapshot.Zone) bool {
	if pattern == z.ID {
		return true
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(z.Name))
	return err == nil && ok
}
