package simcloud

const canaryTxtContact = "leakcanary.security"

// makeSecurityTxt publishes the security contact file, see
// https://developers.cloudflare.com/api/resources/security_txt/.
func (z *zone) makeSecurityTxt() {
	z.securityTxt = obj{
		"enabled": true, "contact": []string{"mailto:" + canaryTxtContact + "@" + z.name, "https://" + z.name + "/security"},
		"expires": z.acct.cloud.ahead(300 * day), "canonical": []string{"https://" + z.name + "/.well-known/security.txt"},
		"policy": []string{"https://" + z.name + "/security/policy"}, "acknowledgments": []string{}, "encryption": []string{}, "hiring": []string{},
		"preferredLanguages": "en",
	}
}

// readSecurityTxt answers an empty object when there is no file.
func readSecurityTxt(c *call) answer {
	if c.zone.securityTxt == nil {
		return ok(obj{})
	}
	return ok(c.zone.securityTxt)
}
