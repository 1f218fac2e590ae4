package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// ZoneEmailRules holds what happens to mail for individual addresses.
const ZoneEmailRules Key[[]MailRule] = "zone/email_rules"

// MailRule is what happens to mail for one address. Control is that address if it proves control of
// a domain, such as postmaster@; of others only a masked form is kept. Matcher is what stands in place of
// an address, such as "all" for the catch-all address, which the list repeats. A nil switch was not returned.
type MailRule struct {
	ID      string        `json:"id"`
	To      string        `json:"to"`
	Control string        `json:"control,omitempty"`
	Matcher string        `json:"matcher,omitempty"`
	Enabled *bool         `json:"enabled,omitempty"`
	Actions []MailForward `json:"actions"`
}

// CatchAll reports whether the rule is for all addresses that have no rule.
func (r MailRule) CatchAll() bool { return r.Matcher == "all" }

// SortKey orders rules by id.
func (r MailRule) SortKey() string { return r.ID }

type mailActionWire struct {
	Type  string   `json:"type"`
	Value []string `json:"value"`
}

// reduceMailAction keeps the domains and short digests of addresses, which distinguish two
// addresses without storing either.
func reduceMailAction(a mailActionWire) MailForward {
	f := MailForward{Type: a.Type}
	for _, value := range a.Value {
		switch a.Type {
		case "forward":
			_, domain := maskEmail(value)
			f.Domains, f.Keys = append(f.Domains, domain), append(f.Keys, addressKey(value))
		case "worker":
			f.Workers = append(f.Workers, value)
		}
	}
	for _, all := range []*[]string{&f.Domains, &f.Keys, &f.Workers} {
		slices.Sort(*all)
		*all = slices.Compact(*all)
	}
	return f
}

// addressKey is a short digest of a mail address.
func addressKey(address string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(address))))
	return hex.EncodeToString(sum[:4])
}

// controlNames are the mailboxes to which certificate authorities send proofs of domain control:
// CA/Browser Forum Baseline Requirements, 3.2.2.4.4.
func controlNames() []string {
	return []string{"admin", "administrator", "webmaster", "hostmaster", "postmaster"}
}

type mailRuleWire struct {
	ID       string           `json:"id"`
	Enabled  *bool            `json:"enabled"`
	Actions  []mailActionWire `json:"actions"`
	Matchers []struct {
		Type  string `json:"type"`
		Field string `json:"field"`
		Value string `json:"value"`
	} `json:"matchers"`
}

func reduceMailRule(w mailRuleWire) MailRule {
	r := MailRule{ID: w.ID, Enabled: w.Enabled, Actions: []MailForward{}}
	for _, m := range w.Matchers {
		if m.Type != "literal" {
			r.Matcher = m.Type
		}
		if m.Type != "literal" || m.Field != "to" {
			continue
		}
		r.To, _ = maskEmail(m.Value)
		if local, _, _ := strings.Cut(strings.ToLower(m.Value), "@"); slices.Contains(controlNames(), local) {
			r.Control = strings.ToLower(m.Value)
			r.To = r.Control
		}
	}
	for _, a := range w.Actions {
		r.Actions = append(r.Actions, reduceMailAction(a))
	}
	return r
}

// noMailRouting skips sources that matter only if Cloudflare receives the mail of a zone.
func noMailRouting(k *Known, t SourceScope) string {
	switch k.Status(ZoneEmailRouting, t.Zone.ID) {
	case Skipped, Absent, NotEntitled:
		return "Email Routing is not in use"
	}
	if r, ok := Cached(k, ZoneEmailRouting, t.Zone.ID); ok && r.Enabled != nil && !*r.Enabled {
		return "Email Routing is not enabled"
	}
	return ""
}

// zoneEmailRules lists what happens to mail for individual addresses, without the addresses
// (developers.cloudflare.com/api/resources/email_routing/subresources/rules/methods/list/).
func zoneEmailRules() Source {
	return list(ZoneEmailRules, Source{
		Path: "/zones/{zone_id}/email/routing/rules", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: "Zone: Email Routing Rules Read", After: []string{ZoneEmailRouting.Source()}, Skip: noMailRouting,
		Example: `[{"id":"r1","tag":"drop","name":"drop","enabled":true,"priority":0,"matchers":[{"type":"literal","field":"to",` +
			`"value":"drop@acme.example"}],"actions":[{"type":"forward","value":["drop@acme.example"]}]}]`,
	}, reduceMailRule)
}
