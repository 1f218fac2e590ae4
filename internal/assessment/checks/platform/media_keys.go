package platform

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func keyControls() check.Controls {
	return check.Controls{
		check.Supports("soc2 CC6.1", "Keys are replaced in time."),
		check.Supports("pci 8.6.3", "Keys of applications are changed at intervals."),
		check.Supports("nist PR.AA-01", "Keys have a life that ends."),
	}
}

// signingKeys finds old keys that sign video URLs.
func signingKeys() check.Check {
	return check.Check{
		ID: "CFL-STREAM-002", Title: "Signing keys of Stream are replaced",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Whoever has a signing key of Stream makes valid addresses for every private video, for any time and country. " +
			"A key has no end of its own.",
		Fix: "Create a new signing key, let your application sign with it, then delete the old key.",
		Words: posture.Words{
			Problem:   "Stream signing keys of this account are old",
			Impact:    "Someone who copied the key from an old server or repository still opens every private video.",
			Breaks:    "Addresses that were signed with the old key end when it is deleted.",
			Dashboard: "Stream › Videos has no setting for keys: POST /accounts/{account_id}/stream/keys creates one, DELETE with its id ends one.",
		},
		References: []string{"https://developers.cloudflare.com/stream/viewing-videos/securing-your-stream/"},
		Controls:   keyControls(),
		Needs:      []snapshot.Named{snapshot.StreamKeys},
		Evaluate: func(v *check.View) check.Outcome {
			var t check.Tally
			for _, k := range check.Read(v, snapshot.StreamKeys) {
				aged(v, &t, snapshot.StreamKeys, "key "+k.ID, k.ID, k.Created)
			}
			return t.Done(v, check.Said{None: "the account has no signing key of Stream", Fail: "These signing keys of Stream are very old",
				Warn: "These signing keys of Stream are old", Pass: "Every signing key of Stream is young."})
		},
	}
}

func signingKeysGood(b *snapshot.Builder) {
	put(snapshot.StreamKeys, []snapshot.MediaKey{{ID: "g1", Created: goodtest.InDays(-30)}})(b)
}

func signingKeysExamples() []goodtest.Example { return keyAges(snapshot.StreamKeys) }

// relayKeys finds old keys of the TURN service.
func relayKeys() check.Check {
	return check.Check{
		ID: "CFL-CALLS-001", Title: "TURN keys are replaced",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The API token of a TURN key gives out credentials for Cloudflare's relay, whose traffic you pay. The token has no " +
			"end and lasts as long as the key.",
		Fix: "Create a new TURN key, let your backend use its token, then delete the old key.",
		Words: posture.Words{
			Problem:   "TURN keys of this account are old",
			Impact:    "Someone who copied the token once relays traffic at your cost and under your name.",
			Breaks:    "Calls that use credentials of the old key end when it is deleted.",
			Dashboard: "Realtime › TURN Server › Create, then delete the old key.",
			Terraform: `resource "cloudflare_calls_turn_app" "successor" {
  account_id = "{account_id}"
  name       = "video-2026"
}`},
		References: []string{"https://developers.cloudflare.com/realtime/turn/generate-credentials/"},
		Controls:   keyControls(),
		Needs:      []snapshot.Named{snapshot.TURNKeys},
		Evaluate: func(v *check.View) check.Outcome {
			var t check.Tally
			for _, k := range check.Read(v, snapshot.TURNKeys) {
				aged(v, &t, snapshot.TURNKeys, k.Name, k.ID, k.Created)
			}
			return t.Done(v, check.Said{None: "the account has no TURN key", Fail: "These TURN keys are very old",
				Warn: "These TURN keys are old", Pass: "Every TURN key is young."})
		},
	}
}

func relayKeysGood(b *snapshot.Builder) {
	put(snapshot.TURNKeys, []snapshot.MediaKey{{ID: "u1", Name: "video", Created: goodtest.InDays(-30)}})(b)
}

func relayKeysExamples() []goodtest.Example { return keyAges(snapshot.TURNKeys) }
