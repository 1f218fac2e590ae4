package network

import (
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// siteTunnel judges how tunnels to sites protect their traffic. Replay protection is not required:
// Cloudflare recommends leaving it off for its anycast tunnels, because it prevents distributing
// them over servers (developers.cloudflare.com/magic-wan/reference/anti-replay-protection/).
func siteTunnel() check.Check {
	return check.Check{
		ID: "CFL-MAGIC-002", Title: "Site tunnels encrypt what they carry",
		Category: "magic", Severity: posture.High, Resource: posture.ResourceTunnel, Scope: check.PerAccount,
		Why: "A site tunnel may fall back to a null cipher, which sends internal traffic across the internet in clear " +
			"text.",
		Fix: "Disallow the null cipher on both ends, then rotate the pre-shared key and do so once a year.",
		Words: posture.Words{
			Problem:   "IPsec tunnel {name} of this account is weakly protected",
			Impact:    "Someone on the way between the site and Cloudflare can read and change internal traffic.",
			Breaks:    "The tunnel is down until both ends agree on a cipher and a key.",
			Dashboard: "Networking › Tunnels › {name} › Edit: null cipher off; then rotate the pre-shared key.",
		},
		References: []string{"https://developers.cloudflare.com/magic-transit/how-to/advertise-prefixes/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Traffic between sites is encrypted."),
			check.Supports("cis 12.3", "The network between sites is run over secure means."),
			check.Supports("soc2 CC6.7", "Data between sites is protected on its way."),
			check.Supports("pci 4.2.1", "Card data between sites is encrypted; other ways are not seen."),
			check.Supports("nist PR.DS-02", "Data between sites is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.MagicIPsec},
		Plans:    []string{"enterprise"},
		Evaluate: evaluateSiteTunnel,
	}
}

func siteTunnelExamples() []goodtest.Example {
	on, off := true, false
	tunnel := func(change func(*snapshot.IPsecTunnel)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.MagicIPsec, goodtest.Account, func(ts *[]snapshot.IPsecTunnel) { change(&(*ts)[0]) })
		}
	}
	key := func(days int) func(*snapshot.Builder) {
		return tunnel(func(t *snapshot.IPsecTunnel) { t.KeyGenerated = snapshot.At(goodtest.Now().AddDate(0, 0, -days)) })
	}
	return []goodtest.Example{
		{Name: "encrypted", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a key of exactly a year", Want: posture.Pass, Edit: key(365)},
		{Name: "the age of the key is not told", Want: posture.Pass,
			Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.KeyGenerated = snapshot.Time{} })},
		{Name: "no encryption needed", Want: posture.Fail, Resource: goodtest.SiteTunnel,
			Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.NullCipher = &on })},
		{Name: "no replay protection, as Cloudflare recommends", Want: posture.Pass,
			Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.ReplayProtection = &off })},
		{Name: "replay protection is not told", Want: posture.Pass, Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.ReplayProtection = nil })},
		{Name: "no encryption needed, with replay protection", Want: posture.Fail, Resource: goodtest.SiteTunnel,
			Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.NullCipher, t.ReplayProtection = &on, &on })},
		{Name: "an old key", Want: posture.Warning, Resource: goodtest.SiteTunnel, Edit: key(366)},
		{Name: "the cipher is not told", Want: posture.Unknown, Resource: goodtest.SiteTunnel,
			Edit: tunnel(func(t *snapshot.IPsecTunnel) { t.NullCipher = nil })},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.MagicIPsec, goodtest.Account, []snapshot.IPsecTunnel{})
		}},
		{Name: "another plan", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" })},
	}
}

func evaluateSiteTunnel(v *check.View) check.Outcome {
	j := v.Judge()
	for _, t := range check.Read(v, snapshot.MagicIPsec) {
		r := posture.Resource{Type: posture.ResourceTunnel, ID: t.ID, Name: t.Name}
		seen := func(member, observed, expected string) posture.Evidence {
			return check.Evidence(snapshot.MagicIPsec, "/"+t.ID+"/"+member, observed, expected)
		}
		switch {
		case is(t.NullCipher):
			j.Fail(r, "The site tunnel "+t.Name+" may carry traffic in clear text.", seen("allow_null_cipher", "true", "false"))
		case !t.KeyGenerated.IsZero() && t.KeyGenerated.Before(v.Now().AddDate(0, 0, -v.Policy.KeyAgeDays)):
			j.Warn(r, "The key of the site tunnel "+t.Name+" is old.", seen("psk_last_generated_on", t.KeyGenerated.Format(time.DateOnly),
				"at most "+strconv.Itoa(v.Policy.KeyAgeDays)+" days ago"))
			j.As(posture.Words{Problem: "The key of IPsec tunnel {name} in this account is old",
				Impact:    "Someone who got hold of the key, from an old device or a backup, can still use it.",
				Breaks:    "The tunnel is down until both ends have the new key.",
				Dashboard: "Networking › Tunnels › {name} › Edit › Pre-shared key: generate a new one."})
		case t.NullCipher == nil:
			j.Unclear(r, "Cloudflare did not return whether the tunnel may go without a cipher")
		default:
			j.Pass()
		}
	}
	return j.Done("Every site tunnel encrypts with a young key.", "no IPsec tunnel exists")
}
