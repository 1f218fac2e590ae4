package platform

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ownSink finds pipelines that write to buckets of other accounts. The operator's other accounts
// are not known, so a foreign account may be legitimate and is not a failure.
func ownSink() check.Check {
	return check.Check{
		ID: "CFL-PIPE-003", Title: "Pipelines write to buckets of this account",
		Category: "storage", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A sink of Pipelines names the account and the bucket it writes to, with credentials of its own. The account may be " +
			"anybody's.",
		Fix: "Find out whose account the sink names, then delete the sink unless your organisation has it.",
		Words: posture.Words{
			Problem:   "Pipelines of this account write to another account",
			Impact:    "Whoever has that account gets every event, and nothing in your own buckets shows it.",
			Breaks:    "Nothing of this account; what reads the data in the other one gets no more events.",
			Dashboard: "Storage & databases › Pipelines › Sinks › the sink: read its account, then delete the sink or keep it.",
		},
		References: []string{"https://developers.cloudflare.com/pipelines/sinks/manage-sinks/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.7", "Data is not sent to others unseen."),
			check.Supports("nist ID.AM-03", "Flows of data to the outside are on record."),
		},
		Needs:    []snapshot.Named{snapshot.PipelineSinks},
		Evaluate: evaluateOwnSink,
	}
}

func ownSinkGood(b *snapshot.Builder) { sinks(sink(goodtest.Account))(b) }

func sinks(all ...snapshot.PipelineSink) func(*snapshot.Builder) {
	return put(snapshot.PipelineSinks, all)
}

func sink(account string) snapshot.PipelineSink {
	return snapshot.PipelineSink{ID: "k" + account, Name: "lake", Type: "r2", AccountID: account, Bucket: "events"}
}

func ownSinkExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "the own account", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "another account", Want: posture.Fail, Resource: goodtest.Account, Edit: sinks(sink("0123456789abcdef0123456789abcdef"))},
		{Name: "another account beside the own", Want: posture.Fail,
			Edit: sinks(sink(goodtest.Account), sink("0123456789abcdef0123456789abcdef"))},
		{Name: "in capitals", Want: posture.Pass, Edit: sinks(sink(strings.ToUpper(goodtest.Account)))},
		{Name: "the account is not told", Want: posture.Unknown, Edit: sinks(sink(""))},
		{Name: "no sink", Want: posture.NotApplicable, Edit: sinks()},
		{Name: "no stream, so that sinks were not read", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.PipelineSinks.Source(), snapshot.Skipped, "", "no stream feeds a pipeline")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.PipelineSinks)},
	}
}

func evaluateOwnSink(v *check.View) check.Outcome {
	var t check.Tally
	for _, s := range check.Read(v, snapshot.PipelineSinks) {
		switch {
		case s.AccountID == "":
			t.Unknown("Cloudflare does not tell the account that the sink " + s.Name + " writes to")
		case strings.EqualFold(s.AccountID, v.Account().ID):
			t.Pass()
		default:
			t.Fail(s.Name, s.ID, check.Evidence(snapshot.PipelineSinks, "/"+s.ID+"/account_id", s.AccountID+", bucket "+s.Bucket, v.Account().ID))
		}
	}
	return t.Done(v, check.Said{None: "the account has no sink of a pipeline", Fail: "These sinks write to a bucket of another account",
		Pass: "Every sink writes to a bucket of this account."})
}
