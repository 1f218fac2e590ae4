package snapshot

import "slices"

// ZoneEmailCatchAll tells what happens to mail for addresses nobody created.
const ZoneEmailCatchAll Key[CatchAll] = "zone/email_catch_all"

// CatchAll is what happens to mail for addresses nobody created. A nil switch
// was not told.
type CatchAll struct {
	Enabled *bool         `json:"enabled,omitempty"`
	Actions []MailForward `json:"actions"`
}

// MailForward is one action; of addresses only the domains are kept.
type MailForward struct {
	Type    string   `json:"type"`
	Domains []string `json:"domains,omitempty"`
}

type catchAllWire struct {
	Enabled *bool `json:"enabled"`
	Actions []struct {
		Type  string   `json:"type"`
		Value []string `json:"value"`
	} `json:"actions"`
}

func reduceCatchAll(w catchAllWire) CatchAll {
	out := CatchAll{Enabled: w.Enabled, Actions: []MailForward{}}
	for _, a := range w.Actions {
		f := MailForward{Type: a.Type}
		for _, value := range a.Value {
			if a.Type != "forward" {
				break // the name of a Worker is not needed
			}
			_, domain := maskEmail(value)
			f.Domains = append(f.Domains, domain)
		}
		slices.Sort(f.Domains)
		f.Domains = slices.Compact(f.Domains)
		out.Actions = append(out.Actions, f)
	}
	return out
}

// zoneEmailCatchAll reads what happens to mail for addresses nobody created; of
// a forward only the domain is kept
// (developers.cloudflare.com/api/resources/email_routing/subresources/rules/subresources/catch_alls/methods/get/).
func zoneEmailCatchAll() Source {
	return object(ZoneEmailCatchAll, Source{
		Path: "/zones/{zone_id}/email/routing/rules/catch_all", Permission: "Zone: Email Routing Rules Read",
		After: []string{ZoneEmailRouting.Source()},
		Skip: func(k *Known, t SourceScope) string {
			switch k.Status(ZoneEmailRouting, t.Zone.ID) {
			case Skipped, Absent, NotEntitled:
				return "Email Routing is not in use"
			}
			if r, ok := Cached(k, ZoneEmailRouting, t.Zone.ID); ok && r.Enabled != nil && !*r.Enabled {
				return "Email Routing is not enabled"
			}
			return ""
		},
		Example: `{"id":"drop","tag":"drop","name":"drop","enabled":true,"matchers":[{"type":"all"}],"actions":[{"type":"forward",` +
			`"value":["drop@acme.example"]}]}`,
	}, reduceCatchAll)
}
