package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// countedBy judges how the rate limits of a zone identify senders. The characteristics of a limit
// count in combination: if the sender controls one of them, each new value starts a new count,
// whatever the others are. Fields of the body and the query are ignored, because they identify the
// target, such as the user name being tried.
func countedBy() check.Check {
	return check.Check{
		ID: "CFL-WAF-026", Title: "Rate limits count by what the sender cannot choose",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone, Edge: true,
		Why: "A rate limit has one counter for each combination of its characteristics. A header or a cookie is written by the sender, who " +
			"gets a new counter with every new value.",
		Fix: "Count by IP address, by IP with NAT support or by a fingerprint of the client, and add a second rule for counts by header.",
		Words: posture.Words{
			Problem:   "Rate limit {name} counts by what the sender chooses",
			Impact:    "Anyone who sends another value with each request is never limited, and guesses passwords at full speed.",
			Breaks:    "Clients that share one address share a counter and may be limited together.",
			Dashboard: "Security › Security rules › Rate limiting rules › {name} › Edit › With the same characteristics: IP.",
			Call: editRules(snapshot.ZonePhaseRate, `map(if .id == "{id}" then .ratelimit.characteristics = ["cf.colo.id", "ip.src"] `+
				`else . end)`),
		},
		References: []string{"https://developers.cloudflare.com/waf/rate-limiting-rules/parameters/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Limits at the application layer hold for one sender."),
			check.Supports("soc2 CC6.6", "A flood cannot name itself anew."),
			check.Supports("pci 6.4.2", "Automated attacks are limited whatever they send."),
			check.Supports("nist PR.IR-01", "One source cannot use up the application."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRate},
		Optional: traffic.Reaches("").Needs,
		Evaluate: evaluateCountedBy,
	}
}

// counter is how a characteristic identifies the sender.
type counter int

const (
	sharedCounter counter = iota // the same for everyone who makes the same request
	ownCounter                   // identifies senders, or what they attack
	chosenCounter                // the sender controls it
	oddCounter
)

func counterOf(characteristic string) counter {
	c := strings.ToLower(strings.ReplaceAll(characteristic, " ", ""))
	begins := func(all ...string) bool {
		return slices.ContainsFunc(all, func(p string) bool { return strings.HasPrefix(c, p) })
	}
	switch {
	case slices.Contains([]string{"cf.colo.id", "http.host", "http.request.uri.path", "http.request.uri", "http.request.method"}, c),
		begins("ip.src.", "ip.geoip."): // countries, regions and networks, each with many visitors
		return sharedCounter
	case begins("http.request.headers", "http.request.cookies", "http.cookie", "http.user_agent", "http.referer", "http.x_forwarded_for",
		"raw.http.request.headers", "http.request.accepted_languages"):
		return chosenCounter
	case begins("ip.src", "cf.unique_visitor_id", "cf.bot_management.", "cf.tls_client_auth.", "http.request.uri.args",
		"http.request.uri.query", "http.request.body", "http.request.jwt.claims", "lookup_json_"):
		return ownCounter
	}
	return oddCounter
}

func evaluateCountedBy(v *check.View) check.Outcome {
	j := v.Judge()
	rules := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.ZonePhaseRate).Rules), func(r snapshot.Rule) bool {
		return !r.Enabled || !traffic.Stops(r.Action) || r.Limit == nil || len(r.Limit.Characteristics) == 0
	})
	for _, r := range rules {
		worst, blamed := sharedCounter, ""
		for _, c := range r.Limit.Characteristics {
			if k := counterOf(c); k > worst {
				worst, blamed = k, c
			}
		}
		reach := truth.No
		if worst != ownCounter {
			reach = check.Reaches(v, v.Zone(), r.Expression).Some
		}
		switch {
		case reach == truth.No:
			j.Pass()
		case reach == truth.Undecided && worst != oddCounter:
			j.ReachUnknown(v.InZone(posture.ResourceRule, r.ID, r.Name()), v.Zone())
		default:
			judgeCounter(v, j, rules, r, worst, blamed)
		}
	}
	return j.Done("Every rate limit counts by what the sender cannot choose.",
		"the zone has no rate limit in force whose characteristics are told")
}

func judgeCounter(v *check.View, j *check.Judgement, rules []snapshot.Rule, r snapshot.Rule, worst counter, blamed string) {
	res := v.InZone(posture.ResourceRule, r.ID, r.Name())
	seen := check.Evidence(snapshot.ZonePhaseRate, "/rules/"+r.ID+"/ratelimit/characteristics", strings.Join(r.Limit.Characteristics, ", "),
		"ip.src, cf.unique_visitor_id or a fingerprint, and nothing that the sender writes")
	switch worst {
	case oddCounter:
		j.Unclear(res, "the rate limit counts by "+blamed+", which this check does not know")
	case chosenCounter:
		switch bare(v, rules, r) {
		case truth.Yes:
			j.Fail(res, "The rate limit "+r.Name()+" counts by "+blamed+", which the sender writes.", seen)
		case truth.No:
			j.Pass() // another limit covers the same requests
		default:
			j.ReachUnknown(res, v.Zone())
		}
	default:
		j.Warn(res, "The rate limit "+r.Name()+" counts the requests of many visitors together.", seen)
		j.As(posture.Words{Problem: "Rate limit {name} counts many visitors together",
			Impact: "Anyone who sends enough requests has all of them blocked, for as long as the timeout of the rule."})
	}
}

// bare reports whether some requests of a limit are counted by sender by no other one.
func bare(v *check.View, rules []snapshot.Rule, r snapshot.Rule) truth.Value {
	var others []string
	for _, other := range rules {
		own := !slices.ContainsFunc(other.Limit.Characteristics, func(c string) bool { return counterOf(c) > ownCounter }) &&
			slices.ContainsFunc(other.Limit.Characteristics, func(c string) bool { return counterOf(c) == ownCounter })
		if own && other.Limit.InReach() && other.Limit.Counting == "" {
			others = append(others, strings.TrimSpace(other.Expression))
		}
	}
	if slices.Contains(others, strings.TrimSpace(r.Expression)) {
		return truth.No
	}
	return check.Reaches(v, v.Zone(), traffic.Except(r.Expression, others)).Some
}

func countedByExamples() []goodtest.Example {
	by := func(id, expression string, characteristics ...string) snapshot.Rule {
		r := limited(expression, 20, 10)
		r.ID, r.Limit.Characteristics = id, append([]string{"cf.colo.id"}, characteristics...)
		return r
	}
	login := `http.request.uri.path eq "/login"`
	key := `http.request.headers["x-api-key"]`
	with := func(all ...snapshot.Rule) func(*snapshot.Builder) { return zoneRules(snapshot.ZonePhaseRate, all...) }
	logs := by("l1", login, key)
	logs.Action = "log"
	return []goodtest.Example{
		{Name: "by address", Want: posture.Pass, Resource: goodtest.Zone, Edit: with(by("l1", login, "ip.src"))},
		{Name: "by a header", Want: posture.Fail, Resource: "l1", Edit: with(by("l1", login, key))},
		{Name: "by a cookie, in capitals", Want: posture.Fail, Edit: with(by("l1", login, `HTTP.Request.Cookies["session"]`))},
		{Name: "by address and a header together", Want: posture.Fail, Resource: "l1", Edit: with(by("l1", login, "ip.src", key))},
		{Name: "by the user agent", Want: posture.Fail, Edit: with(by("l1", login, "ip.src", "http.user_agent"))},
		{Name: "a second limit by address for the same requests", Want: posture.Pass, Edit: with(by("l1", login, key),
			by("l2", login, "ip.src"))},
		{Name: "a second limit by address for all requests", Want: posture.Pass, Edit: with(by("l1", login, key), by("l2", "true", "ip.src"))},
		{Name: "a second limit by address for more requests", Want: posture.Pass, Edit: with(by("l1", login, key),
			by("l2", `starts_with(http.request.uri.path, "/log")`, "ip.src"))},
		{Name: "limits by address that together take the same requests", Want: posture.Pass, Edit: with(by("l1", login, key),
			by("l2", login+` and http.request.method eq "POST"`, "ip.src"), by("l3", `http.request.method ne "POST"`, "ip.src"))},
		{Name: "a second limit by address for a part of the requests", Want: posture.Fail, Edit: with(by("l1", login, key),
			by("l2", login+` and http.request.method eq "POST"`, "ip.src"))},
		{Name: "a second limit by address for other requests", Want: posture.Fail, Edit: with(by("l1", login, key),
			by("l2", `http.request.uri.path eq "/search"`, "ip.src"))},
		{Name: "by the user name that is tried", Want: posture.Pass, Edit: with(by("l1", login, `http.request.body.form["user"]`))},
		{Name: "by IP with NAT support", Want: posture.Pass, Edit: with(by("l1", login, "cf.unique_visitor_id"))},
		{Name: "all visitors together", Want: posture.Warning, Resource: "l1", Edit: with(by("l1", login, "http.request.uri.path"))},
		{Name: "all visitors of a country together", Want: posture.Warning, Resource: "l1", Edit: with(by("l1", login, "ip.src.country"))},
		{Name: "all visitors of a network together", Want: posture.Warning, Edit: with(by("l1", login, "ip.geoip.asnum"))},
		{Name: "by address and country", Want: posture.Pass, Edit: with(by("l1", login, "ip.src", "ip.src.country"))},
		{Name: "by something nobody knows", Want: posture.Unknown, Resource: "l1", Edit: with(by("l1", login, "cf.weather"))},
		{Name: "for a host of another zone", Want: posture.Pass, Edit: with(by("l1", `http.host eq "other.example"`, key))},
		{Name: "for a host among those that are not readable", Want: posture.Unknown, Resource: "l1", Edit: goodtest.Edits(
			with(by("l1", `http.host eq "old.shop.example"`, key)), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "a rule that logs", Want: posture.NotApplicable, Edit: with(logs)},
		{Name: "a rule that is off", Want: posture.NotApplicable, Edit: with(goodtest.Off(by("l1", login, key)))},
		{Name: "no limit", Want: posture.NotApplicable, Edit: with()},
	}
}
