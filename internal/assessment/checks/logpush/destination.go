package logpush

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// exported is a job with its source.
type exported struct {
	snapshot.LogpushJob
	source snapshot.Named
	name   string
}

func (e exported) seen(member, observed, expected string) posture.Evidence {
	return check.Evidence(e.source, fmt.Sprintf("/%d/%s", e.ID, member), observed, expected)
}

// enabledJobs lists the enabled jobs of the account and its zones.
func enabledJobs(v *check.View) (out []exported) {
	add := func(all []snapshot.LogpushJob, source snapshot.Named, owner string) {
		for _, j := range all {
			if j.Enabled {
				out = append(out, exported{j, source, fmt.Sprintf("job %d (%s) of %s", j.ID, j.Dataset, owner)})
			}
		}
	}
	add(check.Read(v, snapshot.AccountLogpushJobs), snapshot.AccountLogpushJobs, "the account")
	for _, z := range v.EveryZone() {
		add(check.ReadAt(v, snapshot.ZoneLogpushJobs, z.ID), snapshot.ZoneLogpushJobs, z.Name)
	}
	return out
}

// certificateChecked judges whether a job that exports to Splunk verifies the destination's
// certificate.
func certificateChecked() check.Check {
	return check.Check{
		ID: "CFL-LOG-005", Title: "Log exports check the certificate of their destination",
		Category: "logpush", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Splunk destination may be set to accept any certificate. Logs, and the token that writes them, then go to whoever answers.",
		Fix: "Install a publicly trusted certificate at the collector, then turn the insecure option of the job off.",
		Words: posture.Words{
			Problem: "Log exports of this account accept any certificate",
			Impact: "Someone on the way to the collector reads addresses and requests of your visitors, and the token with which false " +
				"logs are written.",
			Breaks:    "Uploads to a collector with a self-signed certificate fail until it has a trusted one.",
			Dashboard: "Analytics & Logs › Logpush › the job › Edit › Destination: clear Use insecure skip verify option.",
		},
		References: []string{"https://developers.cloudflare.com/logs/logpush/logpush-job/enable-destinations/splunk/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Logs on their way are encrypted for one recipient."),
			check.Supports("soc2 CC6.7", "Logs are not handed to a stranger on the way."),
			check.Supports("pci 10.3.2", "The token that can write false logs is not shown to others."),
			check.Supports("pci 4.2.1", "The certificate of the receiver is checked."),
			check.Supports("nist PR.DS-02", "Logs are protected on the wire."),
		},
		Needs: []snapshot.Named{snapshot.AccountLogpushJobs, snapshot.ZoneLogpushJobs, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			var open check.Found
			jobs := slices.DeleteFunc(enabledJobs(v), func(e exported) bool { return !strings.HasPrefix(e.Destination, "splunk://") })
			for _, e := range jobs {
				if e.Unchecked {
					open.Add(e.name, e.seen("destination", "any certificate is accepted", "the certificate is checked"))
				}
			}
			switch {
			case len(jobs) == 0:
				return v.NotApplicable("no job exports logs to Splunk; the other destinations always check")
			case len(open.Names) > 0:
				return v.Fail("The certificate of the destination is not checked: "+strings.Join(open.Names, "; ")+".", open.Rows...)
			}
			return v.Pass("Every job checks the certificate of its destination.")
		},
	}
}

func certificateCheckedExamples() []goodtest.Example {
	splunk := func(unchecked bool) snapshot.LogpushJob {
		j := job(5, "http_requests")
		j.Destination, j.Unchecked = "splunk://splunk.shop.example", unchecked
		return j
	}
	accountJob := func(j snapshot.LogpushJob) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, []snapshot.LogpushJob{j})
		}
	}
	return []goodtest.Example{
		{Name: "checked", Want: posture.Pass, Resource: goodtest.Account, Edit: zoneJobs(splunk(false))},
		{Name: "anyone may answer", Want: posture.Fail, Resource: goodtest.Account, Edit: zoneJobs(splunk(true))},
		{Name: "one of two", Want: posture.Fail, Edit: zoneJobs(splunk(false), func() snapshot.LogpushJob {
			j := splunk(true)
			j.ID = 6
			return j
		}())},
		{Name: "a job of the account", Want: posture.Fail, Edit: accountJob(splunk(true))},
		{Name: "a job that is off", Want: posture.NotApplicable, Edit: zoneJobs(disabled(splunk(true)))},
		{Name: "no job to Splunk", Want: posture.NotApplicable, Resource: goodtest.Account},
		{Name: "the jobs are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AccountLogpushJobs.Source(), snapshot.Denied, "Logs Read", "")
		}},
	}
}

// ownBucket judges whether logs exported to R2 stay within the organisation. The owner of other
// buckets cannot be determined.
func ownBucket() check.Check {
	return check.Check{
		ID: "CFL-LOG-006", Title: "Logs in R2 stay in own accounts",
		Category: "logpush", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Logpush job to R2 names the account of the bucket. Whoever owns that account reads every request, sign-in and DNS query " +
			"that is written there.",
		Fix: "Ask who owns the account of the bucket, then point the job to a bucket of your own or delete the job.",
		Words: posture.Words{
			Problem: "Logs of this account are written to a foreign account",
			Impact: "The owner of the other account reads addresses, paths and query strings of your visitors, with tokens in them, for as " +
				"long as the job runs.",
			Breaks:    "A partner who works with these logs gets no more of them.",
			Dashboard: "Analytics & Logs › Logpush › the job › Edit › Destination: choose a bucket of this account.",
		},
		References: []string{"https://developers.cloudflare.com/logs/logpush/logpush-job/enable-destinations/r2/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Logs can be read only where the organisation decides about it."),
			check.Supports("soc2 CC6.7", "Logs do not leave the organisation unseen."),
			check.Supports("pci 10.3.2", "Logs are kept from people without a need to see them."),
			check.Supports("nist PR.DS-01", "Logs at rest are under the organisation's control."),
		},
		Needs:    []snapshot.Named{snapshot.AccountLogpushJobs, snapshot.ZoneLogpushJobs, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.AccountList},
		Evaluate: evaluateOwnBucket,
	}
}

func evaluateOwnBucket(v *check.View) check.Outcome {
	var foreign check.Found
	var perhaps, odd []string
	jobs := slices.DeleteFunc(enabledJobs(v), func(e exported) bool { return e.Bucket() == "" })
	for _, e := range jobs {
		switch {
		case strings.EqualFold(e.Owner, v.Account().ID):
		case e.Owner == "":
			odd = append(odd, e.name)
		default:
			accounts, known := check.ReadOptional(v, snapshot.AccountList)
			if !known {
				perhaps = append(perhaps, e.name+" to account "+e.Owner)
			} else if !slices.ContainsFunc(accounts, func(a snapshot.Account) bool { return strings.EqualFold(a.ID, e.Owner) }) {
				foreign.Add(e.name+" to account "+e.Owner, e.seen("owner", e.Owner, "an account of the organisation"))
			}
		}
	}
	switch {
	case len(jobs) == 0:
		return v.NotApplicable("no job exports logs to R2")
	case len(foreign.Names) > 0:
		return v.Fail("Logs are written to an account that this token does not see: "+strings.Join(foreign.Names, "; ")+".", foreign.Rows...)
	case len(perhaps) > 0:
		return v.Unknown("whether the organisation owns the account that logs are written to is not known: " + strings.Join(perhaps, "; "))
	case len(odd) > 0:
		return v.Unknown("Cloudflare did not tell the account of the bucket of " + strings.Join(odd, ", "))
	}
	return v.Pass("Every job to R2 writes to an own account.")
}

func ownBucketExamples() []goodtest.Example {
	to := func(owner string) snapshot.LogpushJob {
		j := job(5, "http_requests")
		j.Destination, j.Owner = "r2://logs", owner
		return j
	}
	const other = "0a0000000000000000000000000000ff"
	both := to(goodtest.Account)
	both.ID = 6
	return []goodtest.Example{
		{Name: "own account", Want: posture.Pass, Resource: goodtest.Account, Edit: zoneJobs(to(goodtest.Account))},
		{Name: "own account in capitals", Want: posture.Pass, Edit: zoneJobs(to(strings.ToUpper(goodtest.Account)))},
		{Name: "foreign account", Want: posture.Fail, Resource: goodtest.Account, Edit: zoneJobs(to(other))},
		{Name: "one of two", Want: posture.Fail, Edit: zoneJobs(both, to(other))},
		{Name: "another account of ours", Want: posture.Pass, Edit: goodtest.Edits(zoneJobs(to(other)), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccountList, goodtest.Account, func(as *[]snapshot.Account) {
				*as = append(*as, snapshot.Account{ID: other, Name: "Example Logs"})
			})
		})},
		{Name: "another account, and the list of accounts is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Edits(zoneJobs(to(other)), func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountList.Source(), snapshot.NeedsUserToken, "", "")
			})},
		{Name: "a job that is off", Want: posture.NotApplicable, Edit: zoneJobs(disabled(to(other)))},
		{Name: "the account is not told", Want: posture.Unknown, Edit: zoneJobs(to(""))},
		{Name: "no job to R2", Want: posture.NotApplicable, Resource: goodtest.Account},
	}
}
