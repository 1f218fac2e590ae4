package snapshot

const (
	// IPPrefixes holds the prefixes that the account brought to the provider.
	IPPrefixes Key[[]IPPrefix] = "account/ip_prefixes"
	// PrefixDelegations holds the accounts that may use a prefix.
	PrefixDelegations Key[[]PrefixDelegation] = "prefix/delegations" // scope: prefix id
)

// IPPrefix is an address range that the account brought to the provider. Approved is P while it is
// pending and V when it is active; the states are those of the three validations.
type IPPrefix struct {
	ID        string `json:"id"`
	CIDR      string `json:"cidr"`
	Approved  string `json:"approved,omitempty"`
	IRR       string `json:"irr_validation_state,omitempty"`
	RPKI      string `json:"rpki_validation_state,omitempty"`
	Ownership string `json:"ownership_validation_state,omitempty"`
}

// SortKey orders prefixes by id.
func (p IPPrefix) SortKey() string { return p.ID }

// PrefixDelegation lets another account use part of a prefix.
type PrefixDelegation struct {
	ID      string `json:"id"`
	CIDR    string `json:"cidr"`
	Account string `json:"delegated_account_id"`
}

// SortKey orders delegations by id.
func (d PrefixDelegation) SortKey() string { return d.ID }

const permissionPrefixes = "Account: IP Prefixes: Read"

// ipPrefixes lists the prefixes that the account brought to the provider, which requires an
// enterprise contract
// (developers.cloudflare.com/api/resources/addressing/subresources/prefixes/methods/list/).
func ipPrefixes() Source {
	return list(IPPrefixes, Source{
		Path: "/accounts/{account_id}/addressing/prefixes", Permission: permissionPrefixes,
		After: []string{ZoneList.Source()}, Skip: noEnterpriseZone(),
		Example: `[{"id":"f1","account_id":"drop","cidr":"203.0.113.0/24","asn":64500,"approved":"V","irr_validation_state":"valid",` +
			`"rpki_validation_state":"valid","ownership_validation_state":"valid","ownership_validation_token":"drop"}]`,
	}, asRead[IPPrefix])
}

// prefixDelegations lists the accounts that may use a prefix
// (developers.cloudflare.com/api/resources/addressing/subresources/prefixes/subresources/delegations/methods/list/).
func prefixDelegations() Source {
	return list(PrefixDelegations, Source{
		Path: "/accounts/{account_id}/addressing/prefixes/{item}/delegations", Permission: permissionPrefixes, Parent: IPPrefixes.Source(),
		Items:   idsOf(IPPrefixes, nil),
		Example: `[{"id":"e1","cidr":"203.0.113.0/25","delegated_account_id":"acc2","parent_prefix_id":"drop"}]`,
	}, asRead[PrefixDelegation])
}
