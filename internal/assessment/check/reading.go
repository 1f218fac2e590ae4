package check

import (
	"iter"
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// PausedZone is the reason why checks of traffic at the edge do not apply to a paused zone.
const PausedZone = "the zone is paused: Cloudflare answers its DNS queries, and traffic goes to the origin directly (CFL-ZONE-001)"

// Idle returns the reason why no request to a zone passes the edge, whatever its records are, or ""
// when the zone is public, active and not paused.
func Idle(z snapshot.Zone) string {
	switch {
	case z.Type == "internal":
		return internalZone
	case z.Status != "active":
		return "the zone is not active"
	case z.Paused:
		return PausedZone
	}
	return ""
}

const internalZone = "the zone is internal: only resolvers inside the network see its records"

// PublicDNS returns the reason why the public name system does not answer with the records of a
// zone, or "". Of a partial zone it answers with some (Public).
func PublicDNS(z snapshot.Zone) string {
	switch {
	case z.Type == "internal":
		return internalZone
	case z.Status != "active":
		return "the zone is not active, so other name servers answer for it"
	}
	return ""
}

// Empty returns the reason when a needed list of the unit has no item, for Unless.
func Empty[T any](list snapshot.Key[[]T], reason string) func(*View) string {
	return func(v *View) string {
		if len(Read(v, list)) > 0 {
			return ""
		}
		return reason
	}
}

// NotPublic is PublicDNS of the zone of the unit.
func NotPublic(v *View) string { return PublicDNS(v.Zone()) }

// Public returns the records of a zone that the public name system answers with. Other name servers
// answer for a partial zone; they lead to Cloudflare only for names that it proxies. The check must
// declare snapshot.ZoneDNSRecords.
func Public(v *View, z snapshot.Zone) []snapshot.DNSRecord {
	switch {
	case PublicDNS(z) != "":
		return nil
	case !z.Partial():
		return ReadAt(v, snapshot.ZoneDNSRecords, z.ID)
	}
	return slices.DeleteFunc(slices.Clone(ReadAt(v, snapshot.ZoneDNSRecords, z.ID)), func(r snapshot.DNSRecord) bool { return !r.Proxied })
}

// NoTraffic returns the outcome for a zone without traffic at the edge, or nil when the edge serves
// at least one of its names. It is NOT_APPLICABLE only when all names are known. Only a check that
// looks at something before calls it; the others are Served. It must declare traffic.ServedNeeds.
func NoTraffic(v *View) *Outcome {
	out := v.NotApplicable(Idle(v.Zone()))
	if out.notApplicable != "" {
		return &out
	}
	hosts, doubt := Hosts(v, v.Zone())
	switch {
	case len(hosts) > 0:
		return nil
	case doubt != nil:
		out = v.Doubtful(*doubt)
	default:
		out.notApplicable = "no record or load balancer of the zone is proxied, and it has no custom hostname"
	}
	return &out
}

// EntryPoint reads the entrypoint ruleset of a phase, at a zone or account, as an optional source.
// ok is false when the ruleset is not known, or the list that says whether it exists is not.
func EntryPoint(v *View, list snapshot.Key[[]snapshot.RulesetInfo], phase snapshot.Key[snapshot.Ruleset],
	scope string) (rules snapshot.Ruleset, ok bool) {
	_, listed := ReadOptionalAt(v, list, scope)
	rules, read := ReadOptionalAt(v, phase, scope)
	return rules, listed && read
}

// EveryPolicy lists the reusable policies and the policies of single applications, each once. It
// reads both sources.
func EveryPolicy(v *View) []snapshot.AccessPolicy {
	all := slices.Clone(Read(v, snapshot.AccessPolicies))
	for _, a := range Read(v, snapshot.AccessApps) {
		all = append(all, a.Policies...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(p snapshot.AccessPolicy) bool {
		again := seen[p.ID]
		seen[p.ID] = true
		return again
	})
}

// PolicyPath returns the API path of a policy: directly below the account for a reusable policy,
// below its application otherwise. The check must declare AccessPolicies and AccessApps.
func PolicyPath(v *View, id string) string {
	is := func(p snapshot.AccessPolicy) bool { return p.ID == id }
	path := "/accounts/{account_id}/access/"
	if !slices.ContainsFunc(Read(v, snapshot.AccessPolicies), is) {
		apps := Read(v, snapshot.AccessApps)
		if i := slices.IndexFunc(apps, func(a snapshot.AccessApp) bool { return slices.ContainsFunc(a.Policies, is) }); i >= 0 {
			path += "apps/" + url.PathEscape(apps[i].ID) + "/"
		}
	}
	return path + "policies/" + url.PathEscape(id)
}

// ProfileOf is a device profile with the source that holds it.
type ProfileOf struct {
	snapshot.DeviceProfile

	source snapshot.Named
}

// Evidence is evidence of a member of the profile.
func (p ProfileOf) Evidence(member, observed, expected string) posture.Evidence {
	return Evidence(p.source, "/"+p.ID+"/"+member, p.Name+": "+observed, expected)
}

// Profiles lists the device profiles that devices get, the default one first. The check must declare DevicePolicy and DevicePolicies.
func Profiles(v *View) []ProfileOf {
	out := []ProfileOf{{Read(v, snapshot.DevicePolicy), snapshot.DevicePolicy}}
	for _, p := range Read(v, snapshot.DevicePolicies) {
		if !p.Default {
			out = append(out, ProfileOf{p, snapshot.DevicePolicies})
		}
	}
	return slices.DeleteFunc(out, func(p ProfileOf) bool { return !p.Enabled || p.Hidden })
}

// ProfilePath returns the API path of a device profile.
func ProfilePath(p snapshot.DeviceProfile) string {
	const path = "/accounts/{account_id}/devices/policy"
	if p.Default {
		return path
	}
	return path + "/" + url.PathEscape(p.ID)
}

// DeviceManaged reports whether the account manages devices: it has an application for device
// enrolment, or a device profile other than the default one, which every account has. The check
// must declare AccessApps and DevicePolicies.
func DeviceManaged(v *View) bool {
	return slices.ContainsFunc(Read(v, snapshot.AccessApps), func(a snapshot.AccessApp) bool { return a.Type == "warp" }) ||
		slices.ContainsFunc(Read(v, snapshot.DevicePolicies), func(p snapshot.DeviceProfile) bool { return !p.Default })
}

// PlatformOf finds the platform of a host, including those the operator declared.
func PlatformOf(v *View, host string) (exposure.Platform, bool) {
	for _, d := range v.Policy.PlatformDomains {
		if exposure.Within(host, d) && !exposure.Same(host, d) {
			return exposure.Platform{Domain: d, Name: d, Free: true, Served: exposure.ServedApp, Source: "platformDomains of the policy"}, true
		}
	}
	return exposure.PlatformOf(host)
}

// OwnZones returns the zones of the account that the public name system asks Cloudflare about. The domain
// of another one, such as one that moved away, may have a new owner, or none.
func OwnZones(v *View) iter.Seq[snapshot.Zone] {
	return func(yield func(snapshot.Zone) bool) {
		for _, z := range Read(v, snapshot.ZoneList) {
			if PublicDNS(z) == "" && !yield(z) {
				return
			}
		}
	}
}
