package snapshot

// AccountIPAccessRules holds the allow entries that apply to every zone.
const AccountIPAccessRules Key[[]IPAccessRule] = "account/ip_access_rules"

// IPAccessRule is an allow entry of the IP access rules.
type IPAccessRule struct {
	ID         string `json:"id"`
	Mode       string `json:"mode"`
	Target     string `json:"target"`
	Value      string `json:"value"`
	HasNotes   bool   `json:"has_notes"`
	Scope      string `json:"scope,omitempty"`
	CreatedOn  Time   `json:"created_on,omitzero"`
	ModifiedOn Time   `json:"modified_on,omitzero"`
}

// SortKey orders rules by id.
func (r IPAccessRule) SortKey() string { return r.ID }

type ipAccessRuleWire struct {
	ID            string `json:"id"`
	Mode          string `json:"mode"`
	Notes         string `json:"notes"`
	Configuration struct {
		Target string `json:"target"`
		Value  string `json:"value"`
	} `json:"configuration"`
	Scope struct {
		Type string `json:"type"`
	} `json:"scope"`
	CreatedOn  Time `json:"created_on"`
	ModifiedOn Time `json:"modified_on"`
}

func reduceIPAccessRule(w ipAccessRuleWire) IPAccessRule {
	return IPAccessRule{ID: w.ID, Mode: w.Mode, Target: w.Configuration.Target, Value: w.Configuration.Value,
		HasNotes: w.Notes != "", Scope: w.Scope.Type, CreatedOn: w.CreatedOn, ModifiedOn: w.ModifiedOn}
}

// accountIPAccessRules lists the allow entries that apply to every zone
// (developers.cloudflare.com/api/resources/firewall/subresources/access_rules/methods/list/).
func accountIPAccessRules() Source {
	return list(AccountIPAccessRules, Source{
		Path: "/accounts/{account_id}/firewall/access_rules/rules?mode=whitelist", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: "Account: Account Firewall Access Rules Read",
		Example: `[{"id":"r1","mode":"whitelist","notes":"office","configuration":{"target":"ip_range","value":"45.60.0.0/24"},` +
			`"scope":{"type":"organization"}}]`,
	}, reduceIPAccessRule)
}
