package developer

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// aroundZone finds scripts that answer at the provider's own hostname, where no rule of a zone
// applies. The newer list of scripts is optional: scripts it lacks are read separately.
func aroundZone() check.Check {
	return check.Check{
		ID: "CFL-WORK-005", Title: "Scripts are not reachable around the zone",
		Category: "workers", Severity: posture.High, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A Worker answers at its workers.dev hostname besides its routes and custom domains. WAF rules, rate " +
			"limits and Access applications of the zone do not apply there.",
		Fix: "Move callers of the workers.dev hostname to the zone, then disable workers.dev and preview URLs.",
		Words: posture.Words{
			Problem: "Worker {name} can be reached around its zone",
			Impact: "Anyone who knows the workers.dev hostname calls the Worker past the WAF, the rate limits and the login " +
				"of the zone.",
			Breaks:    "Callers of the workers.dev hostname or of a preview URL get an error.",
			Dashboard: "Workers & Pages › {name} › Settings › Domains & Routes: disable workers.dev and Preview URLs.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/workers/scripts/{id}/subdomain",
				Body: `{"enabled": false, "previews_enabled": false}`},
			Terraform: `resource "cloudflare_workers_script_subdomain" "off" {
  account_id       = "{account_id}"
  script_name      = "{id}"
  enabled          = false
  previews_enabled = false
}`},
		References: []string{"https://developers.cloudflare.com/workers/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "The second address of a script, which nobody needs, is off."),
			check.Supports("soc2 CC6.6", "Scripts cannot be reached around the rules of the zone."),
			check.Supports("pci 1.4.2", "The public reaches the script only by the approved way."),
			check.Supports("nist PR.IR-01", "No way around the protected hostname is left."),
		},
		Aliases: []string{"union:workers-dev-open"},
		Remedy: &propose.Remedy{Operation: "POST /accounts/{account_id}/workers/scripts/{script_name}/subdomain", Risk: "medium",
			Reversible: true, Body: `{"enabled": false, "previews_enabled": false}`,
			Inverse: "POST the captured pair of switches",
			Caution: "Callers of the platform hostname break: check references in other workers and DNS first.",
			Propose: proposeSwitchOff},
		Needs: []snapshot.Named{snapshot.Workers, snapshot.WorkerSubdomain, snapshot.WorkerDomains, snapshot.ZoneWorkerRoutes,
			snapshot.AccessApps},
		Optional: append([]snapshot.Named{snapshot.WorkersBeta, snapshot.ZoneList, snapshot.AccessPolicies, snapshot.AccessGroups,
			snapshot.GatewayListItems, snapshot.DevicePosture}, traffic.ServedNeeds()...),
		Evaluate: evaluateAroundZone,
	}
}

// switches returns where a script answers, from the list or from its own read; seen makes the
// evidence for an enabled switch.
func switches(v *check.View) (s snapshot.WorkerSwitches, host string, seen func(field, observed string) posture.Evidence, known bool) {
	row := func(source snapshot.Named, at string) func(field, observed string) posture.Evidence {
		return func(field, observed string) posture.Evidence {
			return check.Evidence(source, at+field, observed, "false")
		}
	}
	all, _ := check.ReadOptional(v, snapshot.WorkersBeta)
	for _, a := range all {
		if a.Name == v.Item() && a.Switches != nil {
			return *a.Switches, a.Host, row(snapshot.WorkersBeta, "/"+a.ID+"/subdomain/"), true
		}
	}
	return check.Read(v, snapshot.WorkerSubdomain), "", row(snapshot.WorkerSubdomain, "/"), v.StatusOf(snapshot.WorkerSubdomain) == snapshot.OK
}

// platformHosts returns the hostnames a script may have at the provider: the known one, or one for
// each part of workers.dev that the applications guard.
func platformHosts(script, host string, doors []exposure.AccessEndpoint) []string {
	if host != "" {
		return []string{host}
	}
	out := []string{script + ".*.workers.dev"}
	for _, d := range doors {
		labels := strings.Split(d.Host, ".")
		if len(labels) == 4 && strings.HasSuffix(d.Host, ".workers.dev") {
			out = append(out, script+"."+strings.Join(labels[1:], "."))
		}
	}
	return out
}

// guarded returns how far applications guard the hostname of a script, or those of its previews,
// which have the name of a version before it
// (developers.cloudflare.com/workers/configuration/previews/).
func guarded(v *check.View, host string, previews bool) exposure.Guard {
	doors, out := check.DoorsOf(v), exposure.Unguarded
	named := destined(v, previews)
	for _, h := range platformHosts(v.Resource().Name, host, doors) {
		if previews {
			h = "*-" + h
		}
		out = max(out, exposure.Guarded(slices.Concat(doors, named), h, ""))
	}
	return out
}

func evaluateAroundZone(v *check.View) check.Outcome {
	script := v.Resource().Name
	s, host, seen, known := switches(v)
	if !known {
		return v.Unknown("whether the Worker answers at its workers.dev hostname was not read")
	}
	if !s.Enabled && !s.Previews {
		return v.Pass("The Worker does not answer at its workers.dev hostname.")
	}
	main, previews := exposure.GuardedWhole, exposure.GuardedWhole
	if s.Enabled {
		main = guarded(v, host, false)
	}
	if s.Previews {
		previews = guarded(v, host, true)
	}
	enabled := seen("enabled", "true, no application for the hostname")
	served, doubt := servedAt(v)
	open := main < exposure.UnsureGuard
	switch public := slices.Contains(v.Policy.PublicWorkers, script); {
	case open && served != "":
		return v.Fail("The Worker "+script+" serves "+served+" and also answers at its workers.dev hostname, where no rule of the zone applies.",
			enabled)
	case open && doubt != nil:
		return v.Doubtful(*doubt)
	case open && v.Narrowed():
		return v.Unknown("whether a zone that is not part of this run leads to the Worker too was not read")
	case open && !public:
		return v.Warn("The Worker "+script+" answers everyone at its workers.dev hostname and has no other address.", enabled).As(posture.Words{
			Problem: "Worker {name} answers anyone at its workers.dev hostname", ByHand: true,
			Impact: "Anyone who knows the hostname calls the Worker, and no WAF rule, rate limit or login can stop it.",
			Breaks: "Callers that cannot sign in are refused once Access is on; callers of the old hostname have to move to a new one.",
			Dashboard: "Workers & Pages › {name} › Settings › Domains & Routes: enable Cloudflare Access for workers.dev, or add a custom " +
				"domain first."})
	case previews < exposure.UnsureGuard:
		w := posture.Words{ByHand: s.Enabled, Problem: "Every version of Worker {name} has a public preview URL",
			Impact:    "Anyone who knows the URL of an old or unreleased version uses it, with the holes that were closed since.",
			Breaks:    "Whoever opens a preview URL has to sign in, or gets an error once preview URLs are off.",
			Dashboard: "Workers & Pages › {name} › Settings › Domains & Routes: disable Preview URLs, or enable Cloudflare Access for them."}
		if previews == exposure.GuardedInPart {
			w.Problem = "Preview URLs of Worker {name} are public in part"
			return v.Warn("Preview URLs of the Worker "+script+" are on, and not all of them need a login.",
				seen("previews_enabled", "true, an application for a part of the hostnames or paths")).As(w)
		}
		return v.Warn("Preview URLs are on, so every version of the Worker "+script+" answers at a hostname of its own, without a login.",
			seen("previews_enabled", "true, no application for the hostnames")).As(w)
	case main == exposure.UnsureGuard || previews == exposure.UnsureGuard:
		return v.Unknown("whether an application guards the workers.dev hostname depends on a worker it names by an id that was not read, or " +
			"on a policy or a type of application that is not known")
	case open:
		return v.Pass("The operator declared that the Worker is public at its workers.dev hostname.")
	}
	return v.Pass("The workers.dev hostnames of the Worker sit behind Access.")
}

// destined lists what applications cover by naming the script, or all scripts, as a destination.
func destined(v *check.View, previews bool) []exposure.AccessEndpoint {
	access, reusable := check.AccessOf(v)
	return access.Worker(check.Read(v, snapshot.AccessApps), reusable, snapshot.TagOf(check.Read(v, snapshot.Workers), v.Item()), previews)
}

// servedAt returns a custom domain of the script, or a route to it that answers somebody; "" for none. doubt says why it is not
// known whether a route does.
func servedAt(v *check.View) (pattern string, doubt *traffic.Doubt) {
	for _, d := range check.Read(v, snapshot.WorkerDomains) {
		if d.Script == v.Item() {
			return d.Hostname, nil
		}
	}
	for _, z := range v.Zones() {
		for _, r := range check.ReadAt(v, snapshot.ZoneWorkerRoutes, z.ID) {
			if r.Script != v.Item() {
				continue
			}
			switch served, why := answers(v, z, r.Pattern); served {
			case truth.Yes:
				return r.Pattern, nil
			case truth.Undecided:
				doubt = why
			}
		}
	}
	return "", doubt
}

// answers reports whether the edge serves a host that a route matches: without a proxied record, or in a zone that serves
// nobody, no request comes to it (developers.cloudflare.com/workers/configuration/routing/routes/).
func answers(v *check.View, z snapshot.Zone, pattern string) (truth.Value, *traffic.Doubt) {
	if check.Idle(z) != "" {
		return truth.No, nil
	}
	if _, rest, schemed := strings.Cut(pattern, "://"); schemed {
		pattern = rest
	}
	host, _, _ := strings.Cut(pattern, "/")
	end, star := strings.CutPrefix(host, "*")
	if !star {
		return check.Serves(v, z, host)
	}
	hosts, doubt := check.Hosts(v, z)
	for _, h := range hosts {
		name, end := "."+strings.TrimPrefix(strings.ToLower(h.Name), "*."), strings.ToLower(end)
		if strings.HasSuffix(name, end) || h.Wildcard && strings.HasSuffix(end, name) {
			return truth.Yes, nil
		}
	}
	return truth.If(doubt == nil, false), doubt
}
