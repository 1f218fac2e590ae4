package gateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// payload judges how much of the data that DLP matches is written to a log.
func payload() check.Check {
	return check.Check{
		ID: "CFL-DLP-002", Title: "Payload logs mask the data that DLP finds",
		Category: "dlp", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Payload logging keeps the text around a match, encrypted for the holder of a key. Masking decides how much of a card " +
			"number or secret that text holds.",
		Fix: "Set the masking level of payload logging to full or partial, and keep the private key with few people.",
		Words: posture.Words{
			Problem: "DLP payload logs of this account hold data in the clear",
			Impact: "Whoever holds the private key and may read the log sees card numbers and secrets that the rules keep from " +
				"leaving.",
			Breaks:    "People who look into a match see less of it, so they may have to ask the sender.",
			Dashboard: "Zero Trust › Data loss prevention › DLP settings › DLP payload masking: Full mask or Partial mask.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/dlp/settings",
				Body: `{"payload_logging": {"masking_level": "full"}}`},
			Terraform: `resource "cloudflare_zero_trust_dlp_settings" "dlp" {
  account_id      = "{account_id}"
  payload_logging = { masking_level = "full" }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/data-loss-prevention/dlp-policies/logging-options/"},
		Controls: check.Controls{
			check.Supports("cis 3.13", "Sensitive data is not copied into a log."),
			check.Supports("soc2 C1.1", "Confidential data does not spread into logs."),
			check.Supports("pci 3.5.1", "Card numbers are masked where a log keeps a match."),
			check.Supports("nist PR.DS-01", "Sensitive data is not stored where it is not needed."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.DLPSettings},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluatePayload,
	}
}

func payloadGood(b *snapshot.Builder) {
	editRule(goodtest.DLPRule, func(r *snapshot.GatewayRule) { r.PayloadLog = true })(b)
	snapshot.Put(b, snapshot.DLPSettings, goodtest.Account, snapshot.DLPLogging{Masking: "full", Encrypted: true})
}

func payloadExamples() []goodtest.Example {
	set := func(level string, key bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DLPSettings, goodtest.Account, snapshot.DLPLogging{Masking: level, Encrypted: key})
		}
	}
	silent := editRule(goodtest.DLPRule, func(r *snapshot.GatewayRule) { r.PayloadLog = false })
	return []goodtest.Example{
		{Name: "masked", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "masked in part", Want: posture.Pass, Edit: set("partial", true)},
		{Name: "the default", Want: posture.Pass, Edit: set("default", true)},
		{Name: "in the clear", Want: posture.Fail, Resource: goodtest.Account, Edit: set("clear", true)},
		{Name: "in the clear, in capitals", Want: posture.Fail, Edit: set("CLEAR", true)},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: set("", true)},
		{Name: "a level nobody knows", Want: posture.Unknown, Edit: set("hash", true)},
		{Name: "no key, so nothing is logged", Want: posture.NotApplicable, Edit: set("clear", false)},
		{Name: "no rule logs", Want: posture.NotApplicable, Edit: goodtest.Edits(silent, set("clear", true))},
		{Name: "the rule that logs is off", Want: posture.NotApplicable, Edit: goodtest.Edits(disable(goodtest.DLPRule), set("clear", true))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(absent, skip(snapshot.DLPSettings))},
	}
}

func evaluatePayload(v *check.View) check.Outcome {
	logs := 0
	for _, r := range check.GatewayRules(v) {
		if r.Enabled && r.PayloadLog {
			logs++
		}
	}
	s := check.Read(v, snapshot.DLPSettings)
	if logs == 0 || !s.Encrypted {
		return v.NotApplicable("no rule logs what DLP found, or no key is set for it")
	}
	switch strings.ToLower(s.Masking) {
	case "full", "partial", "default":
		return v.Pass("What DLP found is masked in the log.")
	case "clear":
		return v.Fail("What DLP found is logged in the clear by "+check.Count(logs, "rule", "")+".",
			check.Evidence(snapshot.DLPSettings, "/payload_logging/masking_level", "clear", "full or partial"))
	}
	return v.Unknown("Cloudflare did not return a masking level this check knows")
}
