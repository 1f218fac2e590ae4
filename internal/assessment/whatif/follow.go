package whatif

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// unseen is the reason given for data that only a read after the change would show.
const unseen = "what Cloudflare answers here once the change is made is not known"

// follow applies the consequences of the changes: sources that are no longer read, sources that are
// read only now, and new answers of DNS look-ups.
func (w *world) follow() {
	for _, k := range w.keys() {
		w.besides(k)
	}
	before := w.known(false)
	for done := map[string]bool{}; ; {
		next := slices.DeleteFunc(w.keys(), func(k key) bool { return done[k.source] })
		if len(next) == 0 {
			break
		}
		for _, k := range next {
			done[k.source] = true
		}
		after := w.known(true)
		for _, s := range w.sources {
			zones := []string{}
			for _, k := range next {
				switch {
				case s.Parent != k.source && !slices.Contains(s.After, k.source):
				case snapshot.LevelOf(k.source) != snapshot.LevelZone:
					zones = nil // all zones
				case zones != nil:
					zones = append(zones, k.scope)
				}
			}
			if zones == nil || len(zones) > 0 {
				w.reread(s, zones, before, after)
			}
		}
	}
	w.names()
}

// reread finds the scopes of a source that are read only after the changes, or no longer, in some
// zones or in all (nil).
func (w *world) reread(s snapshot.Source, zones []string, before, after *snapshot.Known) {
	left := func(z snapshot.Zone) bool { return zones != nil && !slices.Contains(zones, z.ID) }
	account := w.snap.Account.ID
	switch at := (snapshot.SourceScope{AccountID: account}); s.Level() {
	case snapshot.LevelZone:
		for _, z := range w.zones {
			if at.Zone = z; !left(z) {
				w.skip(s, at, before, after)
			}
		}
	case snapshot.LevelItem:
		if s.Items == nil {
			return
		}
		if !snapshot.InZone(s.Name) {
			w.items(s, at, s.Items(before, account), s.Items(after, account), before, after)
			return
		}
		for _, z := range w.zones {
			if at.Zone = z; left(z) {
				continue
			}
			w.items(s, at, s.Items(before, z.ID), s.Items(after, z.ID), before, after)
		}
	default:
		w.skip(s, at, before, after)
	}
}

// skip applies the rule that decides whether a source is skipped.
func (w *world) skip(s snapshot.Source, at snapshot.SourceScope, before, after *snapshot.Known) {
	k := key{s.Name, s.Scope(at)}
	if _, edited := w.edited[k]; edited {
		return
	}
	switch was, is := s.SkipReason(before, at), s.SkipReason(after, at); {
	case was == "" && is != "":
		w.edited[k] = section{status: snapshot.Skipped, reason: is}
	case was != "" && is == "":
		if _, planned := w.snap.Whole(k.source, k.scope); planned {
			w.edited[k] = section{status: snapshot.Failed, reason: unseen}
		}
	}
}

// items follows changes of the list whose items a source is read for.
func (w *world) items(s snapshot.Source, at snapshot.SourceScope, was, is []string, before, after *snapshot.Known) {
	for _, item := range was {
		if at.Item = item; !slices.Contains(is, item) {
			w.edited[key{s.Name, s.Scope(at)}] = section{gone: true}
		} else {
			w.skip(s, at, before, after)
		}
	}
	for _, item := range is {
		at.Item = item
		k := key{s.Name, s.Scope(at)}
		if _, edited := w.edited[k]; edited || slices.Contains(was, item) {
			continue
		}
		if reason := s.SkipReason(after, at); reason != "" {
			w.edited[k] = section{status: snapshot.Skipped, reason: reason}
		} else {
			w.edited[k] = fresh(s.Name)
		}
	}
}

// fresh returns what Cloudflare answers for a newly created item, where that is documented.
func fresh(source string) section {
	switch source {
	case snapshot.R2ManagedDomain.Source():
		return section{status: snapshot.OK, value: object{"enabled": false}}
	case snapshot.R2CustomDomains.Source(), snapshot.R2Lock.Source(), snapshot.AccountListItems.Source(),
		snapshot.TunnelConnections.Source():
		return section{status: snapshot.OK, value: []any{}}
	case snapshot.R2CORS.Source():
		return section{status: snapshot.Absent}
	default:
		return section{status: snapshot.Failed, reason: unseen}
	}
}

// names recomputes the look-ups of names whose records change.
func (w *world) names() {
	type name struct{ kind, name string }
	changed := map[name]bool{}
	var records []any
	for _, z := range w.zones {
		k := key{snapshot.ZoneDNSRecords.Source(), z.ID}
		if _, edited := w.edited[k]; !edited || z.Status != "active" {
			continue
		}
		was, _ := w.before(k)
		is, _ := w.get(k)
		count := map[string]int{}
		for _, v := range of(was) {
			count[string(encoded(v))]--
		}
		for _, v := range of(is) {
			records = append(records, v)
			count[string(encoded(v))]++
		}
		for _, v := range slices.Concat(of(was), of(is)) {
			if count[string(encoded(v))] != 0 {
				changed[name{text(member(v, "type")), hostOf(v)}] = true
			}
		}
	}
	if len(changed) == 0 {
		return
	}
	for _, scope := range w.snap.Scopes(snapshot.DNSLookup.Source()) {
		kind, host, _ := strings.Cut(scope, " ")
		old, _ := snapshot.Read(w.snap, snapshot.DNSLookup, scope)
		through := slices.ContainsFunc(old.Chain, func(c string) bool {
			c = strings.ToLower(strings.TrimSuffix(c, "."))
			return changed[name{kind, c}] || changed[name{"CNAME", c}]
		})
		if !through && !changed[name{kind, host}] && !changed[name{"CNAME", host}] {
			continue
		}
		k := key{snapshot.DNSLookup.Source(), scope}
		if answer, is := answered(records, kind, host); is && !through {
			w.edited[k] = section{status: snapshot.OK, value: answer}
		} else {
			w.edited[k] = section{status: snapshot.Failed, reason: "the name system was not asked after the change"}
		}
	}
}

func hostOf(record any) string {
	return strings.ToLower(strings.TrimSuffix(text(member(record, "name")), "."))
}

// answered returns the DNS answer for a name served from the records of a zone; ok is false where
// it leads out of the zone.
func answered(records []any, kind, host string) (any, bool) {
	answers, rcode := []any{}, "NXDOMAIN"
	for _, r := range records {
		name, is := hostOf(r), text(member(r, "type"))
		switch {
		case strings.HasPrefix(name, "*.") && strings.HasSuffix(host, name[1:]) && rcode == "NXDOMAIN":
			return nil, false
		case name != host && strings.HasSuffix(name, "."+host):
			rcode = "NOERROR"
		case name != host:
		case is == "CNAME", is == kind && member(r, "proxied") == true, is == kind && kind != "TXT" && kind != "A" && kind != "AAAA":
			return nil, false
		case is == kind && kind == "TXT":
			answers, rcode = append(answers, unquoted(text(member(r, "content")))), "NOERROR"
		case is == kind:
			answers, rcode = append(answers, text(member(r, "content"))), "NOERROR"
		default:
			rcode = "NOERROR"
		}
	}
	slices.SortFunc(answers, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	return object{"rcode": rcode, "answers": answers}, true
}

// unquoted joins the strings of a TXT record (RFC 1035, section 3.3.14).
func unquoted(content string) string {
	if !strings.HasPrefix(content, `"`) {
		return content
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(content, `"`), `"`), `" "`)
	return strings.ReplaceAll(strings.Join(parts, ""), `\"`, `"`)
}
