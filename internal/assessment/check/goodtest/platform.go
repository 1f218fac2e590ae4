package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodPlatform adds the account, its credentials and the developer platform.
func goodPlatform(b *snapshot.Builder) {
	goodPeople(b)
	goodAlarms(b)
	goodExports(b)
	goodWorkers(b)
	goodSites(b)
	goodBuckets(b)
}

func goodExports(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccountLogpushJobs, Account, func(js *[]snapshot.LogpushJob) {
		for i, dataset := range []string{"access_requests", "gateway_dns", "gateway_http", "gateway_network"} {
			j := (*js)[0]
			j.ID, j.Name, j.Dataset = 10+i, dataset, dataset
			*js = append(*js, j)
		}
	})
}

func goodAlarms(b *snapshot.Builder) {
	for _, t := range []string{"tunnel_health_event", "expiring_service_token_alert", "scriptmonitor_alert_new_malicious_scripts"} {
		snapshot.Edit(b, snapshot.AlertAvailable, Account, func(ts *[]snapshot.AlertType) {
			*ts = append(*ts, snapshot.AlertType{Product: "Product", Type: t, Name: t})
		})
		snapshot.Edit(b, snapshot.AlertPolicies, Account, func(ps *[]snapshot.AlertPolicy) {
			*ps = append(*ps, snapshot.AlertPolicy{ID: "p-" + t, Name: t, Enabled: true, AlertType: t, Emails: 2, EmailKeys: []string{"k1", "k2"},
				Webhooks: []string{"w1"}})
		})
	}
	snapshot.Put(b, snapshot.AlertSilences, Account, []snapshot.AlertSilence{
		{ID: "s1", PolicyID: "p-dos_attack_l7", StartTime: InDays(-1), EndTime: InDays(1)}, {ID: "s2", PolicyID: "p-dos_attack_l7",
			StartTime: InDays(-90), EndTime: InDays(-60)}})
}

func goodPeople(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccountMembers, Account, func(ms *[]snapshot.Member) {
		for i := range *ms {
			(*ms)[i].Roles = []string{"Super Administrator - All Privileges"}
		}
	})
	snapshot.Put(b, snapshot.AccountAuditLog, Account, []snapshot.AuditEntry{})
	b.Set(snapshot.Section{Source: snapshot.AccountAuditLogMembers.Source(), Scope: Account, Status: snapshot.Skipped,
		Reason: "no invitation is open"})
	snapshot.Put(b, snapshot.AccountInsights, Account, []snapshot.Insight{
		{ID: "i1", Type: "exposed_infrastructure", Class: "a_record_dangling", Severity: "Critical", Since: InDays(-40), Status: "resolved",
			Subject: "old." + Domain, ZoneID: Zone},
		{ID: "i2", Type: "weak_authentication", Class: "users_without_mfa", Severity: "Moderate", Since: InDays(-60), Status: "active",
			Dismissed: true, Subject: "m2", Verdict: "false_positive"}})
}
