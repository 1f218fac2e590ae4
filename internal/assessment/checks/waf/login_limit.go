package waf

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// loginLimit judges whether password guessing is slowed down: by a limit that names a login path or
// reads the leaked-password signal and allows a few attempts per second, or by a broader limit that
// allows at most one request per second. A higher limit, which a page with its images needs, does
// not stop guessing.
func loginLimit() check.Check {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	return check.Check{
		ID: "CFL-WAF-015", Title: "Login paths are rate limited",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Password guessing and credential stuffing need many login attempts. A rate limit on the login path stops an " +
			"address after a few, without touching other requests.",
		Fix: "Add a rate limiting rule for the login and password reset paths, with a few requests per period and the " +
			"action Block.",
		Words: posture.Words{
			Problem: "Logins to {zone} are not rate limited",
			Impact:  "Anyone can try thousands of passwords, or a list of leaked ones, against the login.",
			Breaks:  "People behind a shared address who sign in at the same moment can be blocked for the length of the timeout.",
			Dashboard: "Security › Security rules › Create rule › Rate limiting rules: URI Path contains the login path; action " +
				"Block.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_ratelimit/entrypoint",
				From: "/zones/{zone_id}/rulesets/phases/http_ratelimit/entrypoint",
				Body: `{rules: ([{action: "block", enabled: true, description: "Limit logins",
  expression: "http.request.uri.path contains \"{$LOGIN_PATH}\"",
  ratelimit: {characteristics: ["cf.colo.id", "ip.src"], period: 10, requests_per_period: 5, mitigation_timeout: 10}}] + .result.rules)}`,
				Choose: "LOGIN_PATH: the path that takes the password (such as /login)"},
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "rate_limits" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_ratelimit"
  rules = [{
    action      = "block"
    expression  = "http.request.uri.path contains \"${var.login_path}\""
    description = "Limit logins"
    enabled     = true
    ratelimit = {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 10
      requests_per_period = 5
      mitigation_timeout  = 10
    }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Requests to logins are limited at the application layer."),
			check.Supports("soc2 CC6.6", "Guessing of passwords stops at the boundary."),
			check.Supports("pci 6.4.2", "Guessing of passwords is stopped automatically; other attacks are for the WAF."),
			check.Supports("nist PR.AA-03", "Authentication withstands guessing."),
		},
		Aliases:  []string{"union:rate-limits-cover-login"},
		Needs:    []snapshot.Named{snapshot.AccountRulesets, snapshot.ZoneRulesets, phase, account, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateLoginLimit,
	}
}

func loginLimitExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	login := `http.request.uri.path eq "/login"`
	return []goodtest.Example{
		{Name: "the login is limited", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "failed logins are counted", Want: posture.Pass,
			Edit: zoneRules(phase, counting(login+" and http.response.code eq 401"))},
		{Name: "logins are counted, and requests to another path are limited", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: zoneRules(phase, func() snapshot.Rule {
				r := counting(login + " and http.response.code eq 401")
				r.Expression = `http.request.uri.path eq "/search"`
				return r
			}())},
		{Name: "failed logins are counted, and all that lies about them is limited", Want: posture.Pass,
			Edit: zoneRules(phase, func() snapshot.Rule {
				r := counting(`http.request.uri.path eq "/account/login"`)
				r.Expression = `starts_with(http.request.uri.path, "/account/")`
				return r
			}())},
		{Name: "logins of another zone are counted", Want: posture.Fail,
			Edit: zoneRules(phase, counting(`http.host eq "other.example" and `+login))},
		{Name: "only another path is", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: zoneRules(phase, rule("l", "block", `http.request.uri.path eq "/search"`))},
		{Name: "everything is limited, who knows how much", Want: posture.Warning, Edit: zoneRules(phase, rule("l", "block", "true"))},
		{Name: "everything is limited a little", Want: posture.Warning, Edit: zoneRules(phase, limited("true", 1000, 60))},
		{Name: "everything is limited to 30 a minute", Want: posture.Pass, Edit: zoneRules(phase, limited("true", 30, 60))},
		{Name: "every POST is limited to 10 a minute", Want: posture.Pass,
			Edit: zoneRules(phase, limited(`http.request.method eq "POST"`, 10, 60))},
		{Name: "every POST to one host is limited to 10 a minute", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: zoneRules(phase, limited(`http.host eq "shop.example" and http.request.method eq "POST"`, 10, 60))},
		{Name: "every GET is limited to 10 a minute", Want: posture.Fail,
			Edit: zoneRules(phase, limited(`http.request.method eq "GET"`, 10, 60))},
		{Name: "everything but the login, in one comparison", Want: posture.Fail,
			Edit: zoneRules(phase, limited(`http.request.uri.path ne "/login"`, 10, 60))},
		{Name: "nothing but the login, negated twice", Want: posture.Pass,
			Edit: zoneRules(phase, limited(`not http.request.uri.path ne "/login"`, 10, 60))},
		{Name: "another spelling", Want: posture.Pass, Edit: zoneRules(phase, limited(`lower(http.request.uri.path) eq "/log_in.php"`, 10, 60))},
		{Name: "another language", Want: posture.Pass, Edit: zoneRules(phase, limited(`http.request.uri.path eq "/anmelden"`, 10, 60))},
		{Name: "the login of another zone", Want: posture.Fail,
			Edit: zoneRules(phase, limited(`http.host eq "other.example" and http.request.uri.path eq "/login"`, 10, 60))},
		{Name: "limited, and skipped for everybody", Want: posture.Fail, Edit: zoneRules(snapshot.ZonePhaseCustom,
			skipPhases("true", traffic.RateLimits))},
		{Name: "limited to what nobody reaches", Want: posture.Fail, Edit: zoneRules(phase, limited(login, 1_000_000, 10))},
		{Name: "everything is limited to what nobody reaches", Want: posture.Fail, Edit: zoneRules(phase, limited("true", 1_000_000, 10))},
		{Name: "limited to more than guessing needs", Want: posture.Warning,
			Edit: zoneRules(phase, limited(`http.request.uri.path eq "/wp-login.php"`, 100, 10))},
		{Name: "limited to a few attempts per second", Want: posture.Pass, Edit: zoneRules(phase, limited(login, 20, 10))},
		{Name: "only a GET of the login is limited", Want: posture.Fail,
			Edit: zoneRules(phase, limited(login+` and http.request.method eq "GET"`, 10, 60))},
		{Name: "authors are no authentication", Want: posture.Fail,
			Edit: zoneRules(phase, limited(`starts_with(http.request.uri.path, "/authors")`, 10, 60))},
		{Name: "lessons are no single sign-on", Want: posture.Fail,
			Edit: zoneRules(phase, limited(`http.request.uri.path contains "/lessons"`, 10, 60))},
		{Name: "joined words", Want: posture.Pass, Edit: zoneRules(phase, limited(`http.request.uri.path eq "/user/forgotPassword"`, 10, 60))},
		{Name: "limited, and a rule blocks the addresses of a list nobody read", Want: posture.Pass,
			Edit: zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "ip.src in $elsewhere"))},
		{Name: "only logged, and a rule blocks the addresses of a list nobody read", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(phase, rule("l", "log", login)),
				zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", "ip.src in $elsewhere")))},
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
		{Name: "custom rules block every POST", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase, rule("l", "log", login)),
			zoneRules(snapshot.ZonePhaseCustom, rule("b", "block", `http.request.method eq "POST"`)))},
		{Name: "no limit at all", Want: posture.NotApplicable, Edit: zoneRules(phase)},
		{Name: "no login", Want: posture.NotApplicable, Edit: zoneRules(phase, rule("l", "log", login)),
			Policy: func(p *policy.Policy) { p.LoginlessZones = []string{goodtest.Domain} }},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneRules(phase, rule("l", "log", login)),
			goodtest.NotProxied())},
	}
}

func evaluateLoginLimit(v *check.View) check.Outcome {
	if out := withoutLogin(v); out != nil {
		return *out
	}
	lanes := firewall(v, traffic.RateLimits)
	posts := check.Lanes(v, traffic.Firewall(traffic.RateLimits).Of("", postRequest), v.Zone())
	if nothingPasses(posts) {
		return v.Pass("Custom rules block every login to the zone.")
	}
	logins := func(limiting func(snapshot.Rule) truth.Value) func(traffic.Act) truth.Value {
		return func(a traffic.Act) truth.Value { return truth.And(guardsLogin(v, a), limiting(*a.Rule)) }
	}
	reached := func(r snapshot.Rule) truth.Value { return truth.And(truth.Is(r.Limit.InReach()), limiting(v, r)) }
	slowed := func(r snapshot.Rule) truth.Value {
		return truth.And(truth.Is(r.Limit == nil || r.Limit.Requests == 0 || slowsGuessing(r, 5)), limiting(v, r))
	}
	named := traffic.Guarding(posts, logins(slowed)).Some
	if named == truth.Yes {
		return v.Pass("The login is rate limited.")
	}
	high := traffic.Acting(posts, logins(reached)).Some
	beyond := traffic.Acting(posts, logins(func(r snapshot.Rule) truth.Value { return truth.Is(!r.Limit.InReach()) })).Some
	logged := traffic.Acting(posts, logins(func(r snapshot.Rule) truth.Value { return truth.Is(!traffic.Stops(r.Action)) })).Some
	any := truth.Or(truth.Is(len(check.Read(v, snapshot.ZonePhaseRate).Rules) > 0),
		traffic.Acting(lanes, func(traffic.Act) truth.Value { return truth.Yes }).Some)
	// A limit that names no login may still cover login requests.
	tries := traffic.Reaching(check.Lanes(v, traffic.Firewall(traffic.RateLimits).Of("", loginRequest), v.Zone()))
	taken := traffic.Acting(tries, func(a traffic.Act) truth.Value { return reached(*a.Rule) })
	lax := traffic.Acting(tries, func(a traffic.Act) truth.Value {
		return truth.And(truth.Is(!slowsGuessing(*a.Rule, 1)), reached(*a.Rule))
	})
	slow := traffic.Guarding(tries, func(a traffic.Act) truth.Value {
		return truth.And(truth.Is(slowsGuessing(*a.Rule, 1)), limiting(v, *a.Rule))
	})
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePhaseRate, "/rules", observed, "an enabled limit on a login, token or password-reset path")
	}
	switch {
	case slow.All == truth.Yes:
		return v.Pass("A rate limit slows down guessing at every path a login may have.")
	case any == truth.No:
		return v.NotApplicable("no rate limit exists (CFL-WAF-003)")
	case high == truth.Yes:
		return v.Warn("The rate limit on logins to "+v.Zone().Name+" allows more than 300 requests a minute.",
			seen("a limit on a login above 300 requests a minute")).As(loginWords(v, posture.Words{
			Problem: "The rate limit of {zone} is too high for logins"}))
	case slow.Some == truth.Yes && lax.Some == truth.No:
		return v.Warn("A rate limit of "+v.Zone().Name+" slows down logins on a part of its traffic only.",
			seen("a limit for a part of the logins")).As(loginWords(v, posture.Words{
			Problem: "The rate limit of {zone} is for a part of the logins"}))
	case taken.Some == truth.Yes:
		return v.Warn("A rate limit of "+v.Zone().Name+" counts logins among other requests and allows more than 60 requests a minute.",
			seen("a limit for more than logins, above 60 requests a minute or for some of them")).As(loginWords(v, posture.Words{
			Problem: "The rate limit of {zone} is too high for logins"}))
	case named == truth.Undecided || high == truth.Undecided || logged == truth.Undecided || taken.Some == truth.Undecided:
		return undecided(v, lanes, "a rate limit could not be read, so whether one guards the login is not known")
	case logged == truth.Yes:
		return v.Warn("The rate limit on logins to "+v.Zone().Name+" only logs.", seen("only rules that log")).
			As(loginWords(v, posture.Words{Problem: "The rate limit on logins to {zone} only logs"}))
	case beyond == truth.Yes:
		return v.Fail("The rate limit on logins to "+v.Zone().Name+" allows more than 100 requests a second, which nobody reaches.",
			seen("a limit on a login above 100 requests a second")).As(loginWords(v, posture.Words{
			Problem: "The rate limit of {zone} is too high for logins"}))
	}
	return v.Fail("No rate limit of "+v.Zone().Name+" is for a login, token or password reset path.", seen(
		"no rule takes requests to such a path")).As(loginWords(v, posture.Words{}))
}

// loginWords adds the matching call: a phase without rules may have no entrypoint ruleset, and the
// Free plan has one rule.
func loginWords(v *check.View, w posture.Words) posture.Words {
	rules := check.Read(v, snapshot.ZonePhaseRate).Rules
	switch {
	case len(rules) == 0:
		w.Call = posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_ratelimit/entrypoint",
			Body: `{"rules": [{"action": "block", "enabled": true, "description": "Limit logins",
  "expression": "http.request.uri.path contains \"{$LOGIN_PATH}\"", "ratelimit": {"characteristics": ["cf.colo.id", "ip.src"],
  "period": 10, "requests_per_period": 5, "mitigation_timeout": 10}}]}`,
			Choose: "LOGIN_PATH: the path that takes the password (such as /login)"}
	case len(rules) >= limitsOf(v.Zone().Plan).rules:
		w.ByHand = true
		w.Dashboard = "Security › Security rules › Rate limiting rules › the rule › Edit: the plan has no further rule, so let this one count " +
			"the login path; action Block."
	}
	return w
}

// Requests that send a form, and one that sends a password.
const (
	postRequest  = `http.request.method eq "POST"`
	loginRequest = postRequest + ` and http.request.uri.path eq "/login"`
)

// slowsGuessing reports whether a limit allows at most some attempts per second.
func slowsGuessing(r snapshot.Rule, most int) bool {
	return r.Limit != nil && r.Limit.Requests > 0 && r.Limit.Period > 0 && r.Limit.Requests <= most*r.Limit.Period
}

// guardsLogin reports whether a rule names a login path or reads the leaked-password signal, in its
// expression or in its counting expression. What is only counted is not limited, unless the
// expression takes it, too.
func guardsLogin(v *check.View, a traffic.Act) truth.Value {
	out := asksForLogin(a.Expr, a.Rule.Expression)
	if l := a.Rule.Limit; l != nil && l.Counting != "" {
		counted, _ := expression.Parse(l.Counting)
		taken := check.Reaches(v, v.Zone(), "("+a.Rule.Expression+") and ("+l.Counting+")").Some
		out = truth.Or(out, truth.And(asksForLogin(counted, l.Counting), taken))
	}
	return out
}

func asksForLogin(e expression.Expr, text string) truth.Value {
	if e == nil {
		return truth.If(!loginPath(text) && !strings.Contains(text, credentialFields), false)
	}
	leaf := func(e expression.Expr, negated bool) truth.Value {
		e, negated = expression.Positive(e, negated)
		return truth.Is(!negated && slices.ContainsFunc(expression.Fields(e), pathField) && slices.ContainsFunc(texts(e), loginPath))
	}
	return truth.Or(asksFor(e, leakedCredential), expression.Fold(e, expression.Algebra[truth.Value]{Leaf: leaf, And: truth.Or, Or: truth.Or}))
}

// loginPath reports whether a text looks like the path of a login: a word of it, or up to three
// joined words of one segment, is among those that applications use for logins, tokens and password
// resets, in the larger European languages.
func loginPath(s string) bool {
	s = camelCase().ReplaceAllString(strings.ReplaceAll(s, "%20", "-"), "$1-$2")
	for segment := range strings.SplitSeq(strings.ToLower(s), "/") {
		words := strings.FieldsFunc(segment, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for i := range words {
			for end := i + 1; end <= min(i+3, len(words)); end++ {
				if loginWord(strings.Join(words[i:end], "")) {
					return true
				}
			}
		}
	}
	return strings.Contains(strings.ToLower(s), "account/verify")
}

func camelCase() *regexp.Regexp { return regexp.MustCompile("([a-z])([A-Z])") }

// loginWord reports whether a word stands for logins. Only words that are part of no other are
// looked for inside of words: auth is in author, sso in lesson and signin in designing.
func loginWord(s string) bool {
	within := []string{"password", "passwd", "passwort", "kennwort", "wachtwoord", "motdepasse", "contrasena"}
	return strings.HasPrefix(s, "login") || strings.HasSuffix(s, "login") ||
		slices.ContainsFunc(within, func(word string) bool { return strings.Contains(s, word) }) ||
		slices.Contains([]string{"logon", "signin", "signon", "signup", "register", "registration", "token", "tokens", "oauth", "oauth2", "saml",
			"saml2", "openid", "oidc", "sso", "passcode", "pwd", "reset", "forgot", "recover", "recovery", "session", "sessions", "auth", "auth0",
			"authn", "authenticate", "authentication", "authorize", "authorise", "authorization", "mfa", "otp", "totp", "2fa", "xmlrpc", "anmelden",
			"anmeldung", "einloggen", "connexion", "identification", "iniciarsesion", "acceso", "entrar", "senha", "accesso", "accedi", "inloggen",
			"logga", "loggain", "kirjaudu", "zaloguj", "haslo"}, s)
}

// texts lists the strings of a test or flag.
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
