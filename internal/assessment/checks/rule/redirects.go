package rule

import (
	"encoding/json"
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
	denied := func(k snapshot.Named) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { b.Mark(k.Source(), snapshot.Denied, "Redirect Read", "") }
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
		{Name: "the visitor names the address, and the hosts are not readable", Want: posture.Unknown, Resource: "d1", Edit: goodtest.Edits(
			dynamic(`http.request.uri.args["next"][0]`), goodtest.Unread(snapshot.ZoneLoadBalancers))},
		{Name: "a constant address, and the hosts are not readable", Want: posture.Pass, Edit: goodtest.Edits(
			with(to("https://www.shop.example/", false)), goodtest.Unread(snapshot.ZoneLoadBalancers))},
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
		{Name: "page rules are not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: denied(snapshot.ZonePageRules)},
		{Name: "a zone that is not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: denied(snapshot.ZoneRulesets)},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account, Edit: denied(snapshot.AccountPhaseRedirect)},
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
		var earlier []string // rules whose requests later ones, and page rules, do not see
		for _, r := range entry.Rules {
			judgeRedirect(v, j, r, snapshot.ZonePhaseRedirect, z, earlier)
			if r.Enabled && r.Action == "redirect" {
				earlier = append(earlier, r.Expression)
			}
		}
		pages, ok := check.ReadOptionalAt(v, snapshot.ZonePageRules, z.ID)
		if !ok {
			j.Unread(posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}, snapshot.ZonePageRules, z.ID)
		}
		for _, p := range pages {
			judgeForwarding(v, j, p, pages, z, earlier)
		}
	}
	entry, ok := check.EntryPoint(v, snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, v.Account().ID)
	if !ok {
		j.UnreadEntryPoint(v.Resource(), snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, v.Account().ID)
	}
	for _, r := range entry.Rules {
		judgeRedirect(v, j, r, snapshot.AccountPhaseRedirect, snapshot.Zone{}, nil)
	}
	return j.Done("No visitor can steer a redirect.", "no enabled redirect rule exists")
}

func judgeRedirect(v *check.View, j *check.Judgement, r snapshot.Rule, source snapshot.Named, z snapshot.Zone, earlier []string) {
	if !r.Enabled || r.Action != "redirect" {
		return
	}
	name := r.Description
	if name == "" {
		name = r.ID
	}
	res := posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: name, ZoneID: z.ID, Zone: z.Name}
	reach := truth.Yes
	if z.ID != "" {
		reach = check.Reaches(v, z, traffic.Except(r.Expression, earlier)).Some
	}
	if r.Params.RedirectTo == "" || reach == truth.No {
		j.Pass() // a bulk list, or no request of the zone matches it before another one
		return
	}
	t, host := readTarget(r.Params)
	if reach == truth.Undecided && !stays(v, t, host) {
		j.ReachUnknown(res, z)
		return
	}
	// The call works only for rules of zones.
	judgeTarget(v, j, res, t, host, "Overview", z.ID == "", func(observed string) posture.Evidence {
		return check.Evidence(source, "/rules/"+r.ID+"/action_parameters/from_value/target_url", observed, ownTarget)
	})
}

const ownTarget = "a fixed host of the organisation, with https"

// judgeForwarding judges a page rule that forwards requests.
func judgeForwarding(v *check.View, j *check.Judgement, p snapshot.PageRule, pages []snapshot.PageRule, z snapshot.Zone, earlier []string) {
	text, forwards := p.Actions["forwarding_url"]
	if p.Status != "active" || !forwards || len(p.Targets) == 0 {
		return
	}
	reach := check.Reaches(v, z, traffic.Except(traffic.PageActing(pages, p), earlier)).Some
	if reach == truth.No {
		j.Pass() // no request of the zone matches it before a redirect rule or a stronger page rule
		return
	}
	var to struct {
		URL string `json:"url"`
	}
	t, host := unclear, ""
	if json.Unmarshal([]byte(text), &to) == nil {
		t, host = ofForwarding(p.Targets[0], to.URL)
	}
	res := posture.Resource{Type: posture.ResourceRule, ID: p.ID, Name: strings.Join(p.Targets, ", "), ZoneID: z.ID, Zone: z.Name}
	if reach == truth.Undecided && !stays(v, t, host) {
		j.ReachUnknown(res, z)
		return
	}
	judgeTarget(v, j, res, t, host, "Page Rules", true, func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePageRules, "/"+p.ID+"/actions/forwarding_url", observed, ownTarget)
	})
}

// stays reports whether a redirect certainly leads to a fixed host of the organisation, with https.
func stays(v *check.View, t redirectHost, host string) bool {
	return t == fixed && own(v, host) == truth.Yes
}

// judgeTarget judges where a rule redirects to. list is the page of the dashboard that shows it.
func judgeTarget(v *check.View, j *check.Judgement, res posture.Resource, t redirectHost, host, list string, byHand bool,
	seen func(string) posture.Evidence) {
	name, at := res.Name, "Rules › "+list+" › {name}: "
	switch {
	case t == steered:
		j.Fail(res, "The redirect "+name+" takes the host or scheme of its target from the request.",
			seen("the host or scheme comes from the request"))
		j.As(posture.Words{ByHand: byHand, Dashboard: at + "write a fixed host into the target URL."})
	case t == unclear:
		j.Unclear(res, "the target of the redirect is built in a way this check does not follow")
	case t == plain:
		j.Warn(res, "The redirect "+name+" leads to an http:// address.", seen("http"))
		words := posture.Words{ByHand: byHand, Problem: "Redirect {name} leads to plain HTTP",
			Impact:    "Someone on the same network can read and change what follows the redirect.",
			Dashboard: at + "begin the target URL with https://."}
		if !byHand {
			words.Call = posture.Call{Method: "PUT", Path: redirectRules, From: redirectRules,
				Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.from_value.target_url |= ` +
					`map_values(sub("http://"; "https://")) else . end))}`}
		}
		j.As(words)
	case own(v, host) == truth.Undecided:
		j.Unknown(res, perhapsOwn(host))
	case own(v, host) == truth.No:
		j.Warn(res, "The redirect "+name+" leads to "+host+", which is in no zone of this account.", seen(host))
		j.As(posture.Words{ByHand: true, Problem: "Redirect {name} leads to a host outside the account",
			Impact:    "When that host changes hands, visitors who follow a link to your domain land on pages of someone else.",
			Dashboard: at + "change the target URL, or add the host to your own hosts in the policy."})
	default:
		j.Pass()
	}
}
