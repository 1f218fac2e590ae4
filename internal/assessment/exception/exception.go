// Package exception decides which findings an accepted risk applies to. It is pure: what is
// accepted follows from the exceptions and a time.
package exception

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Longest is the maximum lifetime of an exception.
const Longest = 400 * 24 * time.Hour

// maxText bounds reason and owner, in characters.
const maxText = 1000

// Check validates an exception and returns it in normal form: texts trimmed, lists sorted. The
// error is a *posture.Problem that names every invalid field. checks are the ids of the catalogue.
func Check(e posture.Exception, checks []string, now time.Time) (posture.Exception, error) {
	var wrong refusals
	e = wrong.terms(e, now)
	m := &e.Match
	m.Pattern = strings.TrimSpace(m.Pattern)
	for i, id := range m.CheckIDs {
		if id = strings.TrimSpace(id); !slices.Contains(checks, id) {
			wrong.refuse(fmt.Sprintf("body.match.checkIds[%d]", i), fmt.Sprintf("check %q is unknown; GET /api/checks lists all", id), id)
		}
	}
	for name, list := range map[string]*[]string{"checkIds": &m.CheckIDs, "resourceIds": &m.ResourceIDs, "zones": &m.Zones} {
		for i, v := range *list {
			if strings.TrimSpace(v) == "" && name != "checkIds" {
				wrong.refuse(fmt.Sprintf("body.match.%s[%d]", name, i), "an empty text names nothing", v)
			}
		}
		*list = normal(*list)
	}
	for i, v := range m.Severities {
		parsed, err := posture.ParseSeverity(string(v))
		if err != nil {
			wrong.refuse(fmt.Sprintf("body.match.severities[%d]", i), err.Error(), v)
		}
		m.Severities[i] = parsed
	}
	if everything(*m) {
		wrong.refuse("body.match", "this would match every finding; name checks, resources, a pattern, zones or severities", nil)
	}
	return e, wrong.problem()
}

// CheckTerms validates everything in an exception but its match by the rules of Check.
func CheckTerms(e posture.Exception, now time.Time) (posture.Exception, error) {
	var wrong refusals
	e = wrong.terms(e, now)
	return e, wrong.problem()
}

// refusals lists the invalid fields of an exception.
type refusals []posture.FieldError

func (wrong *refusals) refuse(location, message string, value any) {
	*wrong = append(*wrong, posture.FieldError{Location: location, Message: message, Value: value})
}

func (wrong *refusals) terms(e posture.Exception, now time.Time) posture.Exception {
	for _, f := range []struct {
		location string
		text     *string
		missing  string
	}{{"body.reason", &e.Reason, "say why the risk is accepted"}, {"body.owner", &e.Owner, "say who answers for the exception"}} {
		*f.text = strings.TrimSpace(*f.text)
		switch {
		case *f.text == "":
			wrong.refuse(f.location, f.missing, nil)
		case utf8.RuneCountInString(*f.text) > maxText:
			wrong.refuse(f.location, fmt.Sprintf("at most %d characters", maxText), nil)
		}
	}
	if e.ExpiresAt != nil {
		at := e.ExpiresAt.UTC().Truncate(time.Microsecond)
		e.ExpiresAt = &at
		switch {
		case !at.After(now):
			wrong.refuse("body.expiresAt", "the end must lie in the future", at)
		case at.Sub(now) > Longest:
			wrong.refuse("body.expiresAt", "an exception lasts at most 400 days; choose an earlier end and accept the risk again then", at)
		}
	}
	return e
}

func (wrong refusals) problem() error {
	if len(wrong) == 0 {
		return nil
	}
	slices.SortFunc(wrong, func(a, b posture.FieldError) int { return strings.Compare(a.Location, b.Location) })
	return &posture.Problem{Code: posture.CodeInvalid, Detail: wrong[0].Location + ": " + wrong[0].Message + ".", Errors: wrong}
}

func normal(list []string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, strings.TrimSpace(v))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everything reports whether nothing narrows a match: no field, all severities, or a
// pattern of nothing but wildcards.
func everything(m posture.ExceptionMatch) bool {
	narrow := len(m.CheckIDs)+len(m.ResourceIDs)+len(m.Zones) > 0
	narrow = narrow || len(m.Severities) > 0 && !all(m.Severities)
	return !narrow && strings.Trim(m.Pattern, "*?") == ""
}

func all(chosen []posture.Severity) bool {
	return !slices.ContainsFunc(posture.Severities(), func(v posture.Severity) bool { return !slices.Contains(chosen, v) })
}

// Accepts reports whether a risk can be accepted for a result.
func Accepts(r posture.Result) bool {
	return r == posture.Fail || r == posture.Warning || r == posture.Unknown
}

// Matches reports whether a match covers a finding, whatever its result.
func Matches(m posture.ExceptionMatch, f *posture.Finding) bool {
	return !everything(m) && covers(&m, f)
}

// covers is Matches for a match that something narrows.
func covers(m *posture.ExceptionMatch, f *posture.Finding) bool {
	// Runs keep names in ASCII; Cloudflare's pages show people the other form.
	zone := func(v string) bool {
		return v == f.Resource.ZoneID && v != "" || f.Resource.Zone != "" && strings.EqualFold(snapshot.ASCII(v), f.Resource.Zone)
	}
	fits := func(pattern string) bool { return Fits(pattern, f.Resource.Name) || Fits(pattern, f.Resource.Zone) }
	return has(m.CheckIDs, f.CheckID) && has(m.ResourceIDs, f.Resource.ID) && has(m.Severities, f.Severity) &&
		(len(m.Zones) == 0 || slices.ContainsFunc(m.Zones, zone)) &&
		(m.Pattern == "" || fits(m.Pattern) || fits(snapshot.ASCII(m.Pattern)))
}

func has[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

// Fits reports whether a pattern matches a whole text: * stands for any text, ? for one character,
// and letter case does not matter. The worst case takes time proportional to the product of both
// lengths.
func Fits(pattern, text string) bool {
	pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	// How a pattern begins and ends rules out most texts, without allocating: all findings of a run are asked.
	first := strings.IndexAny(pattern, "*?")
	if first < 0 {
		return pattern == text
	}
	if !strings.HasSuffix(text, pattern[strings.LastIndexAny(pattern, "*?")+1:]) || !strings.HasPrefix(text, pattern[:first]) {
		return false
	}
	p, s := []rune(pattern), []rune(text)
	at, star, from := 0, -1, 0
	for i := 0; i < len(s); {
		switch {
		case at < len(p) && p[at] == '*':
			star, from = at, i
			at++
		case at < len(p) && (p[at] == '?' || p[at] == s[i]):
			at, i = at+1, i+1
		case star >= 0:
			from++
			at, i = star+1, from
		default:
			return false
		}
	}
	for at < len(p) && p[at] == '*' {
		at++
	}
	return at == len(p)
}

// Set holds the exceptions of one account, ready for lookup by many findings.
type Set struct {
	list   []posture.Exception
	named  map[string][]int // positions of those that name resources, by resource
	others []int            // positions of the rest
}

// For returns the exceptions that are active at a time and apply to all accounts or to the account
// known by the given names. The one that ends last comes first; ties are ordered by id.
func For(all []posture.Exception, now time.Time, names ...string) Set {
	var s Set
	for _, e := range all {
		if e.At(now).State == posture.ExceptionActive && !everything(e.Match) && (e.Account == "" || slices.Contains(names, e.Account)) {
			s.list = append(s.list, e)
		}
	}
	slices.SortFunc(s.list, Compare)
	s.named = map[string][]int{}
	for i, e := range s.list {
		if len(e.Match.ResourceIDs) == 0 {
			s.others = append(s.others, i)
		}
		for _, id := range e.Match.ResourceIDs {
			s.named[id] = append(s.named[id], i)
		}
	}
	return s
}

// Compare orders exceptions by end, last first, then by id.
func Compare(a, b posture.Exception) int {
	switch {
	case a.ExpiresAt == nil && b.ExpiresAt != nil:
		return -1
	case a.ExpiresAt != nil && b.ExpiresAt == nil:
		return 1
	case a.ExpiresAt != nil && !a.ExpiresAt.Equal(*b.ExpiresAt):
		return b.ExpiresAt.Compare(*a.ExpiresAt)
	default:
		return strings.Compare(a.ID, b.ID)
	}
}

// Of returns the exception that applies to a finding, or nil.
func (s Set) Of(f *posture.Finding) *posture.Exception {
	if !Accepts(f.Result) {
		return nil
	}
	// Only those that may match are asked, in the order of the list: accepting all of a large account makes
	// exceptions that name tens of thousands of resources.
	for named, others := s.named[f.Resource.ID], s.others; len(named)+len(others) > 0; {
		from := &named
		if len(named) == 0 || len(others) > 0 && others[0] < named[0] {
			from = &others
		}
		i := (*from)[0]
		if *from = (*from)[1:]; covers(&s.list[i].Match, f) {
			return &s.list[i]
		}
	}
	return nil
}

// Note describes in one line why a risk is accepted, by whom and until when.
func Note(e posture.Exception) string {
	until := "without an end"
	if e.ExpiresAt != nil {
		until = "until " + e.ExpiresAt.UTC().Format(time.DateOnly)
	}
	return fmt.Sprintf("%s (accepted by %s, %s)", e.Reason, e.Owner, until)
}
