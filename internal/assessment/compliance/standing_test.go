package compliance

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

var update = flag.Bool("update", false, "rewrite golden files")

func standingNames() []string {
	return []string{"not run", "not applicable", "unread", "partly read", "passed", "warned", "failed"}
}

func TestStandingOfATally(t *testing.T) {
	for _, tc := range []struct {
		tally posture.CheckTally
		want  standing
	}{
		{posture.CheckTally{}, notRun},
		{posture.CheckTally{NotApplicable: 3}, inapplicable},
		{posture.CheckTally{Unknown: 1}, unread},
		{posture.CheckTally{Unknown: 1, NotApplicable: 5}, unread},
		{posture.CheckTally{Pass: 9, Unknown: 1}, partlyRead},
		{posture.CheckTally{Pass: 1}, passed},
		{posture.CheckTally{Pass: 1, NotApplicable: 1}, passed},
		{posture.CheckTally{Pass: 9, Warning: 1, Unknown: 4}, warned},
		{posture.CheckTally{Warning: 1}, warned},
		{posture.CheckTally{Pass: 9, Warning: 1, Fail: 1, Unknown: 4, NotApplicable: 1}, failed},
	} {
		require.Equal(t, tc.want, standingOf(tc.tally), "%+v", tc.tally)
	}
}

// ruled is the status when a check that shows the control passed.
func ruled(c [standingCount]int) Status { return statusOf(c, true) }

// TestOnlyWhatShowsMakesAPass: without it a pass is partial, and nothing else changes.
func TestOnlyWhatShowsMakesAPass(t *testing.T) {
	passes := 0
	combinations(func(_ func(standing) bool, counts [standingCount]int, name string) {
		want := ruled(counts)
		if want == Pass {
			passes++
			want = Partial
		}
		require.Equal(t, want, statusOf(counts, false), name)
	})
	require.Positive(t, passes)
}

// combinations gives every set of standings; bit i stands for standing i.
func combinations(each func(has func(standing) bool, counts [standingCount]int, name string)) {
	for set := range 1 << standingCount {
		var counts [standingCount]int
		var names []string
		for s := range standingCount {
			if set>>s&1 == 1 {
				counts[s] = 1
				names = append(names, standingNames()[s])
			}
		}
		each(func(s standing) bool { return set>>s&1 == 1 }, counts, strings.Join(names, " + "))
	}
}

// lies lists the combinations of which a rule says what is not so.
func lies(rule func([standingCount]int) Status) []string {
	var out []string
	combinations(func(has func(standing) bool, counts [standingCount]int, name string) {
		got := rule(counts)
		judged := has(passed) || has(partlyRead) || has(warned) || has(failed)
		wrong := got == Pass && (!has(passed) || has(unread) || has(partlyRead) || has(warned) || has(failed)) ||
			got == Fail && (!has(failed) || has(passed) || has(partlyRead)) ||
			got == Partial && !judged ||
			got == NotAssessed && judged ||
			got == NotApplicable && (!has(inapplicable) || has(unread) || judged)
		if wrong {
			out = append(out, name+": "+string(got))
		}
	})
	return out
}

// TestUnreadIsNeitherPassNorFail tries every combination, and shows with three
// rules that are wrong on purpose that a lie would be noticed.
func TestUnreadIsNeitherPassNorFail(t *testing.T) {
	require.Empty(t, lies(ruled))
	for name, rule := range map[string]func([standingCount]int) Status{
		"unread counts as passed": func(c [standingCount]int) Status {
			c[passed], c[unread] = c[passed]+c[unread], 0
			return ruled(c)
		},
		"partly read counts as passed": func(c [standingCount]int) Status {
			c[passed], c[partlyRead] = c[passed]+c[partlyRead], 0
			return ruled(c)
		},
		"unread counts as failed": func(c [standingCount]int) Status {
			c[failed], c[unread] = c[failed]+c[unread], 0
			return ruled(c)
		},
	} {
		require.NotEmpty(t, lies(rule), name)
	}
}

// TestEveryCombination pins the status of each of the 128 sets of standings.
func TestEveryCombination(t *testing.T) {
	var b strings.Builder
	combinations(func(_ func(standing) bool, counts [standingCount]int, name string) {
		b.WriteString(string(ruled(counts)) + "\t" + name + "\n")
	})
	const file = "testdata/status.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// TestNumbersDoNotMatter: a status hangs on which standings there are, not on how many.
func TestNumbersDoNotMatter(t *testing.T) {
	combinations(func(_ func(standing) bool, counts [standingCount]int, name string) {
		once := ruled(counts)
		for s := range counts {
			counts[s] *= 7
		}
		require.Equal(t, once, ruled(counts), name)
	})
}
