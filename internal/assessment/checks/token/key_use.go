package token

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// keyUse looks for changes made with a global API key. The source keeps only entries of such keys,
// so an empty section is good.
func keyUse() check.Check {
	return check.Check{
		ID: "CFL-TOK-007", Title: "No change was made with a global API key in 30 days",
		Category: "token", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The Global API Key has every right of its owner, cannot be limited and never expires.",
		Fix: "Move the integration to an API token with the permissions it needs, then change the Global API Key.",
		Words: posture.Words{
			Problem:   "A Global API Key changes this account",
			Impact:    "Someone who finds the key in a script can do everything its owner can, in every account of the owner.",
			Breaks:    "Every script that still uses the key stops when the key is changed.",
			Dashboard: "My Profile › API Tokens › Global API Key › Change, after an API token took over.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/insights/logs/audit-logs/",
			"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 5.5", "A key that belongs to no service and cannot be listed is not used."),
			check.Supports("soc2 CC6.3", "Work is done with credentials that have limited rights."),
			check.Supports("pci 7.2.5", "No system works with a key that may do everything."),
			check.Touches("pci 8.6.3", "It finds a kind of key in use, not how often secrets change."),
			check.Supports("nist PR.AA-05", "No permission is used that goes beyond need."),
		},
		Aliases:  []string{"union:global-api-key-in-use", "flareinspect:CFL-ACC-004"},
		Needs:    []snapshot.Named{snapshot.AccountAuditLog},
		Evaluate: evaluateKeyUse,
	}
}

func keyUseExamples() []goodtest.Example {
	log := func(results ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			entries := []snapshot.AuditEntry{}
			for i, r := range results {
				entries = append(entries, snapshot.AuditEntry{Time: goodtest.InDays(-i - 1), Action: "update", Result: r, Product: "dns_records",
					Actor: "a•••@shop.example"})
			}
			snapshot.Put(b, snapshot.AccountAuditLog, goodtest.Account, entries)
		}
	}
	return []goodtest.Example{
		{Name: "no entry", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a change", Want: posture.Fail, Resource: goodtest.Account, Edit: log("success")},
		{Name: "a change among failures", Want: posture.Fail, Edit: log("failure", "success")},
		{Name: "a result that is not told", Want: posture.Unknown, Edit: log("failure", "")},
		{Name: "only failures", Want: posture.Warning, Resource: goodtest.Account, Edit: log("failure", "failure")},
	}
}

func evaluateKeyUse(v *check.View) check.Outcome {
	entries := check.Read(v, snapshot.AccountAuditLog)
	tried, odd := 0, false
	for i, e := range entries {
		if e.Result == "success" {
			return v.Fail(fmt.Sprintf("On %s a global API key was used with success (%s).", check.Day(e.Time), what(e)),
				check.Evidence(snapshot.AccountAuditLog, fmt.Sprintf("/%d", i), what(e)+" by "+e.Actor, "no change with a global API key"))
		}
		tried, odd = tried+1, odd || e.Result != "failure"
	}
	if odd {
		return v.Unknown("the audit log does not tell whether an action with a global API key succeeded")
	}
	if tried > 0 {
		return v.Warn("A global API key was tried "+check.Count(tried, "time", "")+" in 30 days without success.",
			check.Evidence(snapshot.AccountAuditLog, "", what(entries[tried-1])+" by "+entries[tried-1].Actor, "no use of a global API key"))
	}
	return v.Pass("No global API key was used in 30 days.")
}

func what(e snapshot.AuditEntry) string {
	if e.Product == "" {
		return e.Action
	}
	return e.Action + " in " + e.Product
}
