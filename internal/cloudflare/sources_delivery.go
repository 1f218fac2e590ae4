package cloudflare

// deliverySources are the reads of what serves and shapes traffic.
func deliverySources() []Source {
	return []Source{}
}
