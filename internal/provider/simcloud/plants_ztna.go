package simcloud

import "slices"

// plantsZtna misconfigure Zero Trust and private networks.
func plantsZtna() []Plant {
	return slices.Concat(plantsApps(), plantsTrust(), plantsServiceTokens(), plantsProviders(), plantsZeroTrust(), plantsTunnels(),
		plantsGateway(), plantsGatewayDoors(), plantsData(), plantsDevices(), plantsClient(), plantsDoorkeepers(), plantsConnectors(),
		plantsSites())
}

// Slots of state that several plants of Zero Trust share.
const (
	slotTokenUse = "service-token-use" // whether a policy admits every token
	slotIDPs     = "identity-providers"
	slotOrg      = "access-organisation"
)

// claiming gives a plant the slots of state it shares with others.
func (p Plant) claiming(slots ...string) Plant {
	p.slots = append([]string{p.CheckID + "/" + p.Variant}, slots...)
	return p
}

// onAccess limits a plant to accounts with Access.
func (p Plant) onAccess() Plant { return p.when(usesAccess) }

// found is a plant on the account that names the resource it made.
func found(check, variant, result, kind string, change func(*account) string) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: kind,
		Apply: func(s *Scene) []Planted { return one(check, kind, change(s.account), result) }}
}
