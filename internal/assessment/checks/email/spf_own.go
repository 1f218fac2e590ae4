package email

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Receivers give up above these limits (RFC 7208, section 4.6.4).
const (
	mostMailHosts = 10 // of one mx term
	mostVoid      = 2  // look-ups without an answer
)

// givesUp returns why receivers give up on the record because of what its a, mx and exists terms, and those of the records
// that it includes, lead to; "" when nothing is known that makes them.
func (w *spfWalk) givesUp(s mailauth.SPF) string {
	void, why := 0, ""
	seen := map[string]bool{}
	w.visit(s, w.view.Zone().Name, seen, func(t mailauth.Term, name string) {
		hosts, known := 0, false
		switch t.Name {
		case "mx":
			hosts, known = w.mailHosts(name)
		case "a", "exists":
			_, known = w.address(name) // it does not exist
		}
		if hosts > mostMailHosts && why == "" {
			why = fmt.Sprintf("%s has %d mail hosts, and receivers look up %d at most", name, hosts, mostMailHosts)
		}
		if known && hosts == 0 {
			void++
		}
		if t.Qualifier == '+' && (t.Name == "mx" || known) {
			w.owned(name)
		}
	})
	if why == "" && void > mostVoid {
		why = fmt.Sprintf("%d of its terms name hosts that do not exist, and receivers give up after %d", void, mostVoid)
	}
	return why
}

// visit calls see with the terms of a record at a name, and of the records that it includes, that ask for a name which is known
// before a message arrives. It follows no more records than receivers do.
func (w *spfWalk) visit(s mailauth.SPF, at string, seen map[string]bool, see func(t mailauth.Term, name string)) {
	for _, t := range s.Terms {
		name := cmp.Or(t.Host(), at)
		switch {
		case mailauth.Macro(name):
		case t.Name == "include" || t.Name == "redirect":
			if seen[name] || len(seen) == mailauth.LookupLimit {
				continue
			}
			seen[name] = true
			if next, found := w.record(name); found == truth.Yes {
				w.visit(next, name, seen, see)
			}
		case t.Name == "a" || t.Name == "mx" || t.Name == "exists":
			see(t, name)
		}
	}
}

// mailHosts counts the mail hosts of a name, by the records of the zone or a look-up.
func (w *spfWalk) mailHosts(name string) (hosts int, known bool) {
	at, known := w.at(name)
	for _, r := range at {
		switch r.Type {
		case "MX":
			hosts++
		case "CNAME":
			known = false
		}
	}
	if known {
		return hosts, true
	}
	q := snapshot.Question{Type: "MX", Name: name}
	w.asked = append(w.asked, q)
	l, ok := check.ReadOptionalAt(w.view, snapshot.DNSLookup, q.Scope())
	return len(l.Answers), ok && (l.Rcode == "NOERROR" || l.Missing())
}

// address reports whether a name has an IPv4 address, by the records of the zone or a look-up; gone
// says that it does not exist.
func (w *spfWalk) address(name string) (has truth.Value, gone bool) {
	if w.answers(name) {
		return truth.Yes, false
	}
	q := snapshot.Question{Type: "A", Name: name}
	w.asked = append(w.asked, q)
	l, ok := check.ReadOptionalAt(w.view, snapshot.DNSLookup, q.Scope())
	if !ok || l.Rcode != "NOERROR" && !l.Missing() {
		return truth.Undecided, false
	}
	return truth.Is(len(l.Answers) > 0), l.Rcode == "NXDOMAIN"
}

// matchesAll reports whether an exists term matches every sender: its name has an address, whoever
// asks. Of a name with a macro only a wildcard of the zone can tell.
func (w *spfWalk) matchesAll(name string) truth.Value {
	if !mailauth.Macro(name) {
		has, _ := w.address(name)
		return has
	}
	end := name[strings.LastIndexByte(name, '}')+1:]
	return truth.Is(strings.HasPrefix(end, ".") && !mailauth.Macro(end) && w.answers("zq8x7v"+end))
}

// answers reports whether records of the zone certainly give a name an IPv4 address.
func (w *spfWalk) answers(name string) bool {
	at, known := w.at(name)
	return known && slices.ContainsFunc(at, func(r snapshot.DNSRecord) bool {
		return r.Type == "A" || r.Proxied && (r.Type == "AAAA" || r.Type == "CNAME")
	})
}

// at returns the records that answer for a name of the zone. known is false for a name elsewhere or delegated.
func (w *spfWalk) at(name string) (out []snapshot.DNSRecord, known bool) {
	zone := w.view.Zone().Name
	if !exposure.Within(name, zone) || slices.ContainsFunc(check.Read(w.view, snapshot.ZoneDNSRecords), func(r snapshot.DNSRecord) bool {
		return r.Type == "NS" && !exposure.Same(r.Name, zone) && exposure.Within(name, r.Name)
	}) {
		return nil, false
	}
	out, _ = answering(w.view, name)
	return out, true
}
