package platform

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsSecretsStore = "https://developers.cloudflare.com/secrets-store/manage-secrets/"

// scoped finds secrets that more than one product may use.
func scoped() check.Check {
	return check.Check{
		ID: "CFL-SECRET-001", Title: "Stored secrets are open to one product each",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The scopes of a secret in Secrets Store say which products may use it. Everyone who may deploy in one of these " +
			"products gets at the value.",
		Fix: "Remove the products that do not use the secret from its scopes.",
		Words: posture.Words{
			Problem:   "Secrets of this account are open to several products",
			Impact:    "Someone who may configure one product, such as an AI gateway, uses a secret that belongs to another.",
			Breaks:    "A product that uses the secret and is no longer in its scopes fails.",
			Dashboard: "Secrets Store › the secret › Edit › Permission scope: leave the product that uses the secret.",
			Terraform: `resource "cloudflare_secrets_store_secret" "secret" {
  account_id = "{account_id}"
  store_id   = var.store_id
  name       = "PAYMENT_KEY"
  value      = var.payment_key
  scopes     = ["workers"]
}`},
		References: []string{docsSecretsStore},
		Controls: check.Controls{
			check.Supports("cis 3.3", "A secret is open to the product that needs it."),
			check.Supports("soc2 CC6.3", "Use of a secret follows least privilege."),
			check.Supports("pci 7.2.5", "Applications get at the secrets they need; who deploys them is not seen."),
			check.Supports("nist PR.AA-05", "Scopes of secrets follow least privilege."),
		},
		Needs:    []snapshot.Named{snapshot.SecretStores, snapshot.StoreSecrets},
		Evaluate: evaluateScoped,
	}
}

func scopedGood(b *snapshot.Builder) { secrets(secret(10, "workers"))(b) }

func secret(days int, scopes ...string) snapshot.StoreSecret {
	return snapshot.StoreSecret{ID: "x1", Name: "PAYMENT_KEY", Status: "active", Created: goodtest.InDays(-days),
		Modified: goodtest.InDays(-days),
		Scopes:   scopes}
}

func secrets(all ...snapshot.StoreSecret) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		put(snapshot.SecretStores, []snapshot.SecretStore{{ID: "v1", Name: "default"}})(b)
		snapshot.Put(b, snapshot.StoreSecrets, "v1", all)
	}
}

// secondStore is an example edit that adds a store whose secrets were not read.
func secondStore(b *snapshot.Builder) {
	put(snapshot.SecretStores, []snapshot.SecretStore{{ID: "v1", Name: "default"}, {ID: "v2", Name: "other"}})(b)
}

func gone(s snapshot.StoreSecret, status string) snapshot.StoreSecret {
	s.Status = status
	return s
}

func scopedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "one product", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "two products", Want: posture.Warning, Resource: goodtest.Account, Edit: secrets(secret(10, "ai_gateway", "workers"))},
		{Name: "every product", Want: posture.Fail, Resource: goodtest.Account,
			Edit: secrets(secret(10, "access", "ai_gateway", "containers", "workers"))},
		{Name: "a product twice", Want: posture.Pass, Edit: secrets(secret(10, "workers", "workers"))},
		{Name: "no product", Want: posture.Pass, Edit: secrets(secret(10, []string{}...))},
		{Name: "the products are not told", Want: posture.Unknown, Edit: secrets(secret(10))},
		{Name: "two products, and deleted", Want: posture.NotApplicable, Edit: secrets(gone(secret(10, "ai_gateway", "workers"), "deleted"))},
		{Name: "no secret", Want: posture.NotApplicable, Edit: secrets()},
		{Name: "no store", Want: posture.NotApplicable, Edit: put(snapshot.SecretStores, []snapshot.SecretStore{})},
		{Name: "another store was not read", Want: posture.Unknown, Edit: secondStore},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.SecretStores)},
	}
}

// someProducts is the number of products from which a secret counts as open to all.
const someProducts = 3

func evaluateScoped(v *check.View) check.Outcome {
	var t check.Tally
	eachSecret(v, &t, func(s snapshot.StoreSecret) {
		scopes := slices.Compact(slices.Sorted(slices.Values(s.Scopes)))
		row := check.Evidence(snapshot.StoreSecrets, "/"+s.ID+"/scopes", strings.Join(scopes, ", "), "one product")
		switch n := len(scopes); {
		case s.Scopes == nil:
			t.Unknown("Cloudflare does not tell which products may use the secret " + s.Name)
		case n < 2:
			t.Pass()
		case n < someProducts:
			t.Warn(s.Name, s.ID, row)
		default:
			t.Fail(s.Name, s.ID, row)
		}
	})
	return t.Done(v, check.Said{None: "the account has no stored secret", Fail: "These secrets are open to three products or more",
		Warn: "These secrets are open to two products", Pass: "Every stored secret is open to one product."})
}

// eachSecret judges the secrets of all stores, except deleted ones.
func eachSecret(v *check.View, t *check.Tally, judge func(snapshot.StoreSecret)) {
	read := v.ItemsOf(snapshot.StoreSecrets)
	for _, store := range check.Read(v, snapshot.SecretStores) {
		if !slices.Contains(read, store.ID) {
			t.Unknown("the secrets of the store " + store.Name + " were not read")
			continue
		}
		for _, s := range check.ReadAt(v, snapshot.StoreSecrets, store.ID) {
			if s.Status != "deleted" {
				judge(s)
			}
		}
	}
}

// rotated finds secrets that have not changed for years.
func rotated() check.Check {
	return check.Check{
		ID: "CFL-SECRET-002", Title: "Stored secrets are rotated",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A secret that stays the same for years is known to everyone who ever handled it. Its date of change moves also when " +
			"only its comment is edited.",
		Fix: "Issue a new value where the secret is used, enter it in Secrets Store, then revoke the old value.",
		Words: posture.Words{
			Problem:   "Secrets of this account have not changed for a long time",
			Impact:    "Someone who saw the value once, and has left since, can still use it.",
			Breaks:    "What uses the old value elsewhere, until it has the new one.",
			Dashboard: "Secrets Store › the secret › Edit: enter the new value.",
		},
		References: []string{docsSecretsStore},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "Credentials are changed in time."),
			check.Supports("pci 8.6.3", "Secrets of applications are changed at intervals."),
			check.Supports("nist PR.AA-01", "Credentials have a life that ends."),
		},
		Needs: []snapshot.Named{snapshot.SecretStores, snapshot.StoreSecrets},
		Evaluate: func(v *check.View) check.Outcome {
			var t check.Tally
			eachSecret(v, &t, func(s snapshot.StoreSecret) { aged(v, &t, snapshot.StoreSecrets, s.Name, s.ID, s.Modified) })
			return t.Done(v, check.Said{None: "the account has no stored secret", Fail: "These secrets have not changed for years",
				Warn: "These secrets have not changed for a long time", Pass: "Every stored secret changed lately."})
		},
	}
}

func rotatedGood(b *snapshot.Builder) { scopedGood(b) }

func rotatedExamples() []goodtest.Example {
	unreported := secret(10, "workers")
	unreported.Modified = snapshot.Time{}
	return []goodtest.Example{
		{Name: "changed lately", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "of a year to the day", Want: posture.Pass, Edit: secrets(secret(365, "workers"))},
		{Name: "of more than a year", Want: posture.Warning, Resource: goodtest.Account, Edit: secrets(secret(366, "workers"))},
		{Name: "of more than three years", Want: posture.Fail, Resource: goodtest.Account, Edit: secrets(secret(1100, "workers"))},
		{Name: "old, and pending", Want: posture.Fail, Edit: secrets(gone(secret(1100, "workers"), "pending"))},
		{Name: "old, and deleted", Want: posture.NotApplicable, Edit: secrets(gone(secret(1100, "workers"), "deleted"))},
		{Name: "the date is not told", Want: posture.Unknown, Edit: secrets(unreported)},
		{Name: "another store was not read", Want: posture.Unknown, Edit: secondStore},
		{Name: "no store", Want: posture.NotApplicable, Edit: put(snapshot.SecretStores, []snapshot.SecretStore{})},
	}
}
