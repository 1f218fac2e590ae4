package exposure

import (
	_ "embed" // the list of names
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Direct says why a record must, or may have to, answer without the proxy.
type Direct struct {
	Why string
	// Sure is set when the proxy would break something. Otherwise only the owner knows.
	Sure bool
}

//go:embed direct_names.tsv
var directLines string

// directNames maps each label of the list to its purpose. It is parsed once, because it is looked
// up for every record of an account.
var directNames = sync.OnceValue(func() map[string]string { //nolint:gochecknoglobals // the embedded list, never changed
	out := map[string]string{}
	for line := range strings.Lines(directLines) {
		if label, rest, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			out[label], _, _ = strings.Cut(rest, "\t")
		}
	}
	return out
})

// DirectTargets returns the names, in one or more zones, that other records need unproxied: the
// targets of mail, name server and service records, and names whose addresses SPF admits.
func DirectTargets(records []snapshot.DNSRecord) map[string]Direct {
	out := map[string]Direct{}
	for _, r := range records {
		words := strings.Fields(r.Content)
		if len(words) == 0 {
			continue
		}
		switch r.Type {
		case "MX", "NS", "SRV":
			out[lower(words[len(words)-1])] = Direct{"a record of type " + r.Type + " points to it", true}
		case "TXT":
			text := mailauth.Text(r.Content)
			if !mailauth.IsSPF(text) {
				continue
			}
			for _, t := range mailauth.ParseSPF(text).Terms {
				if t.Name == "a" && t.Qualifier == '+' {
					admitted(out, lower(r.Name), t.Value)
				}
			}
		}
	}
	return out
}

// admitted records the host whose addresses may send mail. A domain that admits its own address
// often does so only out of habit, so that is not sure.
func admitted(out map[string]Direct, domain, value string) {
	host, _, _ := strings.Cut(value, "/")
	host = lower(host)
	if host == "" {
		host = domain
	}
	if !out[host].Sure {
		out[host] = Direct{"SPF admits its address", host != domain}
	}
}

// DirectRecord returns why an address or alias record must answer without the proxy; ok is false
// when nothing speaks against the proxy. needed is the result of DirectTargets; own says that the
// target of an alias is a name of the organisation.
func DirectRecord(r snapshot.DNSRecord, needed map[string]Direct, own bool) (d Direct, ok bool) {
	if Attribute(r.Name) {
		return Direct{"the name holds a key or a proof of control", true}, true
	}
	if d, ok := needed[lower(r.Name)]; ok && d.Sure {
		return d, true
	}
	if r.Type == "CNAME" && !own {
		return directAlias(r.Content)
	}
	if d, ok := directName(r.Name); ok {
		return d, true
	}
	if r.Type == "CNAME" {
		if d, ok := DirectRecord(snapshot.DNSRecord{Name: r.Content, Type: "A"}, needed, true); ok {
			return Direct{"it leads to " + lower(r.Content) + ", where " + d.Why, false}, true
		}
	}
	d, ok = needed[lower(r.Name)]
	return d, ok
}

// directAlias judges an alias to a name of another party. What the organisation runs itself on a
// platform is its own origin.
func directAlias(target string) (Direct, bool) {
	p, known := PlatformOf(target)
	switch {
	case known && p.Served == ServedService:
		return Direct{"it leads to a service of " + p.Name, true}, true
	case known && p.Served == ServedPages:
		return Direct{"it leads to " + p.Name + ", which answers by itself", false}, true
	case known:
		return Direct{}, false
	default:
		return Direct{"it leads to " + lower(target) + ", which is not known to be yours", false}, true
	}
}

// directName judges a name by its first label, such as ftp, mx2 or smtp-eu.
func directName(name string) (Direct, bool) {
	label, _, _ := strings.Cut(lower(name), ".")
	if what := directLabel(label); what != "" {
		return Direct{"its name is one for " + what, true}, true
	}
	for word := range strings.SplitSeq(label, "-") {
		if what := directLabel(word); what != "" {
			return Direct{"its name may be one for " + what, false}, true
		}
	}
	return Direct{}, false
}

func directLabel(label string) string {
	names := directNames()
	if what, there := names[label]; there {
		return what
	}
	return names[strings.TrimRight(label, "0123456789")]
}

// Attribute reports whether a name is not a hostname but holds metadata of one, such as a DKIM key
// or a domain verification (RFC 8552).
func Attribute(name string) bool { return strings.HasPrefix(name, "_") || strings.Contains(name, "._") }

func lower(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
