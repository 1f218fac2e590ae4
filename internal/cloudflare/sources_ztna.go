package cloudflare

// ztnaSources are the reads of Zero Trust and private networks.
func ztnaSources() []Source {
	return []Source{}
}
