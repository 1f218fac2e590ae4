package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const (
	poolHealthAlert  = "load_balancing_health_alert"
	authorityExpires = "mtls_certificate_store_certificate_expiration_type"
)

// poolHealth judges the alert on pools with failing servers.
func poolHealth() check.Check {
	return check.Check{
		ID: "CFL-ALERT-014", Title: "Unhealthy pools raise an alert",
		Category: "notifications", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A load balancer hides the loss of a server by using the next one. Without an alert the loss of the last one is the first " +
			"that people see.",
		Fix: "Create a notification for load balancing health with a destination that somebody reads day and night.",
		Words: notify("Load Balancing Health Alert", "Pool health", poolHealthAlert, posture.Words{
			Problem: "Unhealthy pools raise no alert in this account",
			Impact:  "Servers fail one after the other, and people learn of it when the site is down.",
		}),
		References: []string{"https://developers.cloudflare.com/load-balancing/additional-options/load-balancing-notifications/"},
		Controls: check.Controls{
			check.Supports("soc2 A1.1", "Lost capacity is seen while there is some left."),
			check.Supports("nist PR.IR-04", "Capacity that fails is announced before the service does."),
		},
		Needs: []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable, snapshot.LBPools},
		Evaluate: whenUsed(poolHealthAlert, "unhealthy pools", "pool_id", "the account has no enabled pool with a monitor",
			func(v *check.View) (out []string) {
				for _, p := range check.Read(v, snapshot.LBPools) {
					if p.Enabled && (p.Monitor != "" || p.MonitorGroup != "") {
						out = append(out, p.ID)
					}
				}
				return out
			}),
	}
}

func poolHealthExamples() []goodtest.Example {
	unmonitored := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.LBPools, goodtest.Account, func(ps *[]snapshot.Pool) {
			for i := range *ps {
				(*ps)[i].Monitor, (*ps)[i].MonitorGroup = "", "" // CFL-LB-001
			}
		})
	}
	health := func(states ...string) func(*snapshot.Builder) {
		return editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == poolHealthAlert {
				p.Filters = map[string][]string{"new_health": states}
			}
		})
	}
	return append(usedExamples(poolHealthAlert, "pool_id", unmonitored), []goodtest.Example{
		{Name: "the policy speaks of pools that are up again", Want: posture.Warning, Edit: health("Healthy")},
		{Name: "the policy speaks of pools that fail", Want: posture.Pass, Edit: health("Unhealthy")},
	}...)
}

func poolHealthGood(b *snapshot.Builder) { goodAlert(b, poolHealthAlert) }

// authorityExpiring judges the alert on expiring authorities and certificates that were uploaded
// for mutual TLS.
func authorityExpiring() check.Check {
	return check.Check{
		ID: "CFL-ALERT-015", Title: "Uploaded mTLS certificates that end raise an alert",
		Category: "notifications", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare renews its own certificates, and never one that was uploaded. When an authority for mutual TLS ends, every " +
			"client that it vouches for is refused at once.",
		Fix: "Create a notification for the end of certificates in the mTLS certificate store.",
		Words: notify("mTLS Certificate Store Certificate Expiration Alert", "mTLS certificates that end", authorityExpires, posture.Words{
			Problem: "Ending mTLS certificates raise no alert in this account",
			Impact:  "Clients and devices are refused from one minute to the next, and the first to notice are partners.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/notification-available/"},
		Controls: check.Controls{
			check.Supports("soc2 A1.1", "The end of a certificate is known before it refuses clients."),
			check.Touches("pci 12.5.1", "The alert names certificates that end; it is no inventory."),
			check.Supports("nist PR.IR-04", "Access by certificate does not end by surprise."),
		},
		Needs: []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable, snapshot.MTLSCertificates},
		Evaluate: whenUsed(authorityExpires, "uploaded mTLS certificates that end", "",
			"no certificate for mutual TLS was uploaded that is still valid",
			func(v *check.View) (out []string) {
				for _, c := range check.Read(v, snapshot.MTLSCertificates) {
					ended := !c.ExpiresOn.IsZero() && !c.ExpiresOn.After(v.Now()) // no notification tells of it any more
					if c.Type != "gateway_managed" && c.Type != "access_managed" && !ended {
						out = append(out, c.ID)
					}
				}
				return out
			}),
	}
}

func authorityExpiringExamples() []goodtest.Example {
	none := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.MTLSCertificates, goodtest.Account, []snapshot.MTLSCertificate{{ID: "g1", Authority: true,
			Type: "gateway_managed"}}) // Gateway renews its own
	}
	ended := goodtest.Edits(editPolicies(func(p *snapshot.AlertPolicy) { p.Enabled = p.AlertType != authorityExpires }),
		goodtest.Each(snapshot.MTLSCertificates, goodtest.Account, func(c *snapshot.MTLSCertificate) { c.ExpiresOn = goodtest.InDays(-1) }))
	return append(usedExamples(authorityExpires, "", none),
		goodtest.Example{Name: "every certificate has expired", Want: posture.NotApplicable, Edit: ended})
}

func authorityExpiringGood(b *snapshot.Builder) { goodAlert(b, authorityExpires) }
