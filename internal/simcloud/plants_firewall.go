package simcloud

// plantsFirewall misconfigure rulesets and what they enforce.
func plantsFirewall() []Plant {
	return nil
}
