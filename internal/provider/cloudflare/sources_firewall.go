package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// firewallSources are the reads of rulesets and what surrounds them.
func firewallSources() []Source {
	return []Source{
		firewallPhase(snapshot.AccountPhaseDDoSL4, "Account: L3/4 DDoS Managed Ruleset Read"),
		firewallPhase(snapshot.AccountPhaseDDoSL7, "Account: DDoS Protection Read"),
		accountPhase(snapshot.AccountPhaseRedirect, "Account: Bulk URL Redirects Read"),
		zonePhase(snapshot.ZonePhaseDDoS, "Zone: HTTP DDoS Managed Ruleset Read"),
		feeding(zonePhase(snapshot.ZonePhaseConfig, "Zone: Config Rules Read")),
		feeding(zonePhase(snapshot.ZonePhaseOrigin, "Zone: Origin Rules Read")),
		zoneLeakedCredentials(), zoneContentScan(), zoneURLNormalization(), zoneManagedHeaders(), zoneHold(),
	}
}

// feeding marks a source the graph or the attack paths need.
func feeding(s Source) Source {
	s.Feeds = true
	return s
}
