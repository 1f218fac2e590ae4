package snapshot

// ZoneEmailCatchAll holds what happens to mail for undefined addresses.
const ZoneEmailCatchAll Key[CatchAll] = "zone/email_catch_all"

// CatchAll is what happens to mail for undefined addresses. A nil switch was not returned.
type CatchAll struct {
	Enabled *bool         `json:"enabled,omitempty"`
	Actions []MailForward `json:"actions"`
}

// MailForward is one action; only the domains of addresses are kept.
type MailForward struct {
	Type    string   `json:"type"`
	Domains []string `json:"domains,omitempty"`
	Keys    []string `json:"keys,omitempty"`    // short digests, to distinguish addresses
	Workers []string `json:"workers,omitempty"` // script names
}

type catchAllWire struct {
	Enabled *bool            `json:"enabled"`
	Actions []mailActionWire `json:"actions"`
}

func reduceCatchAll(w catchAllWire) CatchAll {
	out := CatchAll{Enabled: w.Enabled, Actions: []MailForward{}}
	for _, a := range w.Actions {
		out.Actions = append(out.Actions, reduceMailAction(a))
	}
	return out
}

// zoneEmailCatchAll reads what happens to mail for undefined addresses; only the domain of a
// forward is kept
// (developers.cloudflare.com/api/resources/email_routing/subresources/rules/subresources/catch_alls/methods/get/).
func zoneEmailCatchAll() Source {
	return object(ZoneEmailCatchAll, Source{
		Path: "/zones/{zone_id}/email/routing/rules/catch_all", Permission: "Zone: Email Routing Rules Read",
		After: []string{ZoneEmailRouting.Source()},
		Skip:  noMailRouting,
		Example: `{"id":"drop","tag":"drop","name":"drop","enabled":true,"matchers":[{"type":"all"}],"actions":[{"type":"forward",` +
			`"value":["drop@acme.example"]}]}`,
	}, reduceCatchAll)
}
