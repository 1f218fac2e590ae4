package simcloud

import (
	"strings"
	"time"
)

const canaryTxtContact = "leakcanary.security"

// makeSecurityTxt publishes the security contact file, see
// https://developers.cloudflare.com/api/resources/security_txt/.
func (z *zone) makeSecurityTxt() {
	z.securityTxt = obj{
		"enabled": true, "contact": []string{"mailto:" + canaryTxtContact + "@" + z.name, "https://" + z.name + "/security"},
		"expires": z.acct.cloud.ahead(300 * day), "canonical": []string{"https://" + z.name + "/.well-known/security.txt"},
		"policy": []string{"https://" + z.name + "/security/policy"}, "acknowledgments": []string{}, "encryption": []string{},
		"hiring":              []string{},
		"preferred_languages": "en",
	}
}

// readSecurityTxt returns an empty object when there is no file.
func readSecurityTxt(c *call) answer {
	if c.zone.securityTxt == nil {
		return ok(obj{})
	}
	return ok(c.zone.securityTxt)
}

// writeSecurityTxt replaces the file: missing members are dropped, see
// https://developers.cloudflare.com/api/resources/security_txt/methods/update/.
func writeSecurityTxt(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	file := obj{}
	for _, list := range []string{"contact", "canonical", "policy", "acknowledgments", "encryption", "hiring"} {
		v, given := sent[list]
		entries, isList := v.([]any)
		if given && v != nil && !isList {
			return invalid(list + " must be a list")
		}
		for _, e := range entries {
			if list == "contact" && !strings.Contains(asText(e), ":") {
				return invalid("contact takes addresses of web pages, mail and telephones")
			}
		}
		file[list] = append([]any{}, entries...)
	}
	if v, given := sent["expires"]; given {
		if _, err := time.Parse(time.RFC3339, asText(v)); err != nil {
			return invalid("expires must be a date")
		}
		file["expires"] = v
	}
	file["enabled"], file["preferred_languages"] = sent["enabled"] == true, asText(sent["preferred_languages"])
	c.zone.securityTxt = file
	return ok(file)
}

func deleteSecurityTxt(c *call) answer {
	c.zone.securityTxt = nil
	return ok(nil)
}
