package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// deliverySources are the reads of what serves and shapes traffic.
func deliverySources() []Source {
	return []Source{
		zonePhase(snapshot.ZonePhaseCache, "Zone: Cache Rules Read"),
		zoneSecurityTxt(),
		zonePageShield(), zonePageShieldScripts(), zonePageShieldConnections(), zonePageShieldPolicies(),
		zoneAPIOperations(), zoneAPIDiscovery(), zoneAPIConfiguration(), zoneAPILabels(), zoneSchemaSettings(), zoneSchemas(), zoneTokenRules(),
		accountLBPools(), accountLBMonitors(), zoneLoadBalancers(), zoneHealthChecks(), zoneSpectrumApps(),
		zoneCustomHostnames(), zoneFallbackOrigin(),
		accessCertificates(), mtlsCertificates(), zoneAOPSettings(), zoneAOPCertificates(), zoneAOPHostCertificates(), zoneClientCertificates(), zoneMTLSHostnames(),
		accountTurnstile(), zoneZarazConfig(), zoneSnippets(), snippetContent(),
	}
}
