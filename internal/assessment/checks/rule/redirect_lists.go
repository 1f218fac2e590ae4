package rule

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirectLists judges the targets of bulk redirects. Single redirects are judged by CFL-RULES-001.
func redirectLists() check.Check {
	return check.Check{
		ID: "CFL-RULES-004", Title: "Bulk redirects lead to own hosts with HTTPS",
		Category: "rules", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Lists of bulk redirects are filled once, for a move or a campaign, and nobody reads them again. Targets over plain HTTP and " +
			"hosts that change hands stay in them for years.",
		Fix: "Change the targets that begin with http:// to https://, and remove entries whose host is no longer yours.",
		Words: posture.Words{
			Problem:   "Bulk redirects of this account lead to plain HTTP",
			Impact:    "Someone on the same network can read and change the page that a visitor of your domain is sent to.",
			Breaks:    "Visitors of an entry whose target does not serve HTTPS get an error.",
			Dashboard: "Manage Account › Configurations › Lists › the list › Edit: begin the target URLs with https://.",
		},
		References: []string{"https://developers.cloudflare.com/rules/url-forwarding/bulk-redirects/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Redirects do not take visitors off encryption."),
			check.Supports("soc2 CC6.7", "Visitors are not sent to a place that others read."),
			check.Touches("pci 6.2.4", "The entries are fixed: visitors cannot steer them."),
			check.Supports("nist PR.DS-02", "What follows a redirect is protected on the wire."),
		},
		Needs: []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseRedirect, snapshot.AccountLists, snapshot.AccountListItems,
			snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.PagesProjects},
		Evaluate: evaluateRedirectLists,
	}
}

func evaluateRedirectLists(v *check.View) check.Outcome {
	used := map[string]bool{}
	for _, r := range check.Read(v, snapshot.AccountPhaseRedirect).Rules {
		if r.Enabled && r.Action == "redirect" && r.Params.FromList != "" {
			used[r.Params.FromList] = true
		}
	}
	read := v.ItemsOf(snapshot.AccountListItems)
	var bare, outside, odd, unread []string
	judged, perhaps := 0, ""
	for _, l := range check.Read(v, snapshot.AccountLists) {
		if l.Kind != "redirect" || !used[l.Name] {
			continue
		}
		if !slices.Contains(read, l.ID) && l.Items > 0 {
			unread = append(unread, l.Name)
			continue
		}
		for _, item := range check.ReadAt(v, snapshot.AccountListItems, l.ID) {
			if item.Redirect == nil {
				continue
			}
			judged++
			entry := item.Redirect.Source + " to " + item.Redirect.Target + " (" + l.Name + ")"
			switch t, host := ofText(item.Redirect.Target); {
			case t == plain:
				bare = append(bare, entry)
			case t != fixed:
				odd = append(odd, entry)
			case own(v, host) == truth.No:
				outside = append(outside, entry)
			case own(v, host) == truth.Undecided:
				perhaps = host
			}
		}
	}
	seen := func(all []string, want string) posture.Evidence {
		return check.Evidence(snapshot.AccountListItems, "", some(all), want)
	}
	switch {
	case len(bare) > 0:
		return v.Fail(check.Count(len(bare), "bulk redirect leads", "bulk redirects lead")+" to plain HTTP: "+some(bare)+".",
			seen(bare, "targets with https"))
	case len(outside) > 0:
		return v.Warn(check.Count(len(outside), "bulk redirect leads", "bulk redirects lead")+" to hosts outside this account: "+some(outside)+
			".", seen(outside, "hosts of the organisation")).As(posture.Words{ByHand: true,
			Problem: "Bulk redirects lead to hosts outside this account",
			Impact:  "When such a host changes hands, visitors who follow a link to your domain land on pages of someone else.",
			Dashboard: "Manage Account › Configurations › Lists › the list › Edit: remove the entries, or add the hosts to your own " +
				"hosts in the policy."})
	case len(unread) > 0:
		return v.Unknown("these lists of redirects are too long to be read: " + strings.Join(unread, ", "))
	case perhaps != "":
		return v.Unknown(perhapsOwn(perhaps))
	case len(odd) > 0:
		return v.Unknown("the target of a bulk redirect is written in a way this check does not follow: " + some(odd))
	case judged == 0:
		return v.NotApplicable("no bulk redirect is in use")
	}
	return v.Pass("Every bulk redirect leads to an own host with HTTPS.")
}

// some names at most three items.
func some(all []string) string {
	if len(all) > 3 {
		return strings.Join(all[:3], "; ") + " and " + check.Count(len(all)-3, "more", "more")
	}
	return strings.Join(all, "; ")
}

func redirectListsExamples() []goodtest.Example {
	list := func(kind string, items int, targets ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l1", Name: "moves", Kind: kind,
				Items: max(items, len(targets)), References: 1}})
			var all []snapshot.ListItem
			for i, t := range targets {
				all = append(all, snapshot.ListItem{ID: string(rune('a' + i)), Redirect: &snapshot.ListRedirect{Source: "shop.example/old",
					Target: t}})
			}
			if items == 0 {
				snapshot.Put(b, snapshot.AccountListItems, "l1", all)
			}
		}
	}
	bulk := func(on bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseRedirect, goodtest.Account, snapshot.Ruleset{ID: "ar", Rules: []snapshot.Rule{{ID: "d1",
				Enabled: on, Action: "redirect", Expression: "http.request.full_uri in $moves", Params: snapshot.RuleParams{FromList: "moves"}}}})
		}
	}
	to := func(targets ...string) func(*snapshot.Builder) {
		return goodtest.Edits(bulk(true), list("redirect", 0, targets...))
	}
	return []goodtest.Example{
		{Name: "own host", Want: posture.Pass, Resource: goodtest.Account, Edit: to("https://www.shop.example/new")},
		{Name: "plain HTTP", Want: posture.Fail, Resource: goodtest.Account, Edit: to("http://www.shop.example/new")},
		{Name: "plain HTTP in capitals, one of two", Want: posture.Fail, Edit: to("https://www.shop.example/", "HTTP://www.shop.example/")},
		{Name: "four of them", Want: posture.Fail, Edit: to("http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/")},
		{Name: "outside", Want: posture.Warning, Resource: goodtest.Account, Edit: to("https://agency.test/shop")},
		{Name: "outside, and ours", Want: posture.Pass, Edit: to("https://agency.test/shop"),
			Policy: func(p *policy.Policy) { p.OwnHosts = []string{"agency.test"} }},
		{Name: "a domain that only looks like ours", Want: posture.Warning, Edit: to("https://notshop.example/")},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: goodtest.Edits(bulk(false), list("redirect", 0, "http://a.test/"))},
		{Name: "a list of addresses", Want: posture.NotApplicable, Edit: goodtest.Edits(bulk(true), list("ip", 0))},
		{Name: "a list that is too long", Want: posture.Unknown, Edit: goodtest.Edits(bulk(true), list("redirect", 9000))},
		{Name: "a target that is no address", Want: posture.Unknown, Edit: to("ftp://files.shop.example/")},
		{Name: "no bulk redirect", Want: posture.NotApplicable, Resource: goodtest.Account},
	}
}
