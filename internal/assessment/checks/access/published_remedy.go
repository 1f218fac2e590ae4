package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proposeApps puts each hostname that the tunnel publishes without a login behind an application of
// its own, with the policy a person chose.
func proposeApps(c *propose.Case) ([]change.Edit, error) {
	config, err := c.Locate(change.Place{Path: c.Path("/accounts/{account_id}/cfd_tunnel/{id}/configurations")})
	if err != nil {
		return nil, err
	}
	apps, policies, access, err := liveAccess(c)
	if err != nil {
		return nil, err
	}
	doors := access.Doors(apps, exposure.IndexPolicies(policies))
	open, unsure, err := exposed(c, ingressOf(config), doors)
	if err != nil {
		return nil, err
	}
	if len(open) == 0 {
		if unsure != "" {
			return nil, propose.Refuse("It is not certain whether %s is published, protected or public on purpose, so no change is planned.",
				unsure)
		}
		return nil, nil
	}
	policy, err := chosenPolicy(c)
	if err != nil {
		return nil, err
	}
	collection := c.Path("/accounts/{account_id}/access/apps")
	var out []change.Edit
	for _, host := range open {
		if leftOpen(doors, host) {
			return nil, propose.Refuse("An application already covers %s and leaves it open, at least in part; change that one instead.", host)
		}
		name := host + " (" + c.Mark() + ")"
		e := propose.Create(change.Place{Path: collection, Match: map[string]any{"name": name, "domain": host}}, collection,
			map[string]any{"type": "self_hosted", "name": name, "domain": host, "session_duration": "24h", "policies": []any{policy}})
		// The API returns the full policy where its id was sent.
		e.Or = change.Encode(map[string]any{"type": "self_hosted", "name": name, "domain": host, "session_duration": "24h"})
		e.Label = host
		out = append(out, e)
	}
	return out, nil
}

// ingressOf converts the live configuration of a tunnel to the form the check judges.
func ingressOf(config map[string]any) []snapshot.Ingress {
	all := propose.Member(config, "config.originRequest.access.required")
	var out []snapshot.Ingress
	for _, r := range propose.Objects(propose.Member(config, "config.ingress")) {
		in := snapshot.Ingress{Hostname: propose.Text(r, "hostname"), Path: propose.Text(r, "path"), Service: propose.Text(r, "service"),
			AccessRequired: all == true}
		if own, reported := propose.Member(r, "originRequest.access").(map[string]any); reported {
			in.AccessRequired = propose.Flag(own, "required")
		}
		out = append(out, in)
	}
	return out
}

// exposed returns the unprotected hostnames that have a public record, and one that cannot be
// judged.
func exposed(c *propose.Case, ingress []snapshot.Ingress, doors []exposure.AccessEndpoint) (open []string, unsure string, err error) {
	var waiting error // reads for all hosts are requested together
	for i, in := range ingress {
		hosts := []string{strings.ToLower(in.Hostname)}
		if in.Hostname == "" || in.Hostname == "*" {
			if hosts, err = unnamed(c, ingress, i); err != nil {
				return nil, "", err
			}
		} else if !exposure.Reaches(ingress, i, in.Hostname) {
			continue
		}
		for _, host := range hosts {
			if slices.ContainsFunc(c.Policy.PublicHosts, func(p string) bool { return exposure.Same(p, host) }) {
				continue
			}
			e := judgeHost(in, host, doors)
			if !e.open && e.publicity == behindAccess {
				continue
			}
			sure := !e.open && (e.publicity == inTheOpen || exposure.AudienceOf(host, in.Path, in.Service) == exposure.Few)
			published, err := hasLiveRecord(c, host)
			switch {
			case propose.Waits(err):
				waiting = err
			case err != nil:
				return nil, "", err
			case published == truth.No:
			case !sure || published == truth.Undecided:
				unsure = host
			default:
				open = append(open, host)
			}
		}
	}
	return once(open), unsure, waiting
}

// unnamed returns the hostnames that a rule without a hostname serves.
func unnamed(c *propose.Case, rules []snapshot.Ingress, at int) ([]string, error) {
	if exposure.AnswersItself(rules[at].Service) {
		return nil, nil
	}
	zones, err := c.OwnZones()
	if err != nil {
		return nil, err
	}
	var out []string
	var waiting error
	for _, z := range zones {
		aliases, err := c.Records(propose.Text(z, "id"), "CNAME", "")
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range aliases {
			host := strings.ToLower(propose.Text(r, "name"))
			if exposure.Reaches(rules, at, host) && exposure.Same(propose.Text(r, "content"), c.Finding.Resource.ID+".cfargotunnel.com") {
				out = append(out, host)
			}
		}
	}
	return out, waiting
}

// hasLiveRecord reports whether a hostname now has a record, itself or through a wildcard;
// undecided when its zone is not in the account.
func hasLiveRecord(c *propose.Case, host string) (truth.Value, error) {
	zone, err := c.OwnZoneOf(host)
	if err != nil || zone == nil {
		return truth.Undecided, err
	}
	names := []string{host}
	for _, parent, more := strings.Cut(host, "."); more && exposure.Within(parent, propose.Text(zone, "name")); _, parent,
		more = strings.Cut(parent, ".") {
		names = append(names, "*."+parent)
	}
	var waiting error
	for _, name := range names {
		all, err := c.Records(propose.Text(zone, "id"), "", name)
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return truth.Undecided, err
		}
		if slices.ContainsFunc(all, func(r map[string]any) bool {
			return slices.Contains([]string{"A", "AAAA", "CNAME"}, propose.Text(r, "type"))
		}) {
			return truth.Yes, nil
		}
	}
	if waiting != nil {
		return truth.Undecided, waiting
	}
	if strings.HasPrefix(host, "*.") {
		return truth.Undecided, nil // names below it are not checked one by one
	}
	return truth.No, nil
}

// once removes duplicates and keeps the order.
func once(all []string) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
