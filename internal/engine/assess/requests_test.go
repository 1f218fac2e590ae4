package assess

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

var update = flag.Bool("update", false, "rewrite golden files")

// bare is an account that uses no optional product.
func bare(plans ...string) simcloud.AccountSpec {
	return simcloud.AccountSpec{Clean: true, Plain: true, Plans: plans, Zones: 2, RecordsPerZone: 5,
		Apps: -1, Buckets: -1, Workers: -1, Tunnels: -1, Namespaces: -1, Databases: -1, Queues: -1, Lists: -1}
}

// cost counts the requests of a run: those of one zone as the difference a
// second zone makes, and those of the account as the rest.
func cost(t *testing.T, spec simcloud.AccountSpec, req posture.AssessRequest, now func() time.Time) (account, zone int) {
	t.Helper()
	total := func(zones int) int {
		spec.Zones = zones
		cloud := simcloud.New(simcloud.Options{Seed: 4, Now: now, Limit: simcloud.Limit{Disabled: true},
			Accounts: []simcloud.AccountSpec{spec}})
		readThrough(t, cloud, unlisted(t, cloud, now), req, now, nil)
		return cloud.Requests().Total
	}
	two, three := total(2), total(3)
	return two - 2*(three-two), three - two
}

// unlisted is the simulated provider, which no longer lists the settings of a zone since Cloudflare does not, nor may be
// asked to.
func unlisted(t *testing.T, cloud *simcloud.Cloud, now func() time.Time) http.RoundTripper {
	list := regexp.MustCompile(`/zones/[^/]+/settings$`)
	return otherwise{direct{cloud}, func(r *http.Request, _ []byte) (int, []byte) {
		if !list.MatchString(r.URL.Path) || now().Before(endOfSettings()) {
			return 0, nil
		}
		t.Errorf("%s is asked for", r.URL.Path)
		return http.StatusNotFound, refused(7000, "No route for that URI")
	}}
}

// endOfSettings is when Cloudflare ends the list of settings, by its changelog.
func endOfSettings() time.Time { return time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC) }

// TestSweepRequestsPerRun pins what a run costs in provider requests, the currency
// of everything here; -update writes the table anew.
func TestSweepRequestsPerRun(t *testing.T) {
	full, core := posture.AssessRequest{}, posture.AssessRequest{Profile: posture.ProfileCore}
	var b strings.Builder
	fmt.Fprintf(&b, "%-44s %8s %8s\n", "run", "account", "per zone")
	when := simNow
	row := func(name string, spec simcloud.AccountSpec, req posture.AssessRequest, mostAccount, mostZone int) {
		account, zone := cost(t, spec, req, when)
		fmt.Fprintf(&b, "%-44s %8d %8d\n", name, account, zone)
		require.LessOrEqual(t, account, mostAccount, name)
		require.LessOrEqual(t, zone, mostZone, name)
	}
	// Account figures of the catalogue, with what the first zone asks for to see which permissions work, and what the plan
	// adds to a zone.
	limits := map[string][2]int{"free": {23, 15}, "pro": {27, 19}, "business": {29, 21}, "enterprise": {35, 24}}
	for _, plan := range []string{"free", "pro", "business", "enterprise"} {
		row(plan+", nothing optional in use, full", bare(plan), full, 70, limits[plan][0])
		row(plan+", nothing optional in use, core", bare(plan), core, 44, limits[plan][1])
	}
	used := simcloud.AccountSpec{Clean: true, RecordsPerZone: 5}
	used.Plans = []string{"enterprise"}
	row("enterprise, every product in use, full", used, full, 140, 59)
	row("enterprise, every product in use, core", used, core, 140, 36)
	for _, category := range posture.Categories() {
		most := 58
		if category == "dns" {
			most = 3
		}
		row("enterprise, categories="+string(category), bare("enterprise"), posture.AssessRequest{Categories: []string{string(category)}}, 47,
			most)
	}
	when = endOfSettings
	singly := map[string][2]int{"free": {24, 20}, "pro": {44, 36}, "business": {46, 38}, "enterprise": {52, 41}}
	for _, plan := range []string{"free", "pro", "business", "enterprise"} {
		row(plan+", full, settings singly", bare(plan), full, 70, singly[plan][0])
		row(plan+", core, settings singly", bare(plan), core, 44, singly[plan][1])
	}
	row("enterprise, all in use, full, settings singly", used, full, 140, 75)
	row("enterprise, all in use, core, settings singly", used, core, 140, 53)
	path := filepath.Join("testdata", "requests.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
	t.Log("\n" + b.String())
}
