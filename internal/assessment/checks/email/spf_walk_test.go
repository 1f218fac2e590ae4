package email

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestRecordsThatIncludeThemselves: who publishes an included record decides how often it names others,
// and must not decide how long a run takes.
func TestRecordsThatIncludeThemselves(t *testing.T) {
	circle := "v=spf1" + strings.Repeat(" include:a.mail.test", 200) + " -all"
	b := goodtest.Snapshot()
	goodtest.Edits(spf("v=spf1 include:a.mail.test -all"), uninspected, answers("a.mail.test", "NOERROR", circle))(b)
	s, err := b.Build()
	require.NoError(t, err)
	require.Equal(t, posture.Fail, check.Run(s, []check.Check{spfStrict()}, policy.Default()).Findings[0].Result)
}

// TestIncludesAreAskedForThoughTheyWereCounted: the provider's inspection counts look-ups and does not
// say whom an included record lets send.
func TestIncludesAreAskedForThoughTheyWereCounted(t *testing.T) {
	b := goodtest.Snapshot()
	goodtest.Edits(spf("v=spf1 include:a.mail.test -all"), inspected(1))(b)
	s, err := b.Build()
	require.NoError(t, err)
	require.Contains(t, check.Questions(s, []check.Check{spfStrict()}, policy.Default()), snapshot.Question{Type: "TXT", Name: "a.mail.test"})
}
