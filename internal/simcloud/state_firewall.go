package simcloud

// firewallAccount is what an account holds of rulesets and what they enforce.
type firewallAccount struct{}

// firewallZone is what a zone holds of them.
type firewallZone struct{}

// makeFirewall fills in a good configuration.
func (a *account) makeFirewall() {}

// makeFirewall fills in a good configuration.
func (z *zone) makeFirewall() {}

// firewallCanaries are values no client may keep.
func firewallCanaries() []string { return nil }
