package assess

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// astray is what somebody puts behind an id or a name, so that a path with it leads elsewhere.
const astray = "/../../../zones/other"

// misleading is a provider whose ids and names all have it.
type misleading struct{ remedy.Provider }

// Live answers what the provider has under the path without it.
func (m misleading) Live(ctx context.Context, path string, header map[string]string) (any, error) {
	path = strings.ReplaceAll(strings.ReplaceAll(path, url.PathEscape(astray), ""), astray, "")
	value, err := m.Provider.Live(ctx, path, header)
	return mislead(value), err
}

func mislead(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = mislead(v[i])
		}
	case map[string]any:
		for name, member := range v {
			text, is := member.(string)
			if is && text != "" && slices.Contains([]string{"id", "uid", "uuid", "name", "tag", "domain", "domain_name", "hostname", "zone_tag"},
				name) {
				v[name] = text + astray
			} else {
				v[name] = mislead(member)
			}
		}
	}
	return value
}

// TestSweepRemediesOfHostileNames plans every remedy where ids and names try to lead to
// another zone: no read and no call of a plan goes there.
func TestSweepRemediesOfHostileNames(t *testing.T) {
	t.Parallel()
	for i, p := range simcloud.Plants() {
		c, _ := byID(p.CheckID)
		if c.Remedy == nil || c.Remedy.Propose == nil || left(i) {
			continue
		}
		t.Run(p.CheckID+"/"+p.Variant, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t, planting(p))
			w.engine.Provider = misleading{w.engine.Provider}
			snap, findings := w.assess(c.ID)
			r := w.request(snap, findings, inputsOf(w), c.ID)
			for i := range r.Findings {
				r.Findings[i].Resource.Name += astray
				if r.Findings[i].Resource.ID != r.Findings[i].Resource.ZoneID && r.Findings[i].Resource.ID != r.Account.ID {
					r.Findings[i].Resource.ID += astray
				}
			}
			kept, err := w.engine.Plan(t.Context(), r)
			require.NoError(t, err)
			for _, s := range kept.Steps {
				require.True(t, s.Edit.Within(r.Account.ID, s.Change.Resource.ZoneID), "%s", change.Encode(s))
			}
		})
	}
}
