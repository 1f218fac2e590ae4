package cloudflare

// mailSources are the reads of mail.
func mailSources() []Source {
	return []Source{
		zoneEmailRouting(), zoneEmailCatchAll(), zoneSPFInspect(),
		emailSecurityDomains(), emailSecurityAllow(), emailSecurityTrusted(),
	}
}
