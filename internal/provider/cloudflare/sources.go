package cloudflare

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Sources lists every read. Adding one is one file and one line in its area.
func Sources() []Source {
	return slices.Concat(baseSources(), ztnaSources(), firewallSources(), deliverySources(), platformSources(), nameSources(), tlsSources(), mailSources())
}

// baseSources are the reads most checks share.
func baseSources() []Source {
	const zoneWAF, accountWAF = "Zone: Zone WAF Read", "Account: Account WAF Read"
	return []Source{
		userTokenVerify(), accountTokenVerify(), userTokenSelf(), accountTokenSelf(), userTokens(), accountTokens(),
		accountList(), zoneList(), accountMembers(), accountSSOConnectors(),
		accountRulesets(),
		firewallPhase(snapshot.AccountPhaseCustom, accountWAF), firewallPhase(snapshot.AccountPhaseManaged, accountWAF),
		firewallPhase(snapshot.AccountPhaseRate, accountWAF), accountRulesetCustom(),
		accountLists(), accountListItems(), accountIPAccessRules(),
		accessOrg(), accessApps(), accessPolicies(), accessGroups(), tunnels(), tunnelConfig(),
		workers(), workerSettings(), r2Buckets(), r2ManagedDomain(),
		alertPolicies(), alertAvailable(), alertWebhooks(), accountLogpushJobs(),
		zoneSettings(), zoneDNSRecords(), zoneDNSSEC(), zoneRulesets(),
		zonePhase(snapshot.ZonePhaseCustom, zoneWAF), zonePhase(snapshot.ZonePhaseManaged, zoneWAF), zonePhase(snapshot.ZonePhaseRate, zoneWAF),
		zonePhase(snapshot.ZonePhaseRedirect, "Zone: Single Redirect Read"), zonePhase(snapshot.ZonePhaseResponse, "Zone: Transform Rules Read"),
		zonePageRules(), zoneOriginCA(), zoneBotManagement(), zoneIPAccessRules(), zoneLogpushJobs(),
	}
}
