package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ownPlatform judges records that point to names on the provider's platforms that should belong to
// this account.
func ownPlatform() check.Check {
	return check.Check{
		ID: "CFL-DNS-007", Title: "Records to own platform names match an existing resource",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "A record to pages.dev or cfargotunnel.com stays when the project or tunnel is deleted. The name of a " +
			"deleted Pages project is free for anyone.",
		Fix: "Delete the record, or create the project or tunnel again and point the record to it.",
		Words: posture.Words{
			Problem: "{name} points to a Pages project that is gone",
			Impact: "Anyone with a Cloudflare account can create a Pages project of that name, add {name} as its custom domain and " +
				"serve it.",
			Breaks:    "Nothing that works today, unless the project or tunnel belongs to another account of yours.",
			Dashboard: "DNS › Records › {name} › Edit › Delete.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/pages/",
			"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Records of a deleted bucket, script or project are removed with it."),
			check.Supports("soc2 CC6.6", "Nobody can take over a name whose resource is gone."),
			check.Supports("pci 1.4.2", "Each published name leads to a component that exists and is approved."),
			check.Supports("nist ID.RA-01", "Names without a resource are found and recorded."),
		},
		Aliases: []string{"cfsi:dangling-cname"},
		Remedy: &propose.Remedy{Operation: "DELETE /zones/{zone_id}/dns_records/{dns_record_id}", Risk: "medium", Reversible: true,
			Body:    "none",
			Inverse: "POST /zones/{zone_id}/dns_records with the captured record (new id)",
			Caution: "The name stops resolving. It points to a Pages project or tunnel that this account does not have; check that no " +
				"other account of yours has it.",
			Propose: proposeCut},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.PagesProjects, snapshot.Tunnels},
		Unless:   check.NotPublic,
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Public(v, v.Zone()) {
				judgePlatform(v, j, r)
			}
			return j.Done("Every record to an own platform name matches a resource of the account.",
				"no record points to pages.dev or cfargotunnel.com")
		},
	}
}

func ownPlatformExamples() []goodtest.Example {
	to := func(content string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: "CNAME", Content: content, Proxied: true})
	}
	project := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "site", Subdomain: "site-7x.pages.dev"}})
	}
	trusted := func(p *policy.Policy) { p.TrustedTargets = []string{"partner.pages.dev"} }
	return []goodtest.Example{
		{Name: "a tunnel of the account", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a tunnel nobody has", Want: posture.Warning, Severity: posture.Low, Resource: "t1",
			Edit: to("0c000000-0000-4000-8000-00000000dead.cfargotunnel.com")},
		{Name: "a project of the account", Want: posture.Pass, Edit: goodtest.Edits(project, to("site-7x.pages.dev"))},
		{Name: "a branch of a project", Want: posture.Pass, Edit: goodtest.Edits(project, to("main.site-7x.pages.dev"))},
		{Name: "a project nobody has", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(project, to("gone.pages.dev"))},
		{Name: "a project nobody has, in an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(project, to("gone.pages.dev"),
			goodtest.Type("internal"))},
		{Name: "in capitals and with a final dot", Want: posture.Pass, Edit: goodtest.Edits(project, to("Site-7X.Pages.dev."))},
		{Name: "a project without an address", Want: posture.Fail, Edit: goodtest.Edits(func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "site"}})
		}, to("gone.pages.dev."))},
		{Name: "a name that only ends alike", Want: posture.Fail, Edit: goodtest.Edits(project, to("my-site-7x.pages.dev"))},
		{Name: "browsers are led to a project nobody has", Want: posture.Fail, Resource: "t1", Edit: goodtest.Edits(project,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: "HTTPS",
				Content: `1 gone.pages.dev. alpn="h2"`}))},
		{Name: "browsers are led to a project of the account", Want: posture.Pass, Edit: goodtest.Edits(project,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: "HTTPS", Content: `1 site-7x.pages.dev.`}))},
		{Name: "an HTTPS record for its own name", Want: posture.Pass, Edit: goodtest.Edits(project,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "t1", Name: "app." + goodtest.Domain, Type: "HTTPS", Content: `1 . alpn="h3"`}))},
		{Name: "a trusted account", Want: posture.Warning, Resource: "t1", Edit: goodtest.Edits(project, to("partner.pages.dev")),
			Policy: trusted},
		{Name: "projects are not readable", Want: posture.Unknown, Resource: "t1", Edit: goodtest.Edits(to("gone.pages.dev"),
			goodtest.Denied(snapshot.PagesProjects))},
		{Name: "tunnels are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.Tunnels)},
		{Name: "projects do not matter to a tunnel", Want: posture.Pass, Edit: goodtest.Denied(snapshot.PagesProjects)},
		{Name: "no such record", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if strings.HasSuffix(r.Content, ".cfargotunnel.com") {
				r.Content = "app.elsewhere.test"
			}
		})},
	}
}

// platformTarget returns the name that an alias leads to, or an HTTPS record, which leads browsers past the addresses of its
// name.
func platformTarget(kind, content string) string {
	if kind == "CNAME" || kind == "HTTPS" || kind == "SVCB" {
		return targetOf(kind, content)
	}
	return ""
}

func judgePlatform(v *check.View, j *check.Judgement, r snapshot.DNSRecord) {
	res, target := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name), platformTarget(r.Type, r.Content)
	source, there, known := platform(v, target)
	if source == nil {
		return
	}
	seen := check.Evidence(source, "/", "nothing named "+target, "a resource of the account")
	switch {
	case !known:
		j.Unread(res, source, v.Account().ID)
	case there:
		j.Pass()
	case listed(v.Policy.TrustedTargets, target):
		j.Warn(res, "The record "+r.Name+" points to "+target+", which trustedTargets lists as belonging to another account.", seen)
		j.As(posture.Words{Problem: "{name} points to a resource of another account", ByHand: true,
			Impact:    "Whoever runs the other account decides what {name} serves, and nothing here shows when the resource is deleted.",
			Breaks:    "Deleting the record takes {name} offline while the other account serves it.",
			Dashboard: "DNS › Records › {name}: ask the owner of the other account whether the resource is still in use."})
	case source == snapshot.Named(snapshot.Tunnels):
		// Nobody can choose the id of a tunnel, so this name cannot be taken over.
		j.Warn(res, "The record "+r.Name+" points to "+target+", and this account has no such tunnel.", seen)
		j.Rated(posture.Low)
		j.As(posture.Words{Problem: "{name} points to a tunnel that does not exist",
			Impact: "Visitors of {name} get an error; if the tunnel belongs to another account, nothing here shows what it serves."})
	default:
		j.Fail(res, "The record "+r.Name+" points to "+target+", and this account has no such Pages project. Whoever creates it serves the host.",
			seen)
	}
}

// platform returns the list that a target on Cloudflare's own platforms is in when it is of the account,
// and whether it is; source is nil for other targets.
func platform(v *check.View, target string) (source snapshot.Named, there, known bool) {
	switch {
	case exposure.Within(target, "pages.dev"):
		projects, ok := check.ReadOptionalAt(v, snapshot.PagesProjects, v.Account().ID)
		return snapshot.PagesProjects, slices.ContainsFunc(projects, func(p snapshot.PagesProject) bool {
			return exposure.Within(target, p.Subdomain)
		}), ok
	case exposure.Within(target, "cfargotunnel.com"):
		tunnels, ok := check.ReadOptionalAt(v, snapshot.Tunnels, v.Account().ID)
		return snapshot.Tunnels, slices.ContainsFunc(tunnels, func(t snapshot.Tunnel) bool {
			return exposure.Same(target, t.ID+".cfargotunnel.com")
		}), ok
	}
	return nil, false, false
}

// proposeCut deletes a record to a platform name that is not in the account, according to complete
// lists read now.
func proposeCut(c *propose.Case) ([]change.Edit, error) {
	place, live, err := record(c)
	if live == nil || err != nil {
		return nil, err
	}
	target := platformTarget(propose.Text(live, "type"), propose.Text(live, "content"))
	path, own := "", func(map[string]any) bool { return false }
	switch {
	case exposure.Within(target, "pages.dev"):
		path, own = "/accounts/{account_id}/pages/projects", func(p map[string]any) bool {
			return propose.Text(p, "subdomain") != "" && exposure.Within(target, propose.Text(p, "subdomain"))
		}
	case exposure.Within(target, "cfargotunnel.com"):
		path, own = "/accounts/{account_id}/cfd_tunnel?is_deleted=false", func(t map[string]any) bool {
			return exposure.Same(target, propose.Text(t, "id")+".cfargotunnel.com")
		}
	}
	if path == "" {
		return nil, nil
	}
	if listed(c.Policy.TrustedTargets, target) {
		return nil, propose.Refuse("The target %s is on the operator's list of trusted accounts.", target)
	}
	all, err := c.Read(c.Path(path))
	if err != nil {
		return nil, err
	}
	if _, complete := all.([]any); !complete {
		return nil, propose.Refuse("The account has no list the target %s could be looked up in, so nobody can say that it is free.", target)
	}
	if slices.ContainsFunc(propose.Objects(all), own) {
		return nil, nil
	}
	return deletion(c, place, live)
}
