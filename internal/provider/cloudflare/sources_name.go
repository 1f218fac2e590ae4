package cloudflare

// nameSources are the reads of names besides the records.
func nameSources() []Source {
	return []Source{accountRegistrations(), accountTransferPeers(), accountTransferACLs(), zoneSecondaryOutgoing()}
}
