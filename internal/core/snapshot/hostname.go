package snapshot

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ASCII returns a hostname in the form that the name system, browsers and the API of DNS records
// use (RFC 5891). The API of zones returns names in Unicode, so one name comes in two forms. A name
// that has no such form stays as it is. What follows a slash is no part of the name.
func ASCII(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return name
	}
	rest := name
	if _, after, has := strings.Cut(name, "://"); has {
		rest = after
	}
	rest = strings.TrimLeft(rest, "*") // the asterisk of a pattern stands for letters before the name
	host, _, _ := strings.Cut(rest, "/")
	// Names of records contain underscores.
	ascii, err := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false)).ToASCII(host)
	if err != nil {
		return name
	}
	return name[:len(name)-len(rest)] + ascii + rest[len(host):]
}

// ASCIIAll returns the names in that form.
func ASCIIAll(names []string) []string {
	for i, name := range names {
		names[i] = ASCII(name)
	}
	return names
}
