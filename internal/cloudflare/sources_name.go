package cloudflare

// nameSources are the reads of names, certificates and mail.
func nameSources() []Source {
	return []Source{}
}
