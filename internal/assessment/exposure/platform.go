package exposure

import (
	_ "embed" // the list of platforms
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Platform is a domain below which customers get names.
type Platform struct {
	Domain, Name string
	// Free is set when anyone may claim a name that does not exist.
	Free bool
	// Shows is set when an answer proves that someone holds the name. Otherwise every name answers,
	// or its target may belong to someone else by now.
	Shows  bool
	Served Served
	Source string
}

// Served is what customers run on a platform.
type Served string

// The kinds: a customer's own machine or load balancer; code; files or a delivery network; a
// product of the platform; a zone on its name servers.
const (
	ServedServer  Served = "server"
	ServedApp     Served = "app"
	ServedPages   Served = "pages"
	ServedService Served = "service"
	ServedZones   Served = "zones"
)

//go:embed platforms.tsv
var platformLines string

// PlatformOf returns the most specific platform a hostname belongs to, but never for the platform's
// own domain.
func PlatformOf(host string) (Platform, bool) { return platformAt(host, false) }

// NameServersOf returns the operator of a name server where anyone may create a zone.
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

// SharedSuffix returns the suffix of a hostname when the Public Suffix List says that different
// parties hold names below it although it is a registered domain itself, such as that of a hosting
// company.
func SharedSuffix(host string) (string, bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	suffix, official := publicsuffix.PublicSuffix(host)
	return suffix, !official && suffix != host && strings.Contains(suffix, ".")
}

// Registrable returns the domain that must be registered for a hostname to exist. ok is false where
// nobody can register one: below a top-level domain that does not exist or is reserved. The RFC
// 6761 names for tests and documentation stand for any domain.
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
