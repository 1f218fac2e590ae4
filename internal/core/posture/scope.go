package posture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Scope is what a run was narrowed to. A run without a scope covered everything in its account.
type Scope struct {
	Zones        []string `json:"zones,omitempty"`
	ExcludeZones []string `json:"excludeZones,omitempty"`
	Categories   []string `json:"categories,omitempty"`
	Checks       []string `json:"checks,omitempty"`
	Profile      Profile  `json:"profile,omitempty"`
	Registered   bool     `json:"registered,omitempty" doc:"The account is registered with these zones only, so no run covers more."`
}

// ScopeOf returns the scope of a request, nil for everything. registered says that the account is
// registered with the zones of the request.
func ScopeOf(r AssessRequest, registered bool) *Scope {
	if registered && len(r.Zones)+len(r.ExcludeZones) == 0 {
		return nil
	}
	return &Scope{r.Zones, r.ExcludeZones, r.Categories, r.Checks, r.Profile, registered}
}

// Whole reports whether a run covered all that there is of its account.
func (s *Scope) Whole() bool { return s == nil || s.Registered }

// Covers reports whether a run of this scope looked at all that a run of another was asked to look at.
// Zones are compared as they were named, so that of two names of one zone neither covers the other.
func (s *Scope) Covers(other *Scope) bool {
	if s == nil {
		return true
	}
	if other == nil {
		other = &Scope{}
	}
	holds := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
	}
	within := func(all, some []string) bool { return len(all) == 0 || len(some) > 0 && holds(all, some) }
	return within(s.Zones, other.Zones) && holds(other.ExcludeZones, s.ExcludeZones) && within(s.Categories, other.Categories) &&
		within(s.Checks, other.Checks) && (s.Profile != ProfileCore || other.Profile == ProfileCore)
}

// Key identifies a scope; "" is everything.
func (s *Scope) Key() string {
	if s == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", struct {
		zones, excludeZones, categories, checks []string
		profile                                 Profile
	}{s.Zones, s.ExcludeZones, s.Categories, s.Checks, s.Profile}))
	return hex.EncodeToString(sum[:8])
}

// Words says in a sentence that a run was narrowed, and to what; "" when it was not.
func (s *Scope) Words() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		what string
		list []string
	}{{"zones", s.Zones}, {"all zones but", s.ExcludeZones}, {"categories", s.Categories}, {"checks", s.Checks}} {
		if n := len(part.list); n > 0 {
			shown := strings.Join(part.list[:min(n, 5)], ", ")
			if n > 5 {
				shown += fmt.Sprintf(" and %d more", n-5)
			}
			parts = append(parts, part.what+" "+shown)
		}
	}
	if s.Profile == ProfileCore {
		parts = append(parts, "profile core")
	}
	if len(parts) == 0 { // the account is narrowed to fewer zones than the run covered
		parts = []string{"other zones than those of the account"}
	}
	if s.Registered {
		return "This account is registered with " + strings.Join(parts, "; ") + " only. What is not here was not judged."
	}
	return "Narrowed run: this assessment looked only at " + strings.Join(parts, "; ") + ". What is not here was not judged."
}
