package explain

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// others names the products that act on the host and are not followed, as far as they are read.
func (w *walk) others() PhaseStep {
	s := PhaseStep{Phase: "not_followed", Title: "Other products", sources: []snapshot.Named{snapshot.WaitingRooms,
		snapshot.ZoneSchemaSettings, snapshot.ZoneSchemas, snapshot.ZoneTokenRules}}
	rooms, d1 := read(w, snapshot.WaitingRooms)
	schemas, d2 := read(w, snapshot.ZoneSchemas)
	settings, d3 := read(w, snapshot.ZoneSchemaSettings)
	tokens, d4 := read(w, snapshot.ZoneTokenRules)
	var found []string
	if slices.ContainsFunc(rooms, func(r snapshot.WaitingRoom) bool { return !r.Suspended && strings.EqualFold(r.Host, w.query.Host()) }) {
		found = append(found, "a waiting room")
	}
	if settings.Default == "block" && settings.Override != "none" &&
		slices.ContainsFunc(schemas, func(s snapshot.APISchema) bool { return s.Validation }) {
		found = append(found, "schema validation")
	}
	if slices.ContainsFunc(tokens, func(r snapshot.TokenValidationRule) bool {
		return r.Enabled && r.Action == "block" && (len(r.Hosts) == 0 || slices.Contains(r.Hosts, w.query.Host()))
	}) {
		found = append(found, "token validation")
	}
	if len(found) > 0 {
		return unclear(s, "what "+list(found)+" would do with the request is not worked out here", "")
	}
	for _, d := range []*traffic.Doubt{d1, d2, d3, d4} {
		if d != nil {
			return w.doubtful(s, *d)
		}
	}
	s.Outcome, s.Detail = NotConfigured, "None of those that are read is in use for this host."
	return s
}
