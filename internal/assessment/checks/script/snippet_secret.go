package script

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// snippetSecret finds credentials in the code of snippets. It uses the properties recorded while
// the code was read: no line of it ever gets here.
func snippetSecret() check.Check {
	return check.Check{
		ID: "CFL-SNIPPET-001", Title: "Snippets hold no secret",
		Category: "snippets", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans: []string{"pro", "business", "enterprise"},
		Why:   "The code of a Snippet can be read by everyone with read access to the zone, and holds no secrets.",
		Fix:   "Move the value to a Worker secret, then revoke the old value and issue a new one.",
		Words: posture.Words{
			Problem: "A Snippet of {zone} holds a credential",
			Impact:  "Anyone who may read the zone, or an export of it, can use the credential.",
			Breaks:  "What uses the old value, until it has the new one.",
			Dashboard: "Rules › Snippets: take the value out; Workers & Pages › the Worker › Settings › Variables and Secrets: add " +
				"it as a secret.",
		},
		References: []string{"Cloudflare docs: Snippets"},
		Controls: check.Controls{
			check.Supports("cis 3.11", "Secrets are not stored in the text of snippets."),
			check.Supports("soc2 CC6.1", "Whoever may look at a snippet reads no credential."),
			check.Supports("pci 8.6.2", "Passwords and keys are not hard-coded in snippets."),
			check.Supports("nist PR.DS-01", "Secrets are kept where they are protected."),
		},
		Aliases:  []string{"flareinspect:CFL-SNIPPET-001"},
		Needs:    []snapshot.Named{snapshot.ZoneSnippets, snapshot.SnippetContent},
		Unless:   check.Empty(snapshot.ZoneSnippets, "the zone has no snippet"),
		Evaluate: evaluateSnippetSecret,
	}
}

func snippetSecretExamples() []goodtest.Example {
	scan := func(hits ...snapshot.SnippetHit) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.SnippetContent, goodtest.Zone+"/add_header", snapshot.SnippetScan{Hits: hits})
		}
	}
	return []goodtest.Example{
		{Name: "nothing found", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a key", Want: posture.Fail, Resource: goodtest.Zone, Edit: scan(snapshot.SnippetHit{Kind: "aws-access-key", Line: 3},
			snapshot.SnippetHit{Line: 4})},
		{Name: "a long literal under a telling name", Want: posture.Warning, Resource: goodtest.Zone, Edit: scan(snapshot.SnippetHit{Line: 7})},
		{Name: "no snippet", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSnippets, goodtest.Zone, []snapshot.Snippet{})
		}},
		{Name: "the code of one is not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Set(snapshot.Section{Source: snapshot.SnippetContent.Source(), Scope: goodtest.Zone + "/other", Status: snapshot.Denied,
				Permission: "Snippets Read"})
		}},
		{Name: "a key in one, and the code of another was never read", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Edits(scan(snapshot.SnippetHit{Kind: "aws-access-key", Line: 3}), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneSnippets, goodtest.Zone, []snapshot.Snippet{{Name: "add_header"}, {Name: "other"}})
			})},
		{Name: "a literal in one, and the code of another was never read", Want: posture.Unknown,
			Edit: goodtest.Edits(scan(snapshot.SnippetHit{Line: 7}), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneSnippets, goodtest.Zone, []snapshot.Snippet{{Name: "add_header"}, {Name: "other"}})
			})},
		{Name: "the code of one was never read", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSnippets, goodtest.Zone, []snapshot.Snippet{{Name: "add_header"}, {Name: "other"}})
		}},
		{Name: "a snippet of another zone", Want: posture.Pass, Resource: goodtest.Zone, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.SnippetContent, "another/add_header",
				snapshot.SnippetScan{Hits: []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 1}}})
		}},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Plan("free"),
			scan(snapshot.SnippetHit{Kind: "aws-access-key", Line: 3}))},
	}
}

func evaluateSnippetSecret(v *check.View) check.Outcome {
	read := map[string]bool{}
	for _, scope := range v.ItemsOf(snapshot.SnippetContent) {
		read[strings.TrimPrefix(scope, v.Zone().ID+"/")] = true
	}
	var held, named check.Found
	var unread []string
	for _, s := range check.Read(v, snapshot.ZoneSnippets) {
		if !read[s.Name] {
			unread = append(unread, s.Name)
			continue
		}
		for i, h := range check.ReadAt(v, snapshot.SnippetContent, v.Zone().ID+"/"+s.Name).Hits {
			at := fmt.Sprintf("/hits/%d", i)
			if h.Kind != "" {
				held.Add(s.Name, check.Evidence(snapshot.SnippetContent, at, fmt.Sprintf("%s, line %d: a value shaped like %s", s.Name,
					h.Line, h.Kind), "no credential"))
			} else {
				named.Add(s.Name, check.Evidence(snapshot.SnippetContent, at,
					fmt.Sprintf("%s, line %d: a long literal under the name of a secret", s.Name, h.Line), "no literal"))
			}
		}
	}
	switch {
	case len(held.Names) > 0:
		return v.Fail("Snippets of "+v.Zone().Name+" hold a credential: "+check.Few(held.Names)+".", held.Rows...)
	case len(unread) > 0:
		return v.Unknown("the code of these snippets was not read: " + check.Few(unread))
	case len(named.Names) > 0:
		return v.Warn("Snippets of "+v.Zone().Name+" assign long literals to names of secrets: "+check.Few(named.Names)+".", named.Rows...).
			As(posture.Words{Problem: "A Snippet of {zone} may hold a credential"})
	}
	return v.Pass("No snippet holds a credential.")
}
