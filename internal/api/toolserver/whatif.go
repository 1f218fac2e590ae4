package toolserver

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func (t *tools) addWhatIf() {
	add[whatif.Trial, whatif.WhatIf](t, tool{name: "what_if", title: "What would follow from changes", effect: reads, judges: true,
		more: "Try fewer changes.",
		about: "Tries changes on what an assessment read: calls of Cloudflare's API, changes of a remediation plan, or a plan of Terraform. " +
			"Tells which findings and attack paths appear and go, the score before and after, and what is not known. Nothing is sent to " +
			"Cloudflare and nothing is kept."}, whatIf)
}

func whatIf(ctx context.Context, c *client.Client, in whatif.Trial) (answer, error) {
	got, err := c.WhatIf(ctx, in)
	if err != nil {
		return answer{}, err
	}
	e := got.Value
	e.Score.Before.ByCategory = map[posture.Category]posture.CategoryScore{} // the schema wants an object
	e.Score.After.ByCategory = e.Score.Before.ByCategory
	return answer{fmt.Sprintf("%s: %s, %d resolved; %d attack paths appear, %d break; score %d now, %d after.",
		english.Plural(len(e.Applied), "change", ""), english.Plural(len(e.Findings.Appear)+len(e.Findings.Worsen), "finding appears or worsens",
			"findings appear or worsen"), len(e.Findings.Resolve), len(e.Paths.Appear), len(e.Paths.Break), e.Score.Before.Value,
		e.Score.After.Value), e}, nil
}
