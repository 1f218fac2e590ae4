package rule

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirects judges whether a visitor, or the sender of a link, can choose the target of a redirect.
// Bulk redirects lead to the fixed addresses of a list, which is not read: visitors cannot change
// them. Zones are judged one by one, so that an unreadable zone does not affect the others.
func redirects() check.Check {
	return check.Check{
		ID: "CFL-RULES-001", Title: "Redirects cannot be steered by the visitor",
		Category: "rules", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "A redirect whose target comes from the request sends visitors wherever a link says, under the name of your " +
			"domain. Phishing and the theft of OAuth tokens use such open redirects.",
		Fix: "Write scheme and host of the target into the rule, and take only the path from the request.",
		Words: posture.Words{
			Problem:   "Redirect {name} leads wherever the link says",
			Impact:    "Anyone can send a link to your domain that opens a foreign page, such as a copy of your login page.",
			Breaks:    "Links that rely on the old target lead to the fixed one.",
			Dashboard: "Rules › Overview › {name}: write a fixed host into the target URL.",
			Call: posture.Call{Method: "PUT", Path: redirectRules, From: redirectRules,
				Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.from_value.target_url = ` +
					`{value: "https://{zone}{$TARGET_PATH}"} else . end))}`,
				Choose: "TARGET_PATH: the page that the redirect leads to (such as /start)"},
		},
		References: []string{"https://developers.cloudflare.com/rules/url-forwarding/single-redirects/",
			"https://developers.cloudflare.com/rules/url-forwarding/bulk-redirects/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Redirects go where the site decides and not where the visitor says."),
			check.Supports("soc2 CC6.8", "The site cannot be used to lead people to malicious software."),
			check.Supports("pci 6.2.4", "Open redirects are an attack that this rules out at the edge."),
			check.Supports("nist PR.PS-01", "Redirect rules are written in a safe form."),
		},
		Needs: []snapshot.Named{snapshot.ZoneList},
		Optional: append(traffic.Reaches("").Needs, snapshot.AccountRulesets, snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect,
			snapshot.AccountPhaseRedirect, snapshot.PagesProjects, snapshot.ZonePageRules),
		Evaluate: evaluateRedirects,
	}
}

const redirectRules = "/zones/{zone_id}/rulesets/phases/http_request_dynamic_redirect/entrypoint"

func redirectsExamples() []goodtest.Example {
	to := func(target string, dynamic bool) snapshot.Rule {
		return snapshot.Rule{ID: "d1", Enabled: true, Action: "redirect", Expression: "true", Params: snapshot.RuleParams{RedirectTo: target,
			RedirectRaw: dynamic}}
	}
	on := func(expression string, r snapshot.Rule) snapshot.Rule { r.Expression = expression; return r }
	with := func(r snapshot.Rule) func(*snapshot.Builder) { return rules(snapshot.ZonePhaseRedirect, r) }
	bulk := func(r snapshot.Rule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseRedirect, goodtest.Account, snapshot.Ruleset{ID: "ar", Rules: []snapshot.Rule{r}})
		}
	}
	forward := func(target, to string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
				Actions: map[string]string{"forwarding_url": `{"status_code":302,"url":"` + to + `"}`}}})
		}
	}
	dynamic := func(text string) func(*snapshot.Builder) { return with(to(text, true)) }
	return []goodtest.Example{
		{Name: "a constant address", Want: posture.Pass, Resource: goodtest.Account, Edit: with(to("https://www.shop.example/", false))},
		{Name: "the same host with TLS", Want: posture.Pass, Edit: dynamic(`concat("https://", http.host, http.request.uri.path)`)},
		{Name: "a prefix before the same host", Want: posture.Pass, Edit: dynamic(`concat("https://www.", http.host, http.request.uri)`)},
		{Name: "Cloudflare's own pattern", Want: posture.Pass,
			Edit: dynamic(`wildcard_replace(http.request.full_uri, "http://*", "https://${1}")`)},
		{Name: "a path on a fixed host", Want: posture.Pass, Edit: dynamic(`concat("https://shop.example", http.request.uri.path)`)},
		{Name: "a query behind a fixed host", Want: posture.Pass,
			Edit: dynamic(`concat("https://shop.example/go?to=", http.request.uri.args["next"][0])`)},
		{Name: "a host below a fixed domain", Want: posture.Pass,
			Edit: dynamic(`regex_replace(http.host, "^(.*)\\.old", "https://${1}.shop.example/")`)},
		{Name: "the visitor names the address", Want: posture.Fail, Resource: "d1", Edit: dynamic(`http.request.uri.args["next"][0]`)},
		{Name: "the visitor names the host", Want: posture.Fail, Edit: dynamic(`concat("https://", http.request.uri.args["host"][0], "/")`)},
		{Name: "a header names the host", Want: posture.Fail, Edit: dynamic(`concat("https://", http.request.headers["x-host"][0])`)},
		{Name: "the query ends a host without a slash", Want: posture.Fail,
			Edit: dynamic(`concat("https://shop.example", http.request.uri.query)`)},
		{Name: "the path becomes the host", Want: posture.Fail,
			Edit: dynamic(`regex_replace(http.request.uri.path, "^/go/(.*)", "https://${1}")`)},
		{Name: "the visitor names the address, behind a rule for the same requests", Want: posture.Pass, Edit: rules(snapshot.ZonePhaseRedirect,
			on("ssl", to("https://www.shop.example/", false)), on("not ssl", to("https://www.shop.example/", false)),
			to(`http.request.uri.args["next"][0]`, true))},
		{Name: "the visitor names the address, behind a rule for others", Want: posture.Fail, Resource: "d1", Edit: rules(
			snapshot.ZonePhaseRedirect, on("ssl", to("https://www.shop.example/", false)), to(`http.request.uri.args["next"][0]`, true))},
		{Name: "the visitor names the address, behind a rule that is off", Want: posture.Fail, Resource: "d1", Edit: rules(
			snapshot.ZonePhaseRedirect, goodtest.Off(to("https://www.shop.example/", false)), to(`http.request.uri.args["next"][0]`, true))},
		{Name: "a page rule that visitors steer, behind a redirect rule", Want: posture.Pass, Edit: goodtest.Edits(
			with(to("https://www.shop.example/", false)), forward("*shop.example/*", "https://$2"))},
		{Name: "the visitor names the address, and hosts are not readable", Want: posture.Fail, Resource: "d1", Edit: goodtest.Edits(
			dynamic(`http.request.uri.args["next"][0]`), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the visitor names the address, on a host among those that are not readable", Want: posture.Unknown, Resource: "d1",
			Edit: goodtest.Edits(with(on(`http.host eq "gone.shop.example"`, to(`http.request.uri.args["next"][0]`, true))),
				goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the visitor names the address, behind a rule for hosts among those that are not readable", Want: posture.Fail, Resource: "d1",
			Edit: goodtest.Edits(rules(snapshot.ZonePhaseRedirect, on(`http.host eq "gone.shop.example"`, to("https://www.shop.example/", false)),
				to(`http.request.uri.args["next"][0]`, true)), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the visitor names the address, behind a rule for all, and hosts are not readable", Want: posture.Pass, Edit: goodtest.Edits(
			rules(snapshot.ZonePhaseRedirect, to("https://www.shop.example/", false), to(`http.request.uri.args["next"][0]`, true)),
			goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "a constant address, and the hosts are not readable", Want: posture.Pass, Edit: goodtest.Edits(
			with(to("https://www.shop.example/", false)), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the visitor names the address, on a host of another zone", Want: posture.Pass,
			Edit: with(on(`http.host eq "other.example"`, to(`http.request.uri.args["next"][0]`, true)))},
		{Name: "the visitor names the address, on a custom hostname", Want: posture.Fail,
			Edit: with(on(`http.host eq "shop.customer.example"`, to(`http.request.uri.args["next"][0]`, true)))},
		{Name: "the visitor names the address, on a host below the zone that is not there", Want: posture.Pass,
			Edit: with(on(`http.host eq "gone.shop.example"`, to(`http.request.uri.args["next"][0]`, true)))},
		{Name: "another host", Want: posture.Warning, Resource: "d1", Edit: with(to("https://partner.example.net/", false))},
		{Name: "another host that is ours", Want: posture.Pass, Edit: with(to("https://partner.example.net/", false)),
			Policy: func(p *policy.Policy) { p.OwnHosts = []string{"example.net"} }},
		{Name: "plain http", Want: posture.Warning, Edit: with(to("http://shop.example/", false))},
		{Name: "a function nobody follows", Want: posture.Unknown, Resource: "d1", Edit: dynamic(`lower(http.request.uri.path)`)},
		{Name: "a bulk list", Want: posture.Pass, Edit: bulk(to("", false))},
		{Name: "the account steers", Want: posture.Fail, Resource: "d1", Edit: bulk(to(`http.request.uri.query`, true))},
		{Name: "a page rule forwards to what the visitor names", Want: posture.Fail, Resource: "p1",
			Edit: forward("shop.example/go/*", "https://$1")},
		{Name: "a page rule forwards to the requested host", Want: posture.Pass,
			Edit: forward("http://*shop.example/*", "https://$1shop.example/$2")},
		{Name: "a page rule takes a part of the path for the host", Want: posture.Fail,
			Edit: forward("*shop.example/*", "https://$2shop.example/")},
		{Name: "a page rule forwards below a fixed domain", Want: posture.Pass, Edit: forward("shop.example/*", "https://$1.shop.example/")},
		{Name: "a page rule forwards to a fixed host", Want: posture.Pass, Edit: forward("shop.example/*", "https://www.shop.example/$1")},
		{Name: "a page rule forwards to another host", Want: posture.Warning, Edit: forward("shop.example/*", "https://partner.example.net/$1")},
		{Name: "a page rule forwards to plain http", Want: posture.Warning, Edit: forward("shop.example/*", "http://www.shop.example/$1")},
		{Name: "a page rule of a host that is not there", Want: posture.Pass, Edit: forward("gone.shop.example/*", "https://$1")},
		{Name: "a page rule behind a stronger one", Want: posture.Pass, Edit: goodtest.Edits(forward("shop.example/go/*", "https://$1"),
			stronger("shop.example/*", map[string]string{"waf": "off"}))},
		{Name: "a page rule before a stronger one of another path", Want: posture.Fail, Edit: goodtest.Edits(
			forward("shop.example/go/*", "https://$1"), stronger("shop.example/img/*", map[string]string{"waf": "off"}))},
		{Name: "page rules are not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZonePageRules)},
		{Name: "a zone that is not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZoneRulesets)},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Denied(snapshot.AccountPhaseRedirect)},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: with(goodtest.Off(to(`http.request.uri.query`, true)))},
		{Name: "no redirect", Want: posture.NotApplicable},
	}
}

func evaluateRedirects(v *check.View) check.Outcome {
	j := v.Judge()
	for _, z := range v.Zones() {
		entry, ok := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect, z.ID)
		if !ok {
			j.UnreadEntryPoint(posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name},
				snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect, z.ID)
			continue
		}
		pages, ok := check.ReadOptionalAt(v, snapshot.ZonePageRules, z.ID)
		if !ok {
			j.Unread(posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}, snapshot.ZonePageRules, z.ID)
		}
		rules := slices.DeleteFunc(slices.Clone(entry.Rules), func(r snapshot.Rule) bool { return !redirecting(r) })
		forwards := slices.DeleteFunc(slices.Clone(pages), func(p snapshot.PageRule) bool { return !forwarding(p) })
		all := check.Conditions(rules)
		for _, p := range forwards {
			all = append(all, traffic.PageActing(pages, p))
		}
		left := check.Left(v, z, all)
		for i, r := range rules {
			judgeRedirect(v, j, r, snapshot.ZonePhaseRedirect, z, func() truth.Value { return left(all[i], all[:i]) })
		}
		for i, p := range forwards { // they see what redirect rules leave
			judgeForwarding(v, j, p, z, func() truth.Value { return left(all[len(rules)+i], all[:len(rules)]) })
		}
	}
	entry, ok := check.EntryPoint(v, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, v.Account().ID)
	if !ok {
		j.UnreadEntryPoint(v.Resource(), snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, v.Account().ID)
	}
	for _, r := range entry.Rules {
		if redirecting(r) {
			judgeRedirect(v, j, r, snapshot.AccountPhaseRedirect, snapshot.Zone{}, func() truth.Value { return truth.Yes })
		}
	}
	return j.Done("No visitor can steer a redirect.", "no enabled redirect rule exists")
}

func redirecting(r snapshot.Rule) bool { return r.Enabled && r.Action == "redirect" }

func forwarding(p snapshot.PageRule) bool {
	return p.Status == "active" && p.Actions["forwarding_url"] != "" && len(p.Targets) > 0
}

// judgeRedirect judges an enabled rule; reach returns whether requests meet it before another one.
func judgeRedirect(v *check.View, j *check.Judgement, r snapshot.Rule, source snapshot.Named, z snapshot.Zone, reach func() truth.Value) {
	if r.Params.RedirectTo == "" {
		j.Pass() // a bulk list
		return
	}
	t, host := readTarget(r.Params)
	// The call works only for rules of zones.
	judgeTarget(v, j, redirect{zone: z, id: r.ID, name: r.Name(), to: t, host: host, list: "Overview", byHand: z.ID == "", reach: reach,
		seen: func(observed string) posture.Evidence {
			return check.Evidence(source, "/rules/"+r.ID+"/action_parameters/from_value/target_url", observed, ownTarget)
		}})
}

const ownTarget = "a fixed host of the organisation, with https"

// judgeForwarding judges a page rule that forwards requests.
func judgeForwarding(v *check.View, j *check.Judgement, p snapshot.PageRule, z snapshot.Zone, reach func() truth.Value) {
	var to struct {
		URL string `json:"url"`
	}
	t, host := unclear, ""
	if json.Unmarshal([]byte(p.Actions["forwarding_url"]), &to) == nil {
		t, host = ofForwarding(p.Targets[0], to.URL)
	}
	judgeTarget(v, j, redirect{zone: z, id: p.ID, name: strings.Join(p.Targets, ", "), to: t, host: host, list: "Page Rules", byHand: true,
		reach: reach, seen: func(observed string) posture.Evidence {
			return check.Evidence(snapshot.ZonePageRules, "/"+p.ID+"/actions/forwarding_url", observed, ownTarget)
		}})
}

// redirect is a rule of either kind and where it leads.
type redirect struct {
	zone     snapshot.Zone // none for a rule of the account
	id, name string
	to       redirectHost
	host     string
	list     string // the page of the dashboard that shows it
	byHand   bool
	reach    func() truth.Value // whether requests meet it before another rule; asked only where that matters
	seen     func(string) posture.Evidence
}

func judgeTarget(v *check.View, j *check.Judgement, r redirect) {
	res := posture.Resource{Type: posture.ResourceRule, ID: r.id, Name: r.name, ZoneID: r.zone.ID, Zone: r.zone.Name}
	if r.to == fixed && own(v, r.host) == truth.Yes {
		j.Pass()
		return
	}
	switch r.reach() {
	case truth.No:
		j.Pass()
		return
	case truth.Undecided:
		j.ReachUnknown(res, r.zone)
		return
	}
	name, at := res.Name, "Rules › "+r.list+" › {name}: "
	switch {
	case r.to == steered:
		j.Fail(res, "The redirect "+name+" takes the host or scheme of its target from the request.",
			r.seen("the host or scheme comes from the request"))
		j.As(posture.Words{ByHand: r.byHand, Dashboard: at + "write a fixed host into the target URL."})
	case r.to == unclear:
		j.Unclear(res, "the target of the redirect is built in a way this check does not follow")
	case r.to == plain:
		j.Warn(res, "The redirect "+name+" leads to an http:// address.", r.seen("http"))
		words := posture.Words{ByHand: r.byHand, Problem: "Redirect {name} leads to plain HTTP",
			Impact:    "Someone on the same network can read and change what follows the redirect.",
			Dashboard: at + "begin the target URL with https://."}
		if !r.byHand {
			words.Call = posture.Call{Method: "PUT", Path: redirectRules, From: redirectRules,
				Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.from_value.target_url |= ` +
					`map_values(sub("http://"; "https://")) else . end))}`}
		}
		j.As(words)
	case own(v, r.host) == truth.Undecided:
		j.Unknown(res, perhapsOwn(r.host))
	default:
		j.Warn(res, "The redirect "+name+" leads to "+r.host+", which is in no zone of this account.", r.seen(r.host))
		j.As(posture.Words{ByHand: true, Problem: "Redirect {name} leads to a host outside the account",
			Impact:    "When that host changes hands, visitors who follow a link to your domain land on pages of someone else.",
			Dashboard: at + "change the target URL, or add the host to your own hosts in the policy."})
	}
}
