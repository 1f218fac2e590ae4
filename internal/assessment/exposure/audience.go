package exposure

import (
	_ "embed" // the list of words and ports
	"net/url"
	"strings"
)

// Audience is who a service is meant for, as far as names and ports indicate.
type Audience int

// AudienceUnknown means that nothing indicates the audience; only the owner can say.
const (
	AudienceUnknown Audience = iota
	Everyone
	Few
)

//go:embed audience.tsv
var audienceLines string

// AudienceOf guesses the audience from a hostname, the path of its ingress rule and the service
// behind it. A shell or desktop, the port or name of a console, and an administrative word anywhere
// mean Few; a host that is a domain itself or starts with a public word means Everyone.
func AudienceOf(host, path, service string) Audience {
	if Streams(service) || AnyMachine(service) {
		return Few
	}
	public, private := audienceOfHost(host)
	if u, err := url.Parse(service); err == nil && u.Host != "" {
		private = private || wordIs(u.Port(), Few) || !strings.Contains(u.Hostname(), ".") && hasWord(u.Hostname(), Few)
	}
	switch {
	case private || hasWord(path, Few):
		return Few
	case public:
		return Everyone
	default:
		return AudienceUnknown
	}
}

func audienceOfHost(host string) (public, private bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	domain, known := Registrable(host)
	if known && host == domain {
		return true, false
	}
	labels := strings.TrimSuffix(host, "."+domain)
	if !known {
		labels, _, _ = strings.Cut(host, ".")
	}
	first, _, _ := strings.Cut(labels, ".")
	return wordIs(strings.TrimRight(first, "0123456789"), Everyone), hasWord(labels, Few)
}

func hasWord(text string, a Audience) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if wordIs(w, a) || wordIs(strings.TrimRight(w, "0123456789"), a) {
			return true
		}
	}
	return false
}

func wordIs(word string, a Audience) bool {
	kind := map[Audience]string{Everyone: "everyone", Few: "few"}[a]
	return word != "" && !strings.ContainsAny(word, "#\n\t") && strings.Contains(audienceLines, "\n"+word+"\t"+kind+"\t")
}
