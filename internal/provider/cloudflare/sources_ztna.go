package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// ztnaSources are the reads of Zero Trust and private networks.
func ztnaSources() []Source {
	return []Source{
		accessIDPs(), accessServiceTokens(), mcpServers(),
		accountTeamnetRoutes(), tunnelConnections(),
		accountGatewayRules(), accountGatewayConfig(), accountGatewayLogging(), accountDLPProfiles(), accountCASBIntegrations(), accountCASBFindings(),
		accountDevicePolicy(), accountDevicePolicies(), accountDeviceSettings(), accountDeviceOverride(), accountDevicePosture(),
		accountMagicIPsec(), accountMagicGRE(), accountPhase(snapshot.AccountPhaseMagic, "Account: Magic Firewall Read"), accountDNSFirewall(),
	}
}
