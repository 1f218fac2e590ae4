package email

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// spfWalk follows an SPF record through the records it includes, and records which look-ups that
// needed.
type spfWalk struct {
	view    *check.View
	asked   []snapshot.Question
	unowned string // a domain on the way that nobody has registered
}

// record returns the SPF record at another name: Yes when there is exactly one, No when receivers
// would give up there, Undecided when it is not known.
func (w *spfWalk) record(name string) (mailauth.SPF, truth.Value) {
	if mailauth.Macro(name) {
		return mailauth.SPF{}, truth.Undecided
	}
	w.asked = append(w.asked, textsOf(name))
	texts, known := lookedUp(w.view, name)
	if !known {
		return mailauth.SPF{}, truth.Undecided
	}
	var found []mailauth.SPF
	for _, t := range texts {
		if mailauth.IsSPF(t) {
			found = append(found, mailauth.ParseSPF(t))
		}
	}
	if len(found) != 1 {
		return mailauth.SPF{}, truth.No
	}
	return found[0], truth.Yes
}

// owned looks whether somebody owns the domain of a name elsewhere whose servers pass.
func (w *spfWalk) owned(name string) {
	domain, can := exposure.Registrable(name)
	if !can || exposure.Within(name, w.view.Zone().Name) {
		return
	}
	q := snapshot.Question{Type: "NS", Name: domain}
	w.asked = append(w.asked, q)
	if l, ok := check.ReadOptionalAt(w.view, snapshot.DNSLookup, q.Scope()); ok && l.Missing() {
		w.unowned = domain
	}
}

// end returns the qualifier of the term for every other sender, following redirects; 0 when no
// record on the way has one. known is false when a redirect leads to a name without a look-up, or
// to one where receivers give up, which has a finding of its own.
func (w *spfWalk) end(s mailauth.SPF) (qualifier byte, known bool) {
	for range mailauth.LookupLimit {
		if q := s.All(); q != 0 || s.Redirect() == "" {
			return q, true
		}
		next, found := w.record(s.Redirect())
		if found != truth.Yes {
			return 0, false
		}
		s = next
	}
	return 0, false
}

// spfCost is what a record costs a receiver. lookups is the minimum when something on the way is
// not known.
type spfCost struct {
	lookups int
	known   bool
	broken  string // why receivers give up, "" when they do not
	source  snapshot.Named
}

// cost uses the provider's inspection, or otherwise follows the record itself. A record without
// includes is counted without either.
func (w *spfWalk) cost(s mailauth.SPF) spfCost {
	c := spfCost{known: true, source: snapshot.ZoneDNSRecords}
	if s.Broken != "" {
		c.broken = "receivers cannot read one of its terms" // the term may contain anything
	}
	if s.Lookups() > 0 && s.Lookups() <= mailauth.LookupLimit {
		if i, ok := check.ReadOptional(w.view, snapshot.ZoneSPFInspect); ok && i.TotalLookups != nil {
			c.lookups, c.source = *i.TotalLookups, snapshot.ZoneSPFInspect
			if len(i.Errors) > 0 && c.broken == "" {
				c.broken = "the inspection reports " + i.Errors[0]
			}
			return c
		}
		if len(s.Nested()) > 0 {
			c.source = snapshot.DNSLookup
		}
	}
	w.add(&c, s)
	return c
}

// add follows a record. It stops above the limit, beyond which nothing more can be learned, so a
// record that includes itself ends too.
func (w *spfWalk) add(c *spfCost, s mailauth.SPF) {
	c.lookups += s.Lookups()
	for _, name := range s.Nested() {
		if c.lookups > mailauth.LookupLimit {
			return
		}
		next, found := w.record(name)
		switch {
		case found == truth.Undecided:
			c.known = false
			continue
		case found == truth.No && c.broken == "":
			c.broken = name + " has not one SPF record"
		case next.Broken != "" && c.broken == "":
			c.broken = "receivers cannot read a term in the record of " + name
		}
		w.add(c, next)
	}
}

// above reports whether the record needs more look-ups than a limit.
func (c spfCost) above(limit int) truth.Value {
	if c.lookups > limit {
		return truth.Yes
	}
	return truth.If(c.known, false)
}

// ranges lists the addresses that pass by the record and by those it includes, or are neutral to it. known
// is false when one of these could not be read. Each record counts once, and no more of them than receivers
// would read.
func (w *spfWalk) ranges(s mailauth.SPF) (out []netip.Prefix, known bool) {
	known = true
	seen := map[string]bool{}
	instead := s.Redirect() // of the record itself; what is neutral to an included one is not matched
	for queue := []mailauth.SPF{s.Unrefused()}; len(queue) > 0; queue = queue[1:] {
		out = append(out, queue[0].Ranges()...)
		for _, t := range queue[0].Terms {
			if t.Name != "exists" || t.Qualifier != '+' {
				continue
			}
			all := w.matchesAll(t.Value)
			if known = known && all != truth.Undecided; all == truth.Yes {
				out = append(out, netip.PrefixFrom(netip.IPv4Unspecified(), 0))
			}
		}
		for _, name := range queue[0].Included() {
			if seen[name] || len(seen) == mailauth.LookupLimit {
				continue
			}
			seen[name] = true
			next, found := w.record(name)
			if name == instead {
				next, instead = next.Unrefused(), next.Redirect()
			}
			switch found {
			case truth.Yes:
				queue = append(queue, next)
			case truth.No:
				w.owned(name)
			}
			known = known && found != truth.Undecided
		}
	}
	return out, known
}
