package snapshot

// ZoneSecurityTxt is the security contact file the edge serves for a zone.
const ZoneSecurityTxt Key[SecurityTxt] = "zone/security_txt"

// SecurityTxt is what RFC 9116 makes mandatory. A contact is kept as its URI
// scheme alone ("mailto", "https", …), "other" when it has none a researcher
// can use, since it may be the address of a person.
type SecurityTxt struct {
	Enabled  bool     `json:"enabled"`
	Contacts []string `json:"contacts"`
	Expires  Time     `json:"expires,omitzero"`
}
