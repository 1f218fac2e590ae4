package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// accountPhase is an example edit: the account has an entrypoint ruleset in a phase.
func accountPhase(phase string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountRulesets, goodtest.Account, []snapshot.RulesetInfo{{ID: "root", Kind: "root", Phase: phase}})
	}
}

// configMode is an example edit that adds one rule that sets the TLS mode.
func configMode(expression, mode string) func(*snapshot.Builder) {
	return entryPoint(snapshot.ZonePhaseConfig, configRule("c1", expression, mode))
}

// configRule returns an example rule that sets the TLS mode.
func configRule(id, expression, mode string) snapshot.Rule {
	return goodtest.ConfigRule(id, expression, snapshot.ConfigParams{SSL: mode})
}

// target is an example edit that sets the target of all proxied names of the zone.
func target(kind, content string) func(*snapshot.Builder) {
	return goodtest.Edits(goodtest.OwnHosts, goodtest.EditRecords(func(r *snapshot.DNSRecord) {
		if r.Proxied {
			r.Type, r.Content = kind, content
		}
	}))
}

// customer is an example edit that adds a customer's hostname with TLS settings of its own to the zone.
func customer(floor string, wildcard bool, suites ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{{ID: "c1", Hostname: "shop.customer.example",
			Status: "active", MinTLS: floor, Ciphers: suites, Wildcard: wildcard}})
	}
}

// direct is an example edit that adds a name that is not proxied to the zone.
func direct(label string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "h2", Name: label + "." + goodtest.Domain, Type: "A", Content: "45.60.10.9",
		Proxiable: true})
}

// answering is an example edit that adds a proxied name to the zone.
func answering(label string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "h1", Name: label + "." + goodtest.Domain, Type: "A", Content: "45.60.10.9",
		Proxied: true, Proxiable: true})
}
