package assess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestSweepWhatIfEqualsReality holds what is said to follow from a change against a run after it was made: for the plan of every
// planted finding, the findings, the attack paths and the score are those of that run.
func TestSweepWhatIfEqualsReality(t *testing.T) {
	t.Parallel()
	var told, undecided atomic.Int64
	eachRemedied(t, func(t *testing.T, c check.Check, w *workshop, before *snapshot.Snapshot, kept change.Kept, b change.Bundle) {
		steps := whatif.Steps(kept.Steps)
		for i := range steps {
			steps[i].Call.Body = withID(steps[i].Call, b.Entries[i].Landed)
		}
		_, after, err := whatif.Judge(before, checks.All(), policy.Default()).After(steps)
		require.NoError(t, err)
		real, _ := w.assess()
		told.Add(1)
		undecided.Add(int64(untrue(t, c.ID, after, whatif.Judge(real, checks.All(), policy.Default()))))
		whole := whatif.Judge(after.Snapshot(), checks.All(), policy.Default())
		require.Equal(t, spelled(whole), spelled(after), "judging a part equals judging all")
	})
	t.Logf("%d plans told, %d things undecided", told.Load(), undecided.Load())
}

// untrue compares a state that was told with what a run after the changes finds. What the state leaves undecided, because only
// a read after the change would show it, is counted.
func untrue(t *testing.T, name string, told, real *whatif.State) (undecided int) {
	t.Helper()
	want, have := spelled(real), spelled(told)
	keys := slices.SortedFunc(maps.Keys(want), func(a, b string) int { return cmp.Compare(hangs(a), hangs(b)) })
	for _, key := range keys {
		s := want[key]
		switch h := have[key]; {
		case h == s:
		case unread(h):
			undecided++
		case h == "" && slices.ContainsFunc(slices.Collect(maps.Values(have)), func(of string) bool {
			return strings.HasPrefix(of, s[:strings.IndexByte(s, ' ')+1]) && unread(of)
		}): // the verdict on all of them, where one is not known
			undecided++
		case hangs(key) > 0 && undecided > 0:
		default:
			t.Errorf("%s: the run finds %q, told was %q", name, s, h)
		}
	}
	for key, h := range have {
		if want[key] == "" && !unread(h) {
			t.Errorf("%s: told was %q, which the run does not find", name, h)
		}
	}
	return undecided
}

// hangs tells the paths, and after them the score, from the findings that they hang on.
func hangs(key string) int {
	switch {
	case key == "":
		return 2
	case strings.HasPrefix(key, "path "):
		return 1
	default:
		return 0
	}
}

func unread(told string) bool {
	return slices.ContainsFunc([]string{"once the change is made is not known", "was not read in this run", "was not asked after the change",
		"exists is not known"},
		func(why string) bool { return strings.Contains(told, why) })
}

// spelled spells a state out: each finding, each attack path and the score.
func spelled(s *whatif.State) map[string]string {
	out := map[string]string{"": "score " + string(change.Encode(s.Score()))}
	for _, f := range s.Findings() {
		key := fmt.Sprintf("%s %s %s %s", f.CheckID, f.Resource.Type, f.Resource.ID, f.Resource.ZoneID)
		out[key] = fmt.Sprintf("%s %s %s %s", key, f.Result, f.Severity, cmp.Or(f.Reason, f.Message))
	}
	for _, p := range s.Paths() {
		out["path "+p.ID] = string(change.Encode(p))
	}
	return out
}

// withID gives what a call makes the id that the provider gave it, which nobody can tell.
func withID(call change.Call, landed json.RawMessage) json.RawMessage {
	var made, body map[string]any
	if json.Unmarshal(landed, &made) != nil || json.Unmarshal(call.Body, &body) != nil {
		return call.Body
	}
	sent, _ := body["rules"].([]any)
	if made["phase"] != nil && body["rules"] == nil && call.Method == http.MethodPost {
		sent = []any{body}
	}
	rules, _ := made["rules"].([]any)
	if made["ref"] != nil {
		rules = []any{made} // a plan shows the rule that it made
	}
	for _, s := range sent {
		for _, r := range rules {
			if rule, is := s.(map[string]any); is && rule["id"] == nil && rule["description"] == r.(map[string]any)["description"] {
				rule["id"] = r.(map[string]any)["id"]
			}
		}
	}
	given, _ := made["policies"].([]any)
	inline, _ := body["policies"].([]any)
	for i, p := range inline {
		if policy, is := p.(map[string]any); is && policy["id"] == nil && len(given) == len(inline) {
			policy["id"] = given[i].(map[string]any)["id"]
		}
	}
	if call.Method == http.MethodPost && made["phase"] == nil && body["id"] == nil && made["id"] != nil {
		body["id"] = made["id"]
	}
	return change.Encode(body)
}

// TestSweepEditableKeepsWhatIsThere goes through what is wrong with the demo account: the calls that a finding offers to edit write what
// it looks at and leave all of it as it is.
func TestSweepEditableKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	cloud := simulatedDemo(demoTime)
	snap := resolved(t, cloud, readThrough(t, cloud, direct{cloud}, posture.AssessRequest{}, demoTime, nil))
	before := whatif.Judge(snap, checks.All(), policy.Default())
	wrong, offered := map[string]bool{}, map[string]string{}
	for _, f := range posture.Findings(before.Findings()) {
		if f.Result != posture.Fail && f.Result != posture.Warning {
			continue
		}
		wrong[f.CheckID] = true
		for _, c := range whatif.Editable(snap, f.Worded()) {
			out, _, err := before.After([]whatif.Step{{Call: c}})
			require.NoError(t, err, "%s %s", f.CheckID, c.Path)
			for _, d := range slices.Concat(out.Findings.Appear, out.Findings.Resolve, out.Findings.Worsen, out.Findings.Improve) {
				require.Contains(t, []string{"CFL-DNS-011", "CFL-WAF-008"}, d.CheckID, "%s %s: these count from when it was last written",
					f.CheckID, c.Path)
			}
			offered[f.CheckID] = c.Method + " " + c.Path + " " + string(c.Body)
		}
	}
	for _, id := range []string{"CFL-SSL-005", "CFL-DNS-002", "CFL-WAF-010", "CFL-WAF-007", "CFL-RULES-001", "CFL-CFRULE-001", "CFL-ZT-008",
		"CFL-BOT-002"} {
		require.NotEmpty(t, offered[id], id)
	}
	require.Regexp(t, `^PATCH /zones/\w+/rulesets/\w+/rules/\w+ {"action":"redirect",.*"expression":`, offered["CFL-RULES-001"])
	require.Contains(t, offered["CFL-CFRULE-001"], `"action_parameters":{`)
	t.Logf("%d of %d checks that find something offer to edit it", len(offered), len(wrong))
}
