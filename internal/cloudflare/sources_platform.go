package cloudflare

// platformSources are the reads of the account, its credentials and the developer platform.
func platformSources() []Source {
	return []Source{}
}
