package simcloud

import "slices"

// plantsZtna misconfigure Zero Trust and private networks.
func plantsZtna() []Plant {
	return slices.Concat(plantsApps(), plantsTrust(), plantsServiceTokens(), plantsProviders(), plantsZeroTrust(), plantsTunnels(),
		plantsGateway(), plantsGatewayDoors(), plantsData(), plantsDevices(), plantsClient(), plantsDoorkeepers(), plantsConnectors(),
		plantsSites())
}

// Slots of state that several Zero Trust plants share.
const (
	slotTokenUse = "service-token-use" // whether a policy admits every service token
	slotIDPs     = "identity-providers"
	slotOrg      = "access-organisation"
)

// claiming adds slots that the plant shares with others to its own.
func (p Plant) claiming(slots ...string) Plant {
	p.slots = append([]string{p.CheckID + "/" + p.Variant}, slots...)
	return p
}

// onAccess limits a plant to accounts with Access.
func (p Plant) onAccess() Plant { return p.when(usesAccess) }

// found returns an account plant whose finding is the resource it creates.
func found(check, variant, result, kind string, change func(*account) string) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: kind,
		Apply: func(s *Scene) []Planted { return one(check, kind, change(s.account), result) }}
}
