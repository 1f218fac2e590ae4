package score_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/score"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// things writes resources as letters: P, F, W and U.
func things(letters string) []thing {
	var out []thing
	for _, l := range letters {
		out = append(out, thing{result: map[rune]posture.Result{'P': posture.Pass, 'F': posture.Fail, 'W': posture.Warning,
			'U': posture.Unknown}[l]})
	}
	return out
}

func of(severity posture.Severity) check.Check { return check.Check{Severity: severity} }

func zoneCheck(severity posture.Severity) check.Check {
	return check.Check{Severity: severity, Scope: check.PerZone}
}

// account is an account with one check for each pair of a severity and letters.
func account(pairs ...string) *world {
	w := &world{}
	for i := 0; i < len(pairs); i += 2 {
		w.add(of(posture.Severity(pairs[i])), things(pairs[i+1]))
	}
	return w
}

func TestScore(t *testing.T) {
	for _, tc := range []struct {
		name  string
		world *world
		value int
		grade string
	}{
		{"nothing judged", account("high", "U"), 0, ""},
		{"all pass", account("high", "PPP"), 100, "A"},
		{"nine of ten", account("high", "PPPPPPPPPF"), 90, "A"},
		{"a warning counts half", account("high", "PW"), 67, "D"},
		{"half of the resources", account("high", "PPFF"), 50, "F"},
		{"weights", account("critical", "F", "low", "P"), 17, "F"},
		{"informational never counts", account("informational", "FFF", "low", "P"), 100, "A"},
		{"not applicable is left out", account("high", "PPPPF", "high", ""), 80, "B"},
		{"unread counts as zero", account("high", "P", "low", "U"), 78, ""},
		{"unread of low severity too", account("critical", "P", "high", "P", "low", "U"), 89, "B"},
		{"never 100 while something is open", account("critical", "P", "critical", "P", "critical", "P", "critical", "P", "critical", "P",
			"critical", "P", "critical", "P", "critical", "P", "low", "PPPPPPPPPPPPPPPPPPPPW"), 99, "A"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := tc.world.marks(t)
			require.Equal(t, tc.value, got.Value)
			require.Equal(t, tc.grade, got.Letter())
		})
	}
}

// TestCategoryOfInformationalChecks: what passed is not drawn as the worst category.
func TestCategoryOfInformationalChecks(t *testing.T) {
	for letters, want := range map[string]int{"P": 100, "F": 0, "PPPF": 75, "U": 0} {
		got, _ := account("informational", letters).marks(t)
		require.Equal(t, want, got.ByCategory["dns"].Value, letters)
	}
}

// many is an account of n zones, each with eight good checks of all severities and a check of its names.
func many(n int, names string) *world {
	w := &world{zones: zonesOf(n)}
	for _, severity := range []posture.Severity{"critical", "critical", "high", "high", "medium", "medium", "low", "low"} {
		units := make([][]thing, n)
		for i := range units {
			units[i] = things("P")
		}
		w.add(zoneCheck(severity), units...)
	}
	units := make([][]thing, n)
	for i := range units {
		units[i] = things("PPPP")
	}
	units[0] = things(names)
	w.add(zoneCheck(posture.Critical), units...)
	return w
}

// TestHeld: an open critical finding holds the grade at C, one that is about the whole account at D, and so does
// what could not be read and may be one.
func TestHeld(t *testing.T) {
	local := func(c check.Check, kind thing) *world {
		w := many(3, "P")
		w.add(c, []thing{kind})
		return w
	}
	everywhere := many(3, "F")
	for i := range everywhere.zones {
		everywhere.checks[8].units[i] = things("PPPPPPPPF")
	}
	parked := everywhere.clone()
	parked.zones = zonesOf(3)
	parked.zones[2].Status = "pending"
	parked.checks[8].units[2] = nil
	spared := everywhere.clone()
	spared.checks[8].units[2] = things("P")
	two := many(1000, "PPF")
	two.checks[8].units[1] = things("PU")
	worst := check.Check{Severity: posture.High, Worst: posture.Critical}
	for _, tc := range []struct {
		name  string
		world *world
		grade string
		held  string
	}{
		{"one claimable name among 1,000 zones", many(1000, "PPPF"), "C", "held at C by 1 finding"},
		{"the same, and its zone is hidden", many(1000, "U"), "C", "held at C by 1 finding that could not be judged"},
		{"two, one of them unread", two, "C", "held at C by 2 findings, 1 of which could not be judged"},
		{"a warning is no open door", many(1000, "PPPW"), "A", ""},
		{"the only zone", many(1, "PPPPPPPPF"), "C", "held at C by 1 finding"},
		{"every zone", everywhere, "D", "held at D by 3 findings"},
		{"every zone that is in service", parked, "D", "held at D by 2 findings"},
		{"all zones but one", spared, "C", "held at C by 2 findings"},
		{"worse than its check", local(worst, thing{posture.Fail, posture.Critical, 1}), "C", "held at C by 1 finding"},
		{"less bad than its check", local(of(posture.Critical), thing{posture.Fail, posture.High, 1}), "B", ""},
		{"unread, and might be worse than its check", local(worst, thing{posture.Unknown, "", 1}), "C",
			"held at C by 1 finding that could not be judged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, marks := tc.world.marks(t)
			require.Equal(t, tc.grade, got.Letter(), got.Value)
			require.Equal(t, tc.held, got.Held)
			require.Less(t, got.Value, 100)
			if tc.held == "" {
				require.Empty(t, got.HeldBy)
				return
			}
			require.NotEmpty(t, got.HeldBy)
			require.Subset(t, got.HeldBy, marks[0].HeldBy)
			require.GreaterOrEqual(t, marks[0].Letter(), "C", "the zone with the finding")
			if n := len(marks) - 1; n > 1 && tc.world.zones[n].Status == "active" && len(tc.world.checks[8].units[n]) == 4 {
				require.Equal(t, "A", marks[n].Letter(), "a zone without one")
			}
		})
	}
}

// TestAccountItself: what is about the account, its members and tokens holds at D.
func TestAccountItself(t *testing.T) {
	for kind, grade := range map[posture.ResourceType]string{posture.ResourceAccount: "D", posture.ResourceMember: "D",
		posture.ResourceToken: "D", posture.ResourceRule: "D", posture.ResourceAccessApp: "C", posture.ResourceBucket: "C",
		posture.ResourceWorker: "C", posture.ResourceTunnel: "C"} {
		w := many(2, "P")
		ev, refs := w.evaluation(t)
		for i := range ev.Findings {
			if f := &ev.Findings[i]; f.CheckID == "CFL-T-000" && f.Resource.ZoneID == "z0000" {
				f.Result, f.Resource = posture.Fail, &posture.Resource{Type: kind, ID: "x"}
			}
		}
		got, _, _ := score.Of(ev, refs)
		require.Equal(t, grade, got.Letter(), kind)
		require.Equal(t, "held at "+grade+" by 1 finding", got.Held)
	}
}

// TestHiding holds the cases by which the score could be flattered: what was 77 C became 88 B when the worst checks
// could not be read, and 99 A without the small failing ones.
func TestHiding(t *testing.T) {
	bad := func() *world {
		return account("critical", "P", "critical", "P", "critical", "P", "critical", "P", "high", "P", "high", "P", "high", "P",
			"critical", "F", "high", "F", "medium", "P", "medium", "P", "low", "F", "low", "F")
	}
	before, _ := bad().marks(t)
	require.Equal(t, 77, before.Value)
	require.Equal(t, "C", before.Letter())
	hide := func(which ...int) posture.Score {
		w := bad()
		for _, i := range which {
			w.checks[i].blind[0] = true
		}
		s, _ := w.marks(t)
		return s
	}
	worst := hide(7, 8)
	require.Equal(t, before.Value, worst.Value)
	require.Equal(t, before.Letter(), worst.Letter())
	small := hide(11, 12)
	require.Equal(t, before.Value, small.Value)
	require.Equal(t, before.Letter(), small.Letter())
	all := hide(7, 8, 11, 12)
	require.Equal(t, before.Value, all.Value)
	require.Empty(t, all.Letter())
	require.Equal(t, "76 % of what counts could be judged, and a grade needs 80 %", all.Withheld)
}

func TestWithheld(t *testing.T) {
	for _, tc := range []struct {
		name     string
		world    *world
		withheld string
	}{
		{"eighty percent", account("high", "PPPPU"), ""},
		{"weight counts and not number", account("critical", "P", "critical", "P", "low", "U", "low", "U"), ""},
		{"less", account("critical", "PPPU"), "75 % of what counts could be judged, and a grade needs 80 %"},
		{"one that weighs much", account("critical", "U", "low", "P", "low", "P", "low", "P"),
			"37 % of what counts could be judged, and a grade needs 80 %"},
		{"nothing", account("informational", "P"), "nothing that counts could be judged"},
	} {
		got, _ := tc.world.marks(t)
		require.Equal(t, tc.withheld, got.Withheld, tc.name)
		require.Equal(t, tc.withheld == "", got.Grade != nil, tc.name)
	}
}

// TestLifts: what is worth most comes first, and of what has a remedy what takes the fewest changes.
func TestLifts(t *testing.T) {
	w := account("critical", "P", "high", "FF", "medium", "F", "critical", "U", "low", "F", "informational", "F", "low", "W")
	w.checks[1].Remedy, w.checks[2].Remedy = &propose.Remedy{}, &propose.Remedy{}
	got, _ := w.marks(t)
	var most, easiest []string
	for _, l := range got.Lifts.Most {
		most = append(most, l.CheckID)
	}
	for _, l := range got.Lifts.Easiest {
		easiest = append(easiest, l.CheckID)
	}
	require.Equal(t, []string{"CFL-T-001", "CFL-T-002", "CFL-T-004", "CFL-T-006"}, most)
	require.Equal(t, []string{"CFL-T-002", "CFL-T-001"}, easiest)
	w.checks[1].units[0] = things("PP")
	then, _ := w.marks(t)
	require.InDelta(t, got.Lifts.Most[0].Points, float64(then.Value-got.Value), 1)
	require.Equal(t, 2, got.Lifts.Most[0].Findings)
}

func TestCoverageNamesPermissions(t *testing.T) {
	got := score.Coverage([]posture.CheckTally{{Pass: 3, Unknown: 1}}, []posture.Verdict{
		{Rule: &posture.Rule{CheckID: "B"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "A"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "A"}, Result: posture.Unknown, Permission: "Zone: DNS Read"},
		{Rule: &posture.Rule{CheckID: "C"}, Result: posture.Unknown},
		{Rule: &posture.Rule{CheckID: "D"}, Result: posture.Fail, Permission: "x"},
	})
	require.InDelta(t, 75, got.Percent, 0.01)
	nearly := score.Coverage([]posture.CheckTally{{Pass: 25286, Unknown: 11}}, nil)
	require.InDelta(t, 99.9, nearly.Percent, 0.01, "100 only when all was judged")
	require.Equal(t, []posture.MissingPermission{{Permission: "Zone: DNS Read", CheckIDs: []string{"A", "B"}}}, got.MissingPermissions)
}
