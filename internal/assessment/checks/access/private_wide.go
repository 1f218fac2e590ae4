package access

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// privateWide finds applications that open a whole network to the users they admit.
func privateWide() check.Check {
	return check.Check{
		ID: "CFL-ZT-036", Title: "Private applications name hosts and small ranges",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "A private destination of an Access application lets everyone whom its policies admit reach all of its addresses. One that " +
			"covers a network does the same as a VPN.",
		Fix: "Split the application by service, each with the hosts and ports it consists of.",
		Words: posture.Words{
			Problem:   "{name} opens a whole private network",
			Impact:    "Someone with one stolen session or infected device reaches every machine in the range, databases and consoles included.",
			Breaks:    "People lose what they reached by accident until an application of its own names it.",
			Dashboard: inApplications + " › {name} › Edit › Private hostnames and IPs: replace the range by hosts.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/non-http/self-hosted-private-app/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "People reach the services they need and not the network."),
			check.Supports("soc2 CC6.3", "Access is given for each application."),
			check.Supports("pci 7.2.2", "Rights follow from what a job needs."),
			check.Supports("nist PR.AA-05", "Least privilege holds in private networks."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps},
		Unless:   notInUse,
		Evaluate: evaluatePrivateWide,
	}
}

func privateWideGood(b *snapshot.Builder) {
	editGoodApp(func(a *snapshot.AccessApp) {
		a.Elsewhere = append(a.Elsewhere, snapshot.AccessDestination{Type: "private", Value: "10.0.3.0/28"})
	})(b)
}

func privateWideExamples() []goodtest.Example {
	at := func(values ...string) func(*snapshot.Builder) {
		return editGoodApp(func(a *snapshot.AccessApp) {
			a.Elsewhere = nil
			for _, value := range values {
				a.Elsewhere = append(a.Elsewhere, snapshot.AccessDestination{Type: "private", Value: value})
			}
		})
	}
	return []goodtest.Example{
		{Name: "a small range", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one address", Want: posture.Pass, Edit: at("10.0.3.4")},
		{Name: "a /16", Want: posture.Pass, Edit: at("10.0.0.0/16")},
		{Name: "a host", Want: posture.Pass, Edit: at("wiki.corp")},
		{Name: "hosts of one domain", Want: posture.Pass, Edit: at("*.wiki.corp.example")},
		{Name: "a /12", Want: posture.Warning, Resource: goodtest.App, Edit: at("172.16.0.0/12")},
		{Name: "a v6 /40", Want: posture.Warning, Resource: goodtest.App, Edit: at("fd00:1::/40")},
		{Name: "a /8", Want: posture.Fail, Resource: goodtest.App, Edit: at("10.0.3.4", "10.0.0.0/8")},
		{Name: "every address", Want: posture.Fail, Resource: goodtest.App, Edit: at("0.0.0.0/0")},
		{Name: "the two halves of every address", Want: posture.Fail, Resource: goodtest.App, Edit: at("0.0.0.0/1", "128.0.0.0/1")},
		{Name: "every private v6 address", Want: posture.Fail, Resource: goodtest.App, Edit: at("fc00::/7")},
		{Name: "every host", Want: posture.Fail, Resource: goodtest.App, Edit: at("*")},
		{Name: "a range nobody can read", Want: posture.Unknown, Resource: goodtest.App, Edit: at("10.0.0.0/33")},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.App, Edit: at("")},
		{Name: "no private destination", Want: posture.NotApplicable, Edit: at()},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluatePrivateWide(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		worst, value, judged := destinationFine, "", false
		for _, d := range a.Elsewhere {
			if d.Type == "private" {
				if w := reachOf(d.Value); !judged || w > worst {
					worst, value = w, d.Value
				}
				judged = true
			}
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/destinations", value, "hosts, or /16 (IPv4) or /48 (IPv6) and narrower")
		switch {
		case !judged:
		case worst == destinationAll:
			j.Fail(r, "The application "+a.Name+" opens "+value+" to everyone whom it admits.", seen)
		case worst == destinationWide:
			j.Warn(r, "The application "+a.Name+" opens "+value+" to everyone whom it admits.", seen)
		case worst == destinationOdd:
			j.Unclear(r, "Cloudflare did not return a private destination this check can read")
		default:
			j.Pass()
		}
	}
	return j.Done("Private applications name hosts and small ranges.", "no application has a private destination")
}

// reach grades a private destination, worst last.
type reach int

const (
	destinationFine reach = iota
	destinationOdd
	destinationWide // larger than a /16 or an IPv6 /48
	destinationAll  // a whole range of private addresses, or more
)

func reachOf(value string) reach {
	value = strings.TrimSpace(value)
	if strings.Trim(value, "*.") == "" {
		if value == "" {
			return destinationOdd
		}
		return destinationAll
	}
	if !strings.Contains(value, "/") {
		return destinationFine
	}
	p, err := netip.ParsePrefix(value)
	if err != nil {
		return destinationOdd
	}
	most, all := 16, 8
	if p.Addr().Is6() {
		most, all = 48, 16
	}
	switch {
	case p.Bits() <= all:
		return destinationAll
	case p.Bits() < most:
		return destinationWide
	}
	return destinationFine
}
