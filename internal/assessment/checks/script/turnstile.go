package script

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func widgets(all ...snapshot.TurnstileWidget) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountTurnstile, goodtest.Account, all) }
}

// forms judges whether any Turnstile widget exists for forms.
func forms() check.Check {
	return check.Check{
		ID: "CFL-TURN-001", Title: "Forms can be protected by Turnstile",
		Category: "turnstile", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Turnstile tells people from scripts on a form without a puzzle. Without a widget only the server can tell.",
		Fix: "Create a Turnstile widget and use it on sign-up, login and contact forms, with the check on the server.",
		Words: posture.Words{
			Problem:   "No Turnstile widget protects forms of this account",
			Impact:    "Scripts can create accounts, test passwords and send spam through the forms.",
			Breaks:    "Forms whose server demands the token refuse visitors without JavaScript.",
			Dashboard: "Turnstile › Add widget.",
		},
		References: []string{docsTurnstile, docsInsights},
		Controls: check.Controls{
			check.Supports("cis 13.10", "A widget is there to tell people from programs at forms."),
			check.Supports("soc2 CC6.6", "Automated misuse of forms can be kept out."),
			check.Supports("nist PR.IR-01", "Automated misuse can be kept out where the widget is used."),
		},
		Aliases: []string{"cfsi:no-turnstile", "flareinspect:CFL-TURN-001"},
		Needs:   []snapshot.Named{snapshot.AccountTurnstile, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			active := slices.ContainsFunc(check.Read(v, snapshot.ZoneList), func(z snapshot.Zone) bool { return check.PublicDNS(z) == "" })
			switch n := len(check.Read(v, snapshot.AccountTurnstile)); {
			case !active:
				return v.NotApplicable("no public zone of the account is active")
			case n > 0:
				return v.Pass("The account has %d widgets.", n)
			}
			return v.Fail("The account "+v.Account().Name+" has no widget that protects forms.", check.Evidence(snapshot.AccountTurnstile, "",
				"no widget", "at least one"))
		},
	}
}

func formsExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "a widget", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Account, Edit: widgets()},
		{Name: "no zone but an internal one", Want: posture.NotApplicable, Edit: goodtest.Edits(widgets(), goodtest.Type("internal"))},
		{Name: "no active zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(widgets(), goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}

// widgetHosts judges where widgets may be shown. The account is judged as a whole, by all of its
// zones and not only those in scope of the run.
func widgetHosts() check.Check {
	return check.Check{
		ID: "CFL-TURN-002", Title: "Widgets accept only own hostnames",
		Category: "turnstile", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A widget that is valid on foreign hosts can be solved there and its token used on your form.",
		Fix: "Remove foreign hosts, localhost and addresses from the widget, and keep a second widget for tests.",
		Words: posture.Words{
			Problem:   "Turnstile widgets of this account accept foreign hosts",
			Impact:    "An attacker lets visitors of another page solve the challenge and uses the tokens on your forms.",
			Breaks:    "Pages and test systems on the removed hosts can no longer show the widget.",
			Dashboard: "Turnstile › the widget › Settings › Hostname management: remove what is not yours.",
		},
		References: []string{docsTurnstile},
		Controls: check.Controls{
			check.Supports("cis 13.10", "The widget's answers mean something for own forms only."),
			check.Supports("soc2 CC6.6", "Strangers cannot use the site's widget to collect answers."),
			check.Touches("pci 6.2.4", "It keeps one widget from misuse; it prevents no attack on the software."),
			check.Supports("nist PR.PS-01", "The widget is configured for what it is used for."),
		},
		Aliases:  []string{},
		Needs:    []snapshot.Named{snapshot.AccountTurnstile, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.PagesProjects, snapshot.WorkersBeta},
		Unless:   check.Empty(snapshot.AccountTurnstile, "the account has no widget"),
		Evaluate: evaluateWidgetHosts,
	}
}

func widgetHostsExamples() []goodtest.Example {
	on := func(domains ...string) func(*snapshot.Builder) {
		return widgets(snapshot.TurnstileWidget{Key: "k1", Name: "login", Domains: append([]string{}, domains...)})
	}
	workers := func(host string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WorkersBeta, goodtest.Account, []snapshot.WorkerAddress{{ID: "1", Name: "shop", Host: host}})
		}
	}
	return []goodtest.Example{
		{Name: "own hosts", Want: posture.Pass, Resource: goodtest.Account, Edit: on(goodtest.Domain, "login."+goodtest.Domain)},
		{Name: "any host", Want: posture.Fail, Resource: goodtest.Account, Edit: on()},
		{Name: "the hosts are not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: widgets(snapshot.TurnstileWidget{Key: "k1", Name: "login"})},
		{Name: "a foreign host", Want: posture.Fail, Edit: on(goodtest.Domain, "partner.example")},
		{Name: "a name that only ends alike", Want: posture.Fail, Edit: on("evil" + goodtest.Domain)},
		{Name: "a host the operator declared", Want: posture.Pass, Edit: on("app.partner.example"),
			Policy: func(p *policy.Policy) { p.OwnHosts = []string{"partner.example"} }},
		{Name: "an own Pages project and its previews", Want: posture.Pass, Edit: goodtest.Edits(on("docs.pages.dev", "a1b2.docs.pages.dev"),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "docs", Subdomain: "docs.pages.dev"}})
			})},
		{Name: "an own Worker and its previews", Want: posture.Pass, Edit: goodtest.Edits(workers("shop.acme.workers.dev"),
			on("shop.acme.workers.dev", "a1b2-shop.acme.workers.dev"))},
		{Name: "a Worker of somebody else", Want: posture.Fail,
			Edit: goodtest.Edits(workers("shop.acme.workers.dev"), on("shop.other.workers.dev"))},
		{Name: "a Worker of an account whose subdomain is not known", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Edits(workers(""), on("shop.acme.workers.dev"))},
		{Name: "a Pages project of somebody else", Want: posture.Fail, Edit: on("theirs.pages.dev")},
		{Name: "perhaps an own Pages project", Want: posture.Unknown, Resource: goodtest.Account, Edit: goodtest.Edits(on("theirs.pages.dev"),
			func(b *snapshot.Builder) { b.Mark(snapshot.PagesProjects.Source(), snapshot.Denied, "Pages Read", "") })},
		{Name: "the domain of an own Pages project that others answer for", Want: posture.Pass, Edit: goodtest.Edits(on("docs.partner.example"),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.PagesProjects, goodtest.Account, []snapshot.PagesProject{{Name: "docs", Subdomain: "docs.pages.dev",
					Domains: []string{"docs.pages.dev", "docs.partner.example"}}})
			})},
		{Name: "localhost", Want: posture.Warning, Resource: goodtest.Account, Edit: on(goodtest.Domain, "localhost")},
		{Name: "an address", Want: posture.Warning, Edit: on("127.0.0.1")},
		{Name: "foreign beats localhost", Want: posture.Fail, Edit: on("localhost", "partner.example")},
		{Name: "no widget", Want: posture.NotApplicable, Edit: widgets()},
	}
}

func evaluateWidgetHosts(v *check.View) check.Outcome {
	var open, foreign, local []string
	var bad, doubtful []posture.Evidence
	seen := func(w snapshot.TurnstileWidget, observed string) posture.Evidence {
		return check.Evidence(snapshot.AccountTurnstile, "/"+w.Key+"/domains", observed, "hosts of the account's zones")
	}
	own := slices.Clone(v.Policy.OwnHosts)
	for _, z := range check.Read(v, snapshot.ZoneList) {
		own = append(own, z.Name)
	}
	projects, sites := check.ReadOptional(v, snapshot.PagesProjects)
	for _, p := range projects {
		own = append(append(own, p.Subdomain), p.Domains...)
	}
	scripts, _ := check.ReadOptional(v, snapshot.WorkersBeta)
	known := false
	for _, s := range scripts {
		if _, subdomain, more := strings.Cut(s.Host, "."); more { // that of the account
			own, known = append(own, subdomain), true
		}
	}
	unsure := ""
	for _, w := range check.Read(v, snapshot.AccountTurnstile) {
		if w.Domains == nil {
			unsure = "Cloudflare did not return the hostnames of the widget " + w.Name
		} else if len(w.Domains) == 0 {
			open, bad = append(open, w.Name), append(bad, seen(w, "none, so any host"))
		}
		for _, d := range w.Domains {
			_, err := netip.ParseAddr(strings.Trim(d, "[]"))
			switch {
			case strings.EqualFold(d, "localhost") || err == nil:
				local, doubtful = append(local, w.Name), append(doubtful, seen(w, d))
			case !known && exposure.Within(d, "workers.dev") && !exposure.Same(d, "workers.dev"):
				unsure = "the subdomain of the account at workers.dev is not known, so " + d + " may be its own"
			case !sites && exposure.Within(d, "pages.dev") && !exposure.Same(d, "pages.dev"):
				unsure = "the Pages projects of the account are not known, so " + d + " may be one of them"
			case !slices.ContainsFunc(own, func(o string) bool { return exposure.Within(d, o) }):
				foreign, bad = append(foreign, w.Name), append(bad, seen(w, d))
			}
		}
	}
	switch {
	case len(foreign) > 0:
		return v.Fail("Widgets accept hosts that belong to no known domain: "+check.Few(append(foreign, open...))+".", bad...)
	case len(open) > 0:
		return v.Fail("Widgets accept every host: "+check.Few(open)+".", bad...)
	case unsure != "":
		return v.Unknown(unsure)
	case len(local) > 0:
		return v.Warn("Widgets accept localhost or an address: "+check.Few(local)+".", doubtful...).
			As(posture.Words{Problem: "Turnstile widgets of this account accept localhost or addresses"})
	}
	return v.Pass("Every widget accepts own hosts only.")
}
