package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ask returns the lanes of the request: one, unless rules depend on something that the request
// leaves open.
func ask[T any](w *walk, a traffic.Aspect[T]) []traffic.Lane[T] {
	return a.Of(w.host.Name, w.condition).KeptLanes(w.kept, w.snap, w.zone)
}

// depends names what distinguishes the lanes of a request, as the end of a sentence.
func depends[T any](lanes []traffic.Lane[T]) string {
	seen := map[string]map[string]bool{}
	for _, l := range lanes {
		for name, v := range l.Example().Fields {
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][fmt.Sprint(v)] = true
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if len(seen[name]) > 1 {
			out = append(out, fieldWord(name))
		}
	}
	if len(out) == 0 {
		return "more than the request tells"
	}
	return list(out)
}

// fieldWord describes a field in plain words.
func fieldWord(name string) string {
	if header, ok := strings.CutPrefix(name, `http.request.headers["`); ok {
		return "the request header " + strings.TrimSuffix(header, `"]`)
	}
	words := map[string]string{
		"ip.src": "the address of the visitor", "ip.src.country": "the country of the visitor", "ip.src.asnum": "the network of the visitor",
		"ip.src.continent": "the continent of the visitor", "http.user_agent": "the user agent", "http.cookie": "the cookies",
		"http.referer": "the referrer", "cf.bot_management.score": "the bot score", "cf.threat_score": "the threat score",
		"cf.client.bot": "whether it is a known bot", "cf.tls_client_auth.cert_verified": "whether a client certificate is shown",
		"http.request.method": "the method", "cf.bot_management.verified_bot": "whether it is a verified bot",
		"cf.bot_management.ja3_hash": "the TLS fingerprint", "cf.bot_management.ja4": "the TLS fingerprint",
		"cf.waf.score": "the attack score", "cf.waf.score.class": "the attack score",
		"cf.waf.content_scan.has_malicious_obj":   "whether an upload holds malware",
		"cf.waf.credential_check.password_leaked": "whether a leaked password is used",
	}
	if word, known := words[name]; known {
		return word
	}
	return strings.TrimPrefix(name, "$")
}

// doubtful marks a step as undecided because of a section that was not read, or for a reason in
// words.
func (w *walk) doubtful(s PhaseStep, d traffic.Doubt) PhaseStep {
	why, permission := d.Why, ""
	if d.Source != nil {
		sec := w.snap.SectionOf(d.Source, d.Scope)
		permission = sec.Permission
		why = "not known, because " + d.Source.Source() + " was not read"
		if sec.Reason != "" {
			why += ": " + sec.Reason
		}
	}
	return unclear(s, why, permission)
}

// unclear marks a step as undecided.
func unclear(s PhaseStep, why, permission string) PhaseStep {
	s.Outcome, s.Detail = Unclear, sentence(why)
	s.gap = &Gap{What: s.Title, Why: s.Detail, Permission: permission}
	return s
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// missing returns the doubt about a section that is not known, or nil.
func (w *walk) missing(n snapshot.Named) *traffic.Doubt {
	scope := w.zone.ID
	if snapshot.LevelOf(n.Source()) != snapshot.LevelZone {
		scope = w.snap.Account.ID
	}
	if sec := w.snap.SectionOf(n, scope); !sec.Status.Known() && sec.Status != snapshot.NotEntitled {
		return &traffic.Doubt{Source: n, Scope: scope}
	}
	return nil
}

// read returns a section of the zone or of the account, and the doubt when it is not known.
func read[T any](w *walk, k snapshot.Key[T]) (T, *traffic.Doubt) {
	scope := w.zone.ID
	if snapshot.LevelOf(k.Source()) != snapshot.LevelZone {
		scope = w.snap.Account.ID
	}
	v, _ := snapshot.Read(w.snap, k, scope)
	return v, w.missing(k)
}

// byOf converts a deciding rule or setting; nil for none.
func byOf(b traffic.By) *By {
	if b.Source == nil {
		return nil
	}
	setting := strings.TrimPrefix(b.Pointer, "/")
	id, _, _ := strings.Cut(setting, "/")
	out := &By{Source: b.Source.Source(), Pointer: b.Pointer, ID: cmp.Or(b.Rule, id), Name: cmp.Or(b.Name, "the setting "+setting),
		Scope: "zone"}
	if b.Account {
		out.Scope = "account"
	}
	return out
}

func overrode(all []traffic.By) []By {
	var out []By
	for _, b := range all {
		if by := byOf(b); by != nil {
			out = append(out, *by)
		}
	}
	return out
}

// taken is a rule or list entry with its condition and its index in the list.
type taken struct {
	condition string
	by        traffic.By
	rule      *snapshot.Rule
	at        int
}

// overrides names the rules that the deciding one overrides.
func overrides(others []taken) []By {
	all := make([]traffic.By, len(others))
	for i, t := range others {
		all[i] = t.by
	}
	return overrode(all)
}

// rules lists the enabled rules of an entrypoint ruleset of the zone.
func rules(set snapshot.Ruleset, source snapshot.Named) []taken {
	var out []taken
	for i := range set.Rules {
		if r := &set.Rules[i]; r.Enabled {
			out = append(out, taken{condition: r.Expression, rule: r,
				by: traffic.By{Source: source, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name()}})
		}
	}
	return out
}

// met returns the rules whose condition the request meets. If open is not nil, which rules those
// are depends on what it says.
func (w *walk) met(name string, all []taken) (out []taken, open *traffic.Doubt) {
	conditions := make([]string, len(all))
	for i := range all {
		conditions[i], all[i].at = all[i].condition, i
	}
	lanes := ask(w, traffic.Met(name, conditions))
	if len(lanes) == 0 {
		return nil, &traffic.Doubt{Why: "no request of this kind reaches the zone"}
	}
	if len(lanes) > 1 {
		vary := varying(all, lanes)
		return nil, &traffic.Doubt{Why: fmt.Sprintf("whether %s %s the request depends on %s", names(vary), verb(vary, "takes", "take"),
			depends(lanes))}
	}
	for _, hit := range lanes[0].Value {
		if !hit.Sure {
			return out, &traffic.Doubt{Why: "whether " + all[hit.At].by.Name + " takes the request cannot be told from its expression"}
		}
		out = append(out, all[hit.At])
	}
	return out, nil
}

// entry is phase for the rules of an entrypoint ruleset of the zone.
func (w *walk) entry(s PhaseStep, key snapshot.Key[snapshot.Ruleset]) (hits []taken, out PhaseStep, done bool) {
	set, unread := w.kept.Entry(w.snap, w.zone, key)
	return w.phase(s, rules(set, key), unread)
}

// varying returns the rules that match the request in some lanes only.
func varying(all []taken, lanes []traffic.Lane[[]traffic.Hit]) (out []taken) {
	for i, t := range all {
		n := 0
		for _, l := range lanes {
			if slices.ContainsFunc(l.Value, func(h traffic.Hit) bool { return h.At == i && h.Sure }) {
				n++
			}
		}
		if n < len(lanes) && slices.ContainsFunc(lanes, func(l traffic.Lane[[]traffic.Hit]) bool {
			return slices.ContainsFunc(l.Value, func(h traffic.Hit) bool { return h.At == i })
		}) {
			out = append(out, t)
		}
	}
	return out
}

// phase is the common part of most steps: the rules that match the request, or why there are none.
// done is set when the step is complete.
func (w *walk) phase(s PhaseStep, all []taken, unread *traffic.Doubt) (hits []taken, out PhaseStep, done bool) {
	if unread != nil {
		return nil, w.doubtful(s, *unread), true
	}
	if len(all) == 0 {
		s.Outcome, s.Detail = NotConfigured, "There are no rules."
		return nil, s, true
	}
	hits, open := w.met(s.Phase, all)
	if open != nil {
		return nil, w.doubtful(s, *open), true
	}
	if len(hits) == 0 {
		s.Outcome, s.Detail = Passed, fmt.Sprintf("None of the rules (%d) takes the request.", len(all))
		return nil, s, true
	}
	return hits, s, false
}

// mostNamed bounds how many rules one sentence names.
const mostNamed = 4

func names(of []taken) string {
	var out []string
	for _, t := range of {
		out = append(out, t.by.Name)
	}
	if len(out) > mostNamed {
		out = append(out[:mostNamed], fmt.Sprintf("%d more", len(out)-mostNamed))
	}
	return list(out)
}

// verb returns the form that agrees with the number of rules.
func verb(of []taken, one, many string) string {
	if len(of) == 1 {
		return one
	}
	return many
}
