package account

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// auditExport judges whether a copy of the audit log is stored outside Cloudflare.
func auditExport() check.Check {
	return check.Check{
		ID: "CFL-ACC-009", Title: "The account audit log leaves Cloudflare",
		Category: "account", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare keeps the audit log for 18 months. A copy outside stays readable when nobody can sign in to the " +
			"account any more.",
		Fix: "Create a Logpush job for audit logs, or fetch the audit log over the API on a schedule.",
		Words: posture.Words{
			Problem:   "The audit log of this account is not exported",
			Impact:    "Someone who takes over the account can act for weeks, and nobody outside of it can see what was done.",
			Breaks:    "Nothing for users; storage at the destination costs money.",
			Dashboard: "Manage Account › Audit Logs for the log, and Analytics & Logs › Logpush › Create a Logpush job: Audit logs.",
		},
		References: []string{"https://developers.cloudflare.com/logs/",
			"https://developers.cloudflare.com/cloudflare-one/insights/logs/audit-logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "The record of changes to the account is gathered outside of it."),
			check.Shows("cis 8.9", "Account audit logs arrive in the place where other logs are."),
			check.Shows("cis 8.12", "The log that Cloudflare keeps of the account is obtained and stored."),
			check.Supports("soc2 CC7.2", "Changes to the account can be watched by the tools of the organisation."),
			check.Supports("pci 10.2.1", "Actions in the account are logged; other components have logs of their own."),
			check.Supports("pci 10.5.1", "What is exported can be kept for twelve months, longer than Cloudflare keeps it."),
			check.Supports("nist DE.CM-03", "What members do in the account is available to monitoring."),
			check.Shows("nist PR.PS-04", "The account's log records are made available for monitoring."),
		},
		Aliases:  []string{"flareinspect:CFL-ACC-004", "grclanker:CF-TRF-04"},
		Needs:    []snapshot.Named{snapshot.AccountLogpushJobs, snapshot.ZoneList},
		Evaluate: evaluateAuditExport,
	}
}

func auditExportExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "a job works", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no job on an enterprise account", Want: posture.Fail, Resource: goodtest.Account, Edit: jobs()},
		{Name: "a job of another dataset", Want: posture.Fail, Edit: jobs(snapshot.LogpushJob{ID: 1, Dataset: "gateway_dns", Enabled: true})},
		{Name: "the job is disabled", Want: posture.Fail,
			Edit: jobs(snapshot.LogpushJob{ID: 1, Dataset: "audit_logs", LastComplete: snapshot.At(goodtest.Now())})},
		{Name: "the job is failing", Want: posture.Fail, Edit: jobs(failing(1))},
		{Name: "one of two jobs is failing", Want: posture.Pass, Edit: jobs(failing(1), snapshot.LogpushJob{ID: 2, Dataset: "audit_logs_v2",
			Enabled: true})},
		{Name: "a filter leaves entries out", Want: posture.Warning, Resource: goodtest.Account,
			Edit: jobs(snapshot.LogpushJob{ID: 1, Dataset: "audit_logs", Enabled: true, Filtered: true})},
		{Name: "a hundredth of the entries", Want: posture.Warning, Resource: goodtest.Account,
			Edit: jobs(snapshot.LogpushJob{ID: 1, Dataset: "audit_logs_v2", Enabled: true, SampleRate: 0.01})},
		{Name: "a filter beside a job for all", Want: posture.Pass, Edit: jobs(snapshot.LogpushJob{ID: 1, Dataset: "audit_logs", Enabled: true,
			Filtered: true}, snapshot.LogpushJob{ID: 2, Dataset: "audit_logs_v2", Enabled: true})},
		{Name: "a filter, and the job for all is failing", Want: posture.Warning,
			Edit: jobs(failing(1), snapshot.LogpushJob{ID: 2, Dataset: "audit_logs_v2", Enabled: true, Filtered: true})},
		{Name: "no job without an enterprise zone", Want: posture.Warning,
			Edit: goodtest.Edits(jobs(), goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
		{Name: "the operator pulls the log", Want: posture.NotApplicable, Edit: jobs(),
			Policy: func(p *policy.Policy) { p.AuditLogPulled = true }},
	}
}

func jobs(all ...snapshot.LogpushJob) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, all) }
}

func failing(id int) snapshot.LogpushJob {
	return snapshot.LogpushJob{ID: id, Dataset: "audit_logs", Enabled: true, LastComplete: snapshot.At(goodtest.Now().AddDate(0, 0, -2)),
		LastError: snapshot.At(goodtest.Now().AddDate(0, 0, -1))}
}

func evaluateAuditExport(v *check.View) check.Outcome {
	if v.Policy.AuditLogPulled {
		return v.NotApplicable("the operator pulls the audit log by API")
	}
	broken, part := []posture.Evidence{}, []posture.Evidence{}
	for _, j := range check.Read(v, snapshot.AccountLogpushJobs) {
		if !j.Enabled || j.Dataset != "audit_logs" && j.Dataset != "audit_logs_v2" {
			continue
		}
		if !j.Failing() && j.Partial() { // the rest of the log is not exported (developers.cloudflare.com/logs/logpush/logpush-job/filters/)
			field, observed, expected := "filter", "a filter", "none"
			if !j.Filtered {
				field, observed, expected = "sample_rate", fmt.Sprint(j.SampleRate), "1"
			}
			part = append(part, check.Evidence(snapshot.AccountLogpushJobs, fmt.Sprintf("/%d/%s", j.ID, field), observed, expected))
			continue
		}
		if !j.Failing() {
			return v.Pass("The Logpush job %d exports the audit log.", j.ID)
		}
		broken = append(broken, check.Evidence(snapshot.AccountLogpushJobs, fmt.Sprintf("/%d/last_error", j.ID),
			j.LastError.Format("2006-01-02 15:04"), "no error after last_complete"))
	}
	if len(part) > 0 {
		return v.Warn("Every working Logpush job of the audit log has a filter or exports a sample, so a part of the log is not exported.",
			part...)
	}
	if len(broken) > 0 {
		return v.Fail("Every Logpush job of the audit log is failing.", broken...)
	}
	none := check.Evidence(snapshot.AccountLogpushJobs, "", "no enabled job of the audit log",
		"one job with dataset audit_logs or audit_logs_v2")
	if v.Enterprise() {
		return v.Fail("No Logpush job exports the audit log.", none)
	}
	if v.MayBeEnterprise() {
		return v.Warn("No Logpush job exports the audit log, and whether a zone has a plan that includes Logpush is not known.", none)
	}
	return v.Warn("No Logpush job exports the audit log, and no zone has a plan that includes Logpush.", none)
}
