package script

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// clearance finds widgets whose easy test bypasses harder ones: the cookie of a widget with
// pre-clearance passes every challenge of its level and below
// (developers.cloudflare.com/cloudflare-challenges/concepts/clearance/).
func clearance() check.Check {
	return check.Check{
		ID: "CFL-TURN-003", Title: "Widgets give no clearance above their own test",
		Category: "turnstile", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Turnstile widget with pre-clearance sets a cf_clearance cookie that passes challenges of WAF rules up to the chosen " +
			"level. An invisible widget never asks for an interaction.",
		Fix: "Lower the pre-clearance of the widget to what its mode tests, or change the widget to Managed.",
		Words: posture.Words{
			Problem:   "Turnstile widgets of this account give clearance they do not test",
			Impact:    "A bot that gets past the easy widget also passes the stronger challenges of your WAF rules.",
			Breaks:    "Visitors with a cookie of the widget meet the challenges of WAF rules again.",
			Dashboard: "Turnstile › the widget › Settings › Pre-clearance: choose the level of the widget, or No.",
			Terraform: `resource "cloudflare_turnstile_widget" "widget" {
  account_id      = "{account_id}"
  name            = "login"
  mode            = "managed"
  domains         = [var.hostname]
  clearance_level = "managed"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-challenges/concepts/clearance/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Challenges of the application layer keep their strength."),
			check.Supports("soc2 CC6.6", "An easy test does not open a harder one."),
			check.Supports("nist PR.IR-01", "Automated misuse is not let past the rules that stop it."),
		},
		Needs:    []snapshot.Named{snapshot.AccountTurnstile},
		Evaluate: evaluateClearance,
	}
}

func clearanceGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccountTurnstile, goodtest.Account, func(ws *[]snapshot.TurnstileWidget) {
		for i := range *ws {
			(*ws)[i].Mode, (*ws)[i].Clearance = "managed", "no_clearance"
		}
	})
}

func clearanceExamples() []goodtest.Example {
	set := func(mode, level string) func(*snapshot.Builder) {
		return widgets(snapshot.TurnstileWidget{Key: "k1", Name: "login", Domains: []string{goodtest.Domain}, Mode: mode, Clearance: level})
	}
	return []goodtest.Example{
		{Name: "no clearance", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "invisible, interactive", Want: posture.Fail, Resource: goodtest.Account, Edit: set("invisible", "interactive")},
		{Name: "without interaction, managed", Want: posture.Fail, Edit: set("non-interactive", "managed")},
		{Name: "invisible, of its own level", Want: posture.Pass, Edit: set("invisible", "jschallenge")},
		{Name: "managed, managed", Want: posture.Pass, Edit: set("managed", "managed")},
		{Name: "managed, interactive", Want: posture.Warning, Resource: goodtest.Account, Edit: set("managed", "interactive")},
		{Name: "the level is not told", Want: posture.Unknown, Edit: set("invisible", "")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Edit: set("voice", "interactive")},
		{Name: "a mode nobody knows without clearance", Want: posture.Pass, Edit: set("voice", "no_clearance")},
		{Name: "no widget", Want: posture.NotApplicable, Edit: widgets()},
	}
}

func evaluateClearance(v *check.View) check.Outcome {
	tests := map[string]int{"non-interactive": 1, "invisible": 1, "managed": 2}
	opens := map[string]int{"no_clearance": 0, "jschallenge": 1, "managed": 2, "interactive": 3}
	var t check.Tally
	for _, w := range check.Read(v, snapshot.AccountTurnstile) {
		tested, known := tests[w.Mode]
		opened, reported := opens[w.Clearance]
		row := check.Evidence(snapshot.AccountTurnstile, "/"+w.Key+"/clearance_level", w.Mode+" widget, "+w.Clearance+" clearance",
			"at most the level of the widget")
		switch {
		case reported && opened == 0:
			t.Pass()
		case !reported || !known:
			t.Unknown("Cloudflare does not tell how the widget " + w.Name + " tests and what it opens")
		case opened <= tested:
			t.Pass()
		case tested == 1 && opened > 1:
			t.Fail(w.Name, w.Key, row)
		default:
			t.Warn(w.Name, w.Key, row)
		}
	}
	return t.Done(v, check.Said{None: "the account has no widget", Fail: "Widgets that ask for no interaction pass challenges that do",
		Warn: "Managed widgets pass interactive challenges", Pass: "No widget gives clearance above its own test."})
}
