package exposure

import (
	_ "embed" // the list of platforms
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Platform is a domain below which customers get names.
type Platform struct {
	Domain, Name string
	// Free says that anyone may take a name that does not exist.
	Free bool
	// Shows says that an answer proves that somebody has the name. Without it every name answers, or what it leads to may belong to
	// somebody else by now.
	Shows  bool
	Served Served
	Source string
}

// Served is what customers have at a platform.
type Served string

// What customers have: their own machine or balancer; their code; their files, or a delivery network; a product of the platform; a
// zone on its name servers.
const (
	ServedServer  Served = "server"
	ServedApp     Served = "app"
	ServedPages   Served = "pages"
	ServedService Served = "service"
	ServedZones   Served = "zones"
)

//go:embed platforms.tsv
var platformLines string

// PlatformOf finds the platform a host name is at: the most specific one, never for the platform's own domain.
func PlatformOf(host string) (Platform, bool) { return platformAt(host, false) }

// NameServersOf finds the operator of a name server at which anyone may create a zone.
func NameServersOf(server string) (Platform, bool) { return platformAt(server, true) }

func platformAt(host string, zones bool) (Platform, bool) {
	rest := strings.ToLower(strings.TrimSuffix(host, "."))
	for {
		_, parent, more := strings.Cut(rest, ".")
		if !more {
			return Platform{}, false
		}
		if p, there := platformLine(parent); there && zones == (p.Served == ServedZones) {
			return p, true
		}
		rest = parent
	}
}

func platformLine(domain string) (Platform, bool) {
	_, rest, there := strings.Cut(platformLines, "\n"+domain+"\t")
	if !there {
		return Platform{}, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	f := strings.Split(line, "\t")
	return Platform{Domain: domain, Name: f[0], Free: f[1] == "anyone", Shows: f[2] == "held", Served: Served(f[3]), Source: f[4]}, true
}

// SharedSuffix returns the domain that a host name was got at when the Public Suffix List says that different parties have names
// below it although it is a domain itself, such as that of a hosting company.
func SharedSuffix(host string) (string, bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	suffix, official := publicsuffix.PublicSuffix(host)
	return suffix, !official && suffix != host && strings.Contains(suffix, ".")
}

// Registrable returns the domain that must be registered for a host name to exist. ok is false where nobody can register one: below a
// top-level domain that does not exist or is reserved. The names of RFC 6761 for tests and documents stand for any domain.
func Registrable(host string) (domain string, ok bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	suffix, official := publicsuffix.PublicSuffix(host)
	for !official {
		_, parent, more := strings.Cut(suffix, ".")
		if !more {
			if suffix != "test" && suffix != "example" {
				return "", false
			}
			break
		}
		suffix, official = publicsuffix.PublicSuffix(parent)
	}
	if suffix == "arpa" || strings.HasSuffix(suffix, ".arpa") || !strings.HasSuffix(host, "."+suffix) {
		return "", false
	}
	labels := strings.Split(strings.TrimSuffix(host, "."+suffix), ".")
	return labels[len(labels)-1] + "." + suffix, true
}
