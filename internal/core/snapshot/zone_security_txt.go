package snapshot

import (
	"net/url"
	"strings"
)

// ZoneSecurityTxt holds the security contact file the edge serves.
const ZoneSecurityTxt Key[SecurityTxt] = "zone/security_txt"

// SecurityTxt holds the mandatory parts of RFC 9116. Only the URI scheme of a contact is kept
// ("mailto", "https", …), or "other" for one that a researcher cannot use, because it may be a
// personal address.
type SecurityTxt struct {
	Enabled  bool     `json:"enabled"`
	Contacts []string `json:"contacts"`
	Expires  Time     `json:"expires,omitzero"`
}

type securityTxtWire struct {
	Enabled bool     `json:"enabled"`
	Contact []string `json:"contact"`
	Expires Time     `json:"expires"`
}

// zoneSecurityTxt reads the security contact file the edge serves; a zone
// without one answers with an empty object
// (developers.cloudflare.com/api/resources/security_txt/methods/get/).
func zoneSecurityTxt() Source {
	return object(ZoneSecurityTxt, Source{
		Path: "/zones/{zone_id}/security-center/securitytxt", MayBeEmpty: true, Permission: "Zone: Zone Settings Read",
		Example: `{"enabled":true,"contact":["mailto:drop@acme.example"],"expires":"2026-12-01T00:00:00Z",` +
			`"policy":["https://acme.example/drop"],"preferred_languages":"en"}`,
	}, func(w securityTxtWire) SecurityTxt {
		out := SecurityTxt{Enabled: w.Enabled, Contacts: []string{}, Expires: w.Expires}
		for _, c := range w.Contact {
			out.Contacts = append(out.Contacts, contactScheme(c))
		}
		return out
	})
}

// contactScheme returns the scheme of a contact that a researcher can use: a mail address, an HTTPS
// page or a phone number.
func contactScheme(contact string) string {
	u, err := url.Parse(strings.TrimSpace(contact))
	if err != nil {
		return "other"
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "mailto" && strings.Contains(u.Opaque, "@"), scheme == "https" && u.Hostname() != "", scheme == "tel" && u.Opaque != "":
		return scheme
	default:
		return "other"
	}
}
