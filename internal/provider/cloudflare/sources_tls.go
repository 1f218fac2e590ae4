package cloudflare

// tlsSources are the reads of certificates and what hangs on them.
func tlsSources() []Source {
	return []Source{
		zoneCertificatePacks(), zoneUniversalSSL(), zoneCustomCertificates(), zoneCTAlerting(), zoneHostnameMinTLS(), zoneHostnameCiphers(),
	}
}
