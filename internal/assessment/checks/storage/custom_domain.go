package storage

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// customDomain finds buckets that everyone can read at a hostname of the account.
func customDomain() check.Check {
	return check.Check{
		ID: "CFL-R2-001", Title: "Buckets with a custom domain are protected",
		Category: "r2", Severity: posture.Medium, Worst: posture.High, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "A custom domain makes every object of an R2 bucket readable by whoever knows or guesses its path. An " +
			"Access application can put a login before it.",
		Fix: "Put the custom domain behind an Access application, or remove the domain from the bucket.",
		Words: posture.Words{
			Problem: "Anyone can read bucket {name} at its custom domain",
			Impact:  "Anyone who guesses or finds a path downloads the object, such as a log, a backup or a customer's file.",
			Breaks:  "Pages and clients that load files from the domain without a login are refused.",
			Dashboard: "Zero Trust › Access controls › Applications › Create new application › Self-hosted and private: enter " +
				"the custom domain of the bucket.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/access/apps",
				From: "/accounts/{account_id}/r2/buckets/{id}/domains/custom",
				Body: `[.result.domains[] | select(.enabled) | .domain] | {name: "{name}", type: "self_hosted", session_duration: "8h", ` +
					`same_site_cookie_attribute: "lax", domain: .[0], destinations: map({type: "public", uri: .}), ` +
					`policies: [{name: "Staff", decision: "allow", precedence: 1, include: [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]}]}`,
				Choose: "MAIL_DOMAIN: the mail domain of the people who may read the bucket (such as corp.example)"},
			Terraform: `resource "cloudflare_zero_trust_access_application" "bucket" {
  account_id                 = "{account_id}"
  name                       = "{name}"
  type                       = "self_hosted"
  same_site_cookie_attribute = "lax"
  destinations               = [{ type = "public", uri = var.hostname }]
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = var.mail_domain } }]
  }]
}`},
		References: []string{"https://developers.cloudflare.com/r2/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Shows("cis 3.3", "Something stands between the public and the objects of the bucket."),
			check.Supports("soc2 CC6.1", "Reading takes a permission that rules or Access give."),
			check.Supports("pci 7.2.1", "Access to objects is decided and not open to everyone."),
			check.Shows("nist PR.DS-01", "Stored objects are protected although they have a domain."),
		},
		Aliases: []string{"flareinspect:CFL-R2-001"},
		Needs:   []snapshot.Named{snapshot.R2Buckets, snapshot.R2CustomDomains, snapshot.AccessApps},
		Optional: traffic.Sources([]snapshot.Named{snapshot.AccountLogpushJobs, snapshot.ZoneLogpushJobs, snapshot.ZoneList,
			snapshot.R2Lifecycle, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.GatewayListItems,
			snapshot.DevicePosture}, traffic.FirewallNeeds()),
		Evaluate: evaluateCustomDomain,
	}
}

func customDomainExamples() []goodtest.Example {
	const host = "files." + goodtest.Domain
	at := func(name, domain string, enabled bool) func(*snapshot.Builder) {
		return put(snapshot.R2CustomDomains, name, []snapshot.R2Domain{{Domain: domain, Enabled: enabled, MinTLS: "1.2",
			ZoneID: goodtest.Zone}})
	}
	open := at(goodtest.Bucket, "open."+goodtest.Domain, true)
	app := func(domain string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessApps, goodtest.Account,
				[]snapshot.AccessApp{{ID: "a9", Type: "self_hosted", Domain: domain, Domains: []string{domain}}})
		}
	}
	edit := func(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) { change(&(*as)[0]) })
		}
	}
	bypass := func(rule snapshot.AccessRule) func(*snapshot.Builder) {
		return edit(func(a *snapshot.AccessApp) {
			a.Policies = []snapshot.AccessPolicy{{ID: "p9", Decision: "bypass", Include: []snapshot.AccessRule{rule}}}
		})
	}
	public := func(path string) func(*snapshot.Builder) {
		return edit(func(a *snapshot.AccessApp) { a.Public = []snapshot.AccessPublic{{Address: a.Domain, Path: path}} })
	}
	ruled := func(expressions ...string) func(*snapshot.Builder) {
		return goodtest.Edits(open, goodtest.AddRecord(snapshot.DNSRecord{ID: "r2", Name: "open." + goodtest.Domain, Type: "CNAME",
			Content: "public.r2.dev", Proxied: true, Proxiable: true}), func(b *snapshot.Builder) {
			var rules []snapshot.Rule
			for i, e := range expressions {
				rules = append(rules, snapshot.Rule{ID: strconv.Itoa(i), Enabled: true, Action: "block", Expression: e})
			}
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "cr", Kind: "zone", Rules: rules})
		})
	}
	const here = `http.host eq "open.` + goodtest.Domain + `" and `
	return []goodtest.Example{
		{Name: "a rule blocks all but one network", Want: posture.Pass, Edit: ruled(here + "not ip.src in {198.51.100.0/24}")},
		{Name: "a rule blocks all without a certificate", Want: posture.Pass, Edit: ruled(here + "not cf.tls_client_auth.cert_verified")},
		{Name: "two rules block what is left of each other", Want: posture.Pass,
			Edit: ruled(here+"ip.src in {::/0}", here+"ip.src in {0.0.0.0/0}")},
		{Name: "a rule blocks all but one network on a path", Want: posture.Warning,
			Edit: ruled(here + `not ip.src in {198.51.100.0/24} and starts_with(http.request.uri.path, "/private/")`)},
		{Name: "rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(ruled(), goodtest.Denied(snapshot.ZonePhaseCustom))},
		{Name: "a rule blocks another host", Want: posture.Warning, Edit: ruled(`http.host eq "www.` + goodtest.Domain + `"`)},
		{Name: "a rule blocks all but a country", Want: posture.Warning, Edit: ruled(here + `ip.src.country ne "DE"`)},
		{Name: "a rule blocks requests without a cookie", Want: posture.Warning, Edit: ruled(here + `http.cookie eq ""`)},
		{Name: "a rule blocks some networks", Want: posture.Warning, Edit: ruled(here + "ip.src in {185.220.101.0/24 45.83.64.0/22}")},
		{Name: "a rule nobody can read", Want: posture.Warning, Edit: ruled("odd(")},
		{Name: "no domain", Want: posture.Pass, Resource: goodtest.Bucket},
		{Name: "behind Access", Want: posture.Pass, Edit: goodtest.Edits(at(goodtest.Bucket, host, true), app(host))},
		{Name: "a disabled domain", Want: posture.Pass, Edit: at(goodtest.Bucket, "open."+goodtest.Domain, false)},
		{Name: "open", Want: posture.Warning, Resource: goodtest.Bucket, Edit: open},
		{Name: "open at a domain that Cloudflare blocked", Want: posture.Pass, Edit: put(snapshot.R2CustomDomains, goodtest.Bucket,
			[]snapshot.R2Domain{{Domain: "open." + goodtest.Domain, Enabled: true, Status: "blocked"}})},
		{Name: "open, declared public", Want: posture.Pass, Edit: open,
			Policy: func(p *policy.Policy) { p.PublicBuckets = []string{goodtest.Bucket} }},
		{Name: "open, named as private", Want: posture.Fail, Resource: "private-files", Edit: goodtest.Edits(rename("private-files"),
			at("private-files", host+".net", true))},
		{Name: "open, named as a log", Want: posture.Fail, Resource: "edge-logs", Edit: goodtest.Edits(rename("edge-logs"),
			at("edge-logs", host+".net", true))},
		{Name: "open, named as an export", Want: posture.Fail, Resource: "dataexports2026", Edit: goodtest.Edits(rename("dataexports2026"),
			at("dataexports2026", host+".net", true))},
		{Name: "open, and a Logpush job of the account writes to it", Want: posture.Fail, Severity: posture.High, Resource: goodtest.Bucket,
			Edit: goodtest.Edits(open, func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, []snapshot.LogpushJob{{ID: 9,
					Destination: "r2://" + goodtest.Bucket}})
			})},
		{Name: "open, and a Logpush job of a zone writes to it", Want: posture.Fail, Severity: posture.High,
			Edit: goodtest.Edits(open, func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLogpushJobs, goodtest.Zone, []snapshot.LogpushJob{{ID: 9, Destination: "r2://" + goodtest.Bucket}})
			})},
		{Name: "open, and a Logpush job writes to a bucket of that name in another account", Want: posture.Warning, Severity: posture.Medium,
			Edit: goodtest.Edits(open, func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, []snapshot.LogpushJob{{ID: 9,
					Destination: "r2://" + goodtest.Bucket, Owner: "0a0000000000000000000000000000ff"}})
			})},
		{Name: "open, and a Logpush job writes to another", Want: posture.Warning, Severity: posture.Medium,
			Edit: goodtest.Edits(open, func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, []snapshot.LogpushJob{{ID: 9,
					Destination: "r2://" + goodtest.Bucket + "2"}})
			})},
		{Name: "open, and a rule expires its backups", Want: posture.Fail, Severity: posture.High, Edit: goodtest.Edits(open,
			put(snapshot.R2Lifecycle, goodtest.Bucket, []snapshot.R2LifecycleRule{expire("db/backups/", 30)}))},
		{Name: "open, and Logpush jobs are not readable", Want: posture.Warning, Severity: posture.Medium, Edit: goodtest.Edits(open,
			func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountLogpushJobs.Source(), snapshot.Denied, "Logs Read", "")
			})},
		{Name: "open, named as a backup of a tool", Want: posture.Fail, Severity: posture.High, Resource: "velero-eu",
			Edit: goodtest.Edits(rename("velero-eu"), at("velero-eu", host+".net", true))},
		{Name: "behind Access, and holds logs", Want: posture.Pass, Edit: goodtest.Edits(rename("edge-logs"), at("edge-logs", host, true),
			app(host))},
		{Name: "a catalogue is no log", Want: posture.Warning, Resource: "catalog", Edit: goodtest.Edits(rename("catalog"),
			at("catalog", host+".net", true))},
		{Name: "an application covers a path", Want: posture.Warning,
			Edit: goodtest.Edits(at(goodtest.Bucket, host, true), app(host+"/admin"))},
		{Name: "an application whose star stands for another label", Want: posture.Warning,
			Edit: goodtest.Edits(at(goodtest.Bucket, host, true), app("*.example"))},
		{Name: "behind an application that lets everyone in", Want: posture.Warning, Edit: goodtest.Edits(at(goodtest.Bucket, host, true),
			app(host), bypass(snapshot.AccessRule{Kind: "everyone"}))},
		{Name: "behind an application that lets in a group that is missing", Want: posture.Unknown, Edit: goodtest.Edits(
			at(goodtest.Bucket, host, true), app(host), bypass(snapshot.AccessRule{Kind: "group", Value: "g9"}))},
		{Name: "behind an application that leaves its paths public", Want: posture.Warning, Edit: goodtest.Edits(
			at(goodtest.Bucket, host, true), app(host), public("/*"))},
		{Name: "behind an application that leaves a path public", Want: posture.Warning, Edit: goodtest.Edits(
			at(goodtest.Bucket, host, true), app(host), public("/images/*"))},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: noBucket},
	}
}

// notForEveryone says what the bucket contains that must not be public, judging by its name, by the
// log exports that write to it and by the paths in its lifecycle rules; "" when none of these
// indicates anything.
func notForEveryone(v *check.View) string {
	if what := exposure.NotForEveryone(v.Item()); what != "" {
		return what + ", as its name says"
	}
	writes := func(j snapshot.LogpushJob) bool { return j.WritesTo(bucket(v).Name, v.Account().ID) }
	jobs, _ := check.ReadOptionalAt(v, snapshot.AccountLogpushJobs, v.Account().ID)
	exports := slices.ContainsFunc(jobs, writes)
	for _, z := range v.Zones() {
		jobs, _ := check.ReadOptionalAt(v, snapshot.ZoneLogpushJobs, z.ID)
		exports = exports || slices.ContainsFunc(jobs, writes)
	}
	if exports {
		return "logs, as a Logpush job writes to it"
	}
	rules, _ := check.ReadOptional(v, snapshot.R2Lifecycle)
	for _, r := range rules {
		if what := exposure.NotForEveryone(r.Prefix); what != "" {
			return what + ", as a lifecycle rule says"
		}
	}
	return ""
}

func evaluateCustomDomain(v *check.View) check.Outcome {
	if slices.Contains(v.Policy.PublicBuckets, bucket(v).Name) {
		return v.Pass("The operator declared the bucket public.")
	}
	doors := check.DoorsOf(v)
	var open []string
	var rows []posture.Evidence
	unsure, enabled := "", 0
	var unread *traffic.Doubt
	for _, d := range check.Read(v, snapshot.R2CustomDomains) {
		if !d.Enabled {
			continue
		}
		if enabled++; !d.Serves() {
			continue
		}
		switch exposure.Guarded(doors, d.Domain, "") {
		case exposure.GuardedWhole:
		case exposure.UnsureGuard:
			unsure = d.Domain
		default:
			kept, doubt := keptOut(v, d)
			if kept {
				continue
			}
			if doubt != nil {
				unread = doubt
				continue
			}
			open = append(open, d.Domain)
			rows = append(rows, check.Evidence(snapshot.R2CustomDomains, "/"+d.Domain+"/enabled", "true, no application that asks anyone",
				"an application, or disabled"))
		}
	}
	message, holds := "Anyone can read the bucket "+v.Item()+" at "+strings.Join(open, ", ")+".", notForEveryone(v)
	words := posture.Words{ByHand: bucket(v).Elsewhere() || len(open) != enabled} // the call covers every domain
	switch {
	case len(open) > 0 && holds != "":
		return v.Fail(message+" It holds "+holds+".", rows...).As(words).Rated(posture.High)
	case len(open) > 0:
		return v.Warn(message, rows...).As(words)
	case unread != nil:
		return v.Doubtful(*unread)
	case unsure != "":
		return v.Unknown("whether an application guards " + unsure + " depends on a policy or a type of application that is not known")
	}
	return v.Pass("No custom domain of the bucket is open to everyone.")
}

// keptOut reports whether custom rules certainly block all requests of strangers to a domain, or of what was not
// read that hangs.
func keptOut(v *check.View, d snapshot.R2Domain) (kept bool, unread *traffic.Doubt) {
	i := slices.IndexFunc(v.Zones(), func(z snapshot.Zone) bool { return z.ID == d.ZoneID })
	if i < 0 {
		return false, nil
	}
	lanes := check.Lanes(v, traffic.Ended(traffic.CustomRules).Of(exposure.Bare(d.Domain), traffic.Strangers), v.Zones()[i])
	return len(lanes) > 0 && traffic.Cover(lanes, traffic.Flow.Blocks).All == truth.Yes, traffic.Unread(lanes)
}
