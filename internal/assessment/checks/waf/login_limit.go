package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// loginLimit judges whether guessing passwords is slowed down. A limit on all
// requests does not count: one that lets a page with its images load lets a
// guesser in, too. Only a rule that names such a path, or reads the signal of a
// leaked password, does.
func loginLimit() check.Check {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	return check.Check{
		ID: "CFL-WAF-015", Title: "Login paths are rate limited",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Credential stuffing needs thousands of tries per minute.",
		Fix: "Add a rule for the login paths.",
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/waf/"},
		Controls: posture.Controls{CIS: []string{"13.10"}, SOC2: []string{"CC6.6"}, PCI: []string{"6.4.2"}, NIST: []string{"PR.AA-03"}},
		Aliases:  []string{"union:rate-limits-cover-login"},
		Needs:    []snapshot.Named{snapshot.AccountRulesets, snapshot.ZoneRulesets, phase, account, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.AccountRulesetCustom},
		Evaluate: evaluateLoginLimit,
	}
}

func loginLimitExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	login := `http.request.uri.path eq "/login"`
	return []goodtest.Example{
		{Name: "the login is limited", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "only another path is", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: zoneRules(phase, rule("l", "block", `http.request.uri.path eq "/search"`))},
		{Name: "everything is limited a little", Want: posture.Fail, Edit: zoneRules(phase, rule("l", "block", "true"))},
		{Name: "only logged", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneRules(phase, rule("l", "log", login))},
		{Name: "everything but the login", Want: posture.Fail, Edit: zoneRules(phase, rule("l", "block", "not "+login))},
		{Name: "a sign-in below a path", Want: posture.Pass,
			Edit: zoneRules(phase, rule("l", "block", `starts_with(http.request.uri.path, "/account/sign-in") and http.request.method eq "POST"`))},
		{Name: "one path of several", Want: posture.Pass,
			Edit: zoneRules(phase, rule("l", "block", `http.request.uri.path in {"/cart" "/oauth/token"}`))},
		{Name: "a pattern", Want: posture.Pass, Edit: zoneRules(phase,
			rule("l", "block", `http.request.uri.path matches "^/(signin|password-reset)"`))},
		{Name: "leaked passwords are limited", Want: posture.Pass,
			Edit: zoneRules(phase, rule("l", "block", "cf.waf.credential_check.password_leaked"))},
		{Name: "the account limits the login", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, rule("l", "block", login)))},
		{Name: "a ruleset of the account was not read", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(phase, rule("l", "block", `http.request.uri.path eq "/search"`)),
				accountPhase(account, execute("e", "cr", "true")))},
		{Name: "an expression nobody can read", Want: posture.Unknown,
			Edit: zoneRules(phase, rule("l", "block", `odd(http.request.uri.path, "/login"`))},
		{Name: "no limit at all", Want: posture.NotApplicable, Edit: zoneRules(phase)},
		{Name: "no login", Want: posture.NotApplicable, Edit: zoneRules(phase, rule("l", "log", login)),
			Policy: func(p *policy.Policy) { p.LoginlessZones = []string{goodtest.Domain} }},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneRules(phase, rule("l", "log", login)),
			goodtest.NotProxied())},
	}
}

func evaluateLoginLimit(v *check.View) check.Outcome {
	if reason := withoutLogin(v); reason != "" {
		return v.NotApplicable(reason)
	}
	rules := check.Read(v, snapshot.ZonePhaseRate).Rules
	acting, logging := truth.No, truth.No
	for _, r := range rules {
		switch {
		case !r.Enabled:
		case limits(r):
			acting = truth.Or(acting, guardsLogin(r))
		default:
			logging = truth.Or(logging, guardsLogin(r))
		}
	}
	when := func(acts bool) func(snapshot.Rule) truth.Value {
		return func(r snapshot.Rule) truth.Value { return truth.And(truth.Is(limits(r) == acts), guardsLogin(r)) }
	}
	account := accountRules(v, snapshot.AccountPhaseRate, when(true))
	acting = truth.Or(acting, account.counts)
	logging = truth.Or(logging, accountRules(v, snapshot.AccountPhaseRate, when(false)).counts)
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePhaseRate, "/rules", observed, "an enabled limit on a login, token or password-reset path")
	}
	switch {
	case acting == truth.Yes:
		return v.Pass("The login is rate limited.")
	case len(rules) == 0 && account.any == truth.No:
		return v.NotApplicable("no rate limit exists (CFL-WAF-003)")
	case acting == truth.Undecided || logging == truth.Undecided:
		return v.Unknown("a rate limit could not be read, so whether one guards the login is not known")
	case logging == truth.Yes:
		return v.Warn("Guessing at the login of "+v.Zone().Name+" is only logged.", seen("only rules that log"))
	}
	return v.Fail("No rate limit of "+v.Zone().Name+" guards a login.", seen("no rule names such a path"))
}

// guardsLogin reports whether a rule names a login path or reads the signal of a
// leaked password.
func guardsLogin(r snapshot.Rule) truth.Value {
	e, err := expression.Parse(r.Expression)
	if err != nil {
		if loginPath(r.Expression) || mentions(r.Expression, leakedCredential) == truth.Undecided {
			return truth.Undecided
		}
		return truth.No
	}
	leaf := func(e expression.Expr, negated bool) truth.Value {
		fields := expression.Fields(e)
		path := slices.ContainsFunc(fields, pathField) && slices.ContainsFunc(texts(e), loginPath)
		return truth.Is(!negated && (path || slices.ContainsFunc(fields, leakedCredential)))
	}
	return expression.Fold(e, expression.Algebra[truth.Value]{Leaf: leaf, And: truth.Or, Or: truth.Or})
}

// loginPath reports whether a text looks like the path of a login.
func loginPath(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc([]string{"login", "log-in", "logon", "signin", "sign-in", "token", "oauth", "password", "passwd", "reset",
		"session", "auth"}, func(word string) bool { return strings.Contains(s, word) })
}

// texts lists the texts of a test or flag.
func texts(e expression.Expr) []string {
	var out []string
	var add func(o expression.Operand)
	add = func(o expression.Operand) {
		switch o := o.(type) {
		case expression.Text:
			out = append(out, string(o))
		case expression.Set:
			for _, v := range o {
				add(v)
			}
		case expression.Call:
			for _, a := range o.Args {
				add(a)
			}
		}
	}
	switch e := e.(type) {
	case expression.Test:
		add(e.Left)
		add(e.Right)
	case expression.Flag:
		add(e.Value)
	}
	return out
}
