// Package script holds the checks of code that runs in the pages of a zone or on
// its requests: client-side security, challenges, the tag manager and snippets.
package script

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const (
	docsClientSide = "https://developers.cloudflare.com/client-side-security/get-started/"
	docsTurnstile  = "https://developers.cloudflare.com/turnstile/"
	docsInsights   = "https://developers.cloudflare.com/security-center/security-insights/"
	docsZaraz      = "https://developers.cloudflare.com/zaraz/"
)

// marked is an example edit that changes the status of a source.
func marked(k snapshot.Named, status snapshot.Status) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { b.Mark(k.Source(), status, "Some Read", "") }
}

// watching is an example edit of the script monitor.
func watching(on *bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePageShield, goodtest.Zone, snapshot.PageShield{Enabled: on})
	}
}

// tags is an example edit of the tag manager.
func tags(change func(*snapshot.Zaraz)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.ZoneZaraz, goodtest.Zone, change) }
}

func enabledTools(z snapshot.Zaraz) []snapshot.ZarazTool {
	return slices.DeleteFunc(slices.Clone(z.Tools), func(t snapshot.ZarazTool) bool { return !t.Enabled })
}

func toolName(t snapshot.ZarazTool) string {
	if t.Name != "" {
		return t.Name
	}
	return t.ID
}
