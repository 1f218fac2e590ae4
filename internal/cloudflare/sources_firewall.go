package cloudflare

// firewallSources are the reads of rulesets and what they enforce.
func firewallSources() []Source {
	return []Source{}
}
