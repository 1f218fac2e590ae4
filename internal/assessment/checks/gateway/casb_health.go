package gateway

import (
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// casbHealth judges whether connected applications still report.
func casbHealth() check.Check {
	return check.Check{
		ID: "CFL-CASB-002", Title: "Application integrations are healthy",
		Category: "casb", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A CASB integration without a working credential scans nothing. It shows no new findings, as a clean " +
			"application does.",
		Fix: "Renew the authorization of the integration, then check that its next scan ends.",
		Words: posture.Words{
			Problem:   "CASB integrations of this account have stopped scanning",
			Impact:    "A file that is shared with the world or a new hidden admin account stays unseen.",
			Breaks:    "Nothing; the integration only reads, with the permissions that an administrator grants again.",
			Dashboard: "Zero Trust › Cloud & SaaS findings › Integrations: open the integration and reauthorize it.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/integrations/cloud-and-saas/troubleshooting/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 3.13", "The scanner that looks for exposed data works."),
			check.Supports("soc2 CC4.1", "The evaluation of connected applications goes on."),
			check.Supports("pci 10.7.2", "A failed scanner is noticed."),
			check.Supports("nist DE.CM-06", "Monitoring of outside providers does not stop silently."),
		},
		Aliases:  []string{"cfsi:casb-unhealthy", "cfsi:new-casb-integrations"},
		Needs:    []snapshot.Named{snapshot.CASBIntegrations},
		Optional: []snapshot.Named{snapshot.CASBFindings},
		Unless:   check.Empty(snapshot.CASBIntegrations, "no application is connected"),
		Evaluate: evaluateCASBHealth,
	}
}

func casbHealthExamples() []goodtest.Example {
	integration := func(change func(*snapshot.CASBIntegration)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.CASBIntegrations, goodtest.Account, func(is *[]snapshot.CASBIntegration) { change(&(*is)[0]) })
		}
	}
	status := func(s string) func(*snapshot.Builder) {
		return integration(func(i *snapshot.CASBIntegration) { i.Status = s })
	}
	born := func(days int) func(*snapshot.Builder) {
		return integration(func(i *snapshot.CASBIntegration) {
			i.Status, i.Created = "Initializing", snapshot.At(goodtest.Now().AddDate(0, 0, -days))
		})
	}
	ends := func(days int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.CASBFindings, goodtest.Account, func(fs *[]snapshot.CASBFinding) {
				(*fs)[0].CredentialsExpiry = snapshot.At(goodtest.Now().AddDate(0, 0, days))
			})
		}
	}
	credential := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.CASBFindings, goodtest.Account, func(fs *[]snapshot.CASBFinding) { (*fs)[0].CredentialHealth = "unhealthy" })
	}
	blind := func(b *snapshot.Builder) { b.Mark(snapshot.CASBFindings.Source(), snapshot.Denied, "Some Read", "") }
	return []goodtest.Example{
		{Name: "healthy", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "healthy in another spelling", Want: posture.Pass, Edit: status("HEALTHY")},
		{Name: "starting for a week", Want: posture.Pass, Edit: born(7)},
		{Name: "a credential that lasts", Want: posture.Pass, Edit: ends(60)},
		{Name: "unhealthy", Want: posture.Fail, Resource: goodtest.Account, Edit: status("Unhealthy")},
		{Name: "offline", Want: posture.Fail, Resource: goodtest.Account, Edit: status("offline")},
		{Name: "paused", Want: posture.Fail, Resource: goodtest.Account,
			Edit: integration(func(i *snapshot.CASBIntegration) { i.Paused = true })},
		{Name: "the credential fails", Want: posture.Fail, Resource: goodtest.Account, Edit: credential},
		{Name: "unhealthy whatever the findings", Want: posture.Fail, Edit: goodtest.Edits(status("Unhealthy"), blind)},
		{Name: "starting for eight days", Want: posture.Warning, Resource: goodtest.Account, Edit: born(8)},
		{Name: "the credential ends soon", Want: posture.Warning, Resource: goodtest.Account, Edit: ends(10)},
		{Name: "starting for eight days and nobody sees the findings", Want: posture.Warning, Edit: goodtest.Edits(born(8), blind)},
		{Name: "nobody sees the findings", Want: posture.Unknown, Resource: goodtest.Account, Edit: blind},
		{Name: "a status nobody knows", Want: posture.Unknown, Resource: goodtest.Account, Edit: status("Sleeping")},
		{Name: "no integration", Want: posture.NotApplicable, Edit: noIntegration},
		{Name: "not in use", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.CASBIntegrations.Source(),
				snapshot.Absent, "", "")
		}},
	}
}

func evaluateCASBHealth(v *check.View) check.Outcome {
	var broken, doubtful []posture.Evidence
	odd := false
	for _, i := range check.Read(v, snapshot.CASBIntegrations) {
		seen := check.Evidence(snapshot.CASBIntegrations, "/"+i.ID+"/status", i.Name+": "+i.Status, "Healthy")
		word := strings.ToLower(i.Status)
		switch {
		case i.Paused:
			seen.Observed = i.Name + ": paused"
			broken = append(broken, seen)
		case word == "unhealthy" || word == "offline":
			broken = append(broken, seen)
		case word == "initializing" && !i.Created.IsZero() && i.Created.Before(v.Now().AddDate(0, 0, -v.Policy.PendingDays)):
			doubtful = append(doubtful, seen)
		case word != "healthy" && (word != "initializing" || i.Created.IsZero()):
			odd = true
		}
	}
	findings, known := check.ReadOptional(v, snapshot.CASBFindings)
	for _, f := range findings {
		switch strings.ToLower(f.CredentialHealth) {
		case "unhealthy":
			broken = append(broken, check.Evidence(snapshot.CASBFindings, "/"+f.ID+"/credential_health_status", f.Integration+": unhealthy",
				"healthy"))
		case "healthy", "initializing", "":
		default:
			odd = true
		}
		if !f.CredentialsExpiry.IsZero() && f.CredentialsExpiry.Before(v.Now().AddDate(0, 0, v.Policy.CASBCredentialDays)) {
			doubtful = append(doubtful, check.Evidence(snapshot.CASBFindings, "/"+f.ID+"/credentials_expiry",
				f.Integration+": "+f.CredentialsExpiry.Format(time.DateOnly), "a later date"))
		}
	}
	switch {
	case len(broken) > 0:
		return v.Fail("A CASB integration does not scan: it is paused, offline or its credential no longer works.",
			append(broken, doubtful...)...)
	case len(doubtful) > 0 && !known:
		return v.Provisional(v.Warn("A CASB integration has not started to scan; whether its credential works could not be checked.",
			doubtful...).As(stopping()))
	case len(doubtful) > 0:
		return v.Warn("A CASB integration has not started to scan, or its credential expires soon.", doubtful...).As(stopping())
	case !known:
		return v.Unknown("whether the credentials of CASB integrations work is told by the findings alone")
	case odd:
		return v.Unknown("Cloudflare returned a status this check does not know")
	}
	return v.Pass("Every CASB integration scans its application.")
}

func stopping() posture.Words {
	return posture.Words{Problem: "CASB integrations of this account may stop scanning",
		Impact: "Once the credential has expired, a file that is shared with the world stays unseen."}
}
