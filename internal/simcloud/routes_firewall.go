package simcloud

// firewallRoutes are the operations of rulesets and what they enforce.
func firewallRoutes() []Route {
	return []Route{}
}
