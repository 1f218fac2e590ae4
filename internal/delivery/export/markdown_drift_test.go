package export_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

func TestDriftAsAComment(t *testing.T) {
	one := func(title string) drift.Difference {
		return drift.Difference{CheckID: "CFL-SSL-001", Severity: posture.High, Title: title}
	}
	d := drift.Drift{ScoreDelta: new(-4), Current: drift.Ref{Score: 71}, New: []drift.Difference{one("shop.example | uses <b>Flexible</b>")},
		Resolved: []drift.Difference{one("old.example")}, Unknown: []drift.Difference{one("blind.example")}}
	var b strings.Builder
	require.NoError(t, export.WriteDrift(&b, d))
	require.Equal(t, "### Edgeposture: 1 new, 0 regressed, 1 resolved\n\nScore 71 of 100 (down by 4). 1 finding could not be judged this "+
		"time; they may still be there.\n\n**New or regressed**\n\n"+
		"| Severity | Finding | Check |\n| --- | --- | --- |\n| high | shop.example &#124; uses "+
		"\\<b\\>Flexible\\</b\\> | `CFL-SSL-001` |\n\n**Resolved**\n\n| Severity | Finding | Check |\n| --- | --- | --- |\n| high | "+
		"old.example | `CFL-SSL-001` |\n", b.String())
	for range 9000 {
		d.New = append(d.New, one(strings.Repeat("very long name ", 20)))
	}
	b.Reset()
	require.NoError(t, export.WriteDrift(&b, d))
	require.Less(t, b.Len(), 60_000)
	require.Contains(t, b.String(), "and 8951 more.")

	// What is cut off is the least severe, whichever list it comes from.
	worse, accepted := one("worse.example"), one("accepted.example")
	worse.Severity, accepted.Severity, accepted.Exception = posture.Critical, posture.Critical, "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"
	worse.Reason = "could not be read before"
	d.Regressed = []drift.Difference{worse, accepted}
	b.Reset()
	require.NoError(t, export.WriteDrift(&b, d))
	require.Contains(t, b.String(), "| --- | --- | --- |\n| critical | worse.example (could not be read before) | `CFL-SSL-001` |\n"+
		"| critical | accepted.example (risk accepted) |")
}
