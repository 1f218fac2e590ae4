package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

// tried is what a plan of Terraform opens, with names that strangers chose.
func tried(names []string) whatif.WhatIf {
	e := whatif.WhatIf{AssessmentID: "a", Causes: map[string][]int{}}
	e.Score.Before.Value, e.Score.After.Value = 80, 71
	for i, name := range names {
		id := strings.Repeat("f", 1+i%9) + name
		e.Applied = append(e.Applied, whatif.Applied{Change: whatif.ChangeRef{Address: "cloudflare_dns_record." + name}})
		e.Findings.Appear = append(e.Findings.Appear, drift.Difference{ID: id, CheckID: "CFL-DNS-002", Severity: posture.High, Title: name,
			Message: "The record " + name + " is not proxied.", Resource: posture.Resource{Type: posture.ResourceDNSRecord, ID: id, Name: name},
			After: posture.Fail})
		e.Causes[id] = []int{i}
		e.Paths.Appear = append(e.Paths.Appear, posture.AttackPath{ID: id, Severity: posture.Critical, Title: name})
		e.NotJudged = append(e.NotJudged, whatif.NotJudged{Address: name, Type: "cloudflare_x", Why: "nobody knows " + name})
		e.Undecided = append(e.Undecided, whatif.Doubt{What: name, Why: "known after apply"})
	}
	return e
}

func TestWhatIfAsAComment(t *testing.T) {
	e := tried([]string{"shop | <b>"})
	e.NotJudged, e.Undecided = nil, nil
	var b strings.Builder
	require.NoError(t, export.WriteWhatIf(&b, e))
	require.Equal(t, "### Edgeposture: 1 change, 1 opened, 0 closed\n\nScore 80 now, 71 after.\n\n**These changes open**\n\n"+
		"| Severity | Finding | On | By | Check |\n| --- | --- | --- | --- | --- |\n| high | The record shop &#124; \\<b\\> is not proxied. | "+
		"shop &#124; \\<b\\> | `cloudflare_dns_record.shop `&#124;` <b>` | `CFL-DNS-002` |\n\n**New attack paths**\n\n"+
		"- critical: shop &#124; \\<b\\>\n",
		b.String())
	b.Reset()
	require.NoError(t, export.WriteWhatIf(&b, tried(exporttest.Names(500))))
	require.Less(t, b.Len(), 64_000)
	require.Empty(t, foreign(t, []byte(b.String())))
}

func TestWhatIfAsSARIF(t *testing.T) {
	at := func(string) export.Declared { return export.Declared{File: "edge/main.tf", Line: 12} }
	var b bytes.Buffer
	for _, names := range [][]string{nil, exporttest.Names(500)} {
		b.Reset()
		require.NoError(t, export.WriteWhatIfSARIF(&b, tried(names), at))
		conforms(t, sarifSchema(t), b.Bytes())
		r := openSARIF(t, b.Bytes())
		require.Len(t, r.Runs[0].Results, len(names))
		for _, got := range r.Runs[0].Results {
			require.Equal(t, "edge/main.tf", *got.Locations[0].PhysicalLocation.ArtifactLocation.URI)
			require.Equal(t, 12, *got.Locations[0].PhysicalLocation.Region.StartLine)
		}
	}
}
