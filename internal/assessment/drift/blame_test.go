package drift

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestProductsBelongToCategories(t *testing.T) {
	for _, c := range posture.Categories() {
		require.NotEmpty(t, productWords()[c], c)
	}
	require.Len(t, productWords(), len(posture.Categories()))
	for c, words := range productWords() {
		for _, w := range words {
			require.Equal(t, snapshot.ProductWords(w), w)
			require.Contains(t, categoriesOf(w), c, w)
		}
	}
	for product, want := range map[string][]posture.Category{
		"dns_records": {"attack-surface", "dns", "email"}, "DNS-Firewall": {"dns-firewall"}, "dns firewall clusters": {"dns-firewall"},
		"cfd_tunnel": {"tunnels"}, "magic_firewall": {"magic"},
		"members": {"account"}, "": nil, "something else": nil, "adns": nil, "account_rulesets": {"account-waf", "ddos", "rules", "waf"},
	} {
		require.Equal(t, want, categoriesOf(product), product)
	}
}

func FuzzCategoriesOf(f *testing.F) {
	f.Add("dns_records")
	f.Add("Zone.Settings")
	f.Fuzz(func(t *testing.T, product string) {
		defer fuzztest.Bound(t)()
		got := categoriesOf(product)
		if len(got) != len(categoriesOf(" "+snapshot.ProductWords(product)+"\t")) {
			t.Fatalf("%q: the categories hang on spacing", product)
		}
	})
}

func TestBlame(t *testing.T) {
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	at := func(hour string) string { return "2026-01-01T" + hour + ":00:00Z" }
	type m = posture.Modification
	dns := func(hour, actor, zone, id string) m {
		return m{At: at(hour), Actor: actor, Action: "update", Via: "dash", Product: "dns_records", ZoneID: zone, ResourceID: id}
	}
	record := posture.Resource{Type: posture.ResourceDNSRecord, ID: "r", ZoneID: "z"}
	zone := posture.Resource{Type: posture.ResourceZone, ID: "z", ZoneID: "z"}
	rule := posture.Resource{Type: posture.ResourceRule, ID: "u", ZoneID: "z"}
	member := posture.Resource{Type: posture.ResourceMember, ID: "m"}
	account := posture.Resource{Type: posture.ResourceAccount, ID: "acc"}
	for _, tc := range []struct {
		name     string
		log      []m
		resource posture.Resource
		category posture.Category
		want     []string // actor and hour
	}{
		{"nothing", nil, record, "dns", nil},
		{"the very record", []m{dns("05", "ann", "z", "r")}, record, "dns", []string{"ann 05"}},
		{"the newest of one person", []m{dns("05", "ann", "z", "r"), dns("07", "ann", "z", "r")}, record, "dns", []string{"ann 07"}},
		{"two people", []m{dns("05", "ann", "z", "r"), dns("07", "bob", "z", "r"), dns("06", "ann", "z", "r")}, record, "dns",
			[]string{"bob 07", "ann 06"}},
		{"four people, three are named", []m{dns("01", "ann", "z", "r"), dns("02", "bob", "z", "r"), dns("03", "cid", "z", "r"),
			dns("04", "dan", "z", "r")}, record, "dns", []string{"dan 04", "cid 03", "bob 02"}},
		{"nobody named counts as somebody", []m{dns("05", "", "z", "r"), dns("07", "bob", "z", "r")}, record, "dns", []string{"bob 07", " 05"}},
		{"the record goes before its zone", []m{dns("05", "ann", "z", "r"), dns("07", "bob", "z", "")}, record, "dns", []string{"ann 05"}},
		{"the zone and the product", []m{dns("05", "ann", "z", "")}, record, "dns", []string{"ann 05"}},
		{"another record of the zone", []m{dns("05", "ann", "z", "s")}, record, "dns", nil},
		{"a record, and the zone is judged", []m{dns("05", "ann", "z", "s")}, zone, "dns", []string{"ann 05"}},
		{"a record, and mail is judged", []m{dns("05", "ann", "z", "s")}, zone, "email", []string{"ann 05"}},
		{"another product", []m{dns("05", "ann", "z", "s")}, zone, "ssl", nil},
		{"another product on the zone itself", []m{dns("05", "ann", "", "z")}, zone, "ssl", nil},
		{"the product on the zone itself", []m{dns("05", "ann", "", "z")}, zone, "dns", []string{"ann 05"}},
		{"another zone", []m{dns("05", "ann", "y", "")}, record, "dns", nil},
		{"a ruleset, and its rule is judged", []m{{At: at("05"), Actor: "ann", Product: "rulesets", ZoneID: "z", ResourceID: "ruleset"}}, rule,
			"waf", []string{"ann 05"}},
		{"a member", []m{{At: at("05"), Actor: "ann", Product: "odd", ResourceID: "m"}}, member, "account", []string{"ann 05"}},
		{"the account by another product", []m{{At: at("05"), Actor: "ann", Product: "logpush", ResourceID: "acc"}}, account, "account", nil},
		{"the account by its product", []m{{At: at("05"), Actor: "ann", Product: "account_settings", ResourceID: "acc"}}, account, "account",
			[]string{"ann 05"}},
		{"no zone never matches no zone", []m{{At: at("05"), Actor: "ann", Product: "members"}}, member, "account", nil},
		{"before the baseline", []m{{At: "2025-12-31T23:59:59Z", ResourceID: "r"}}, record, "dns", nil},
		{"after the current run began", []m{{At: "2026-01-02T00:00:01Z", ResourceID: "r"}}, record, "dns", nil},
		{"with an offset", []m{{At: "2026-01-01T00:30:00+01:00", Actor: "ann", ResourceID: "r"}}, record, "dns", nil},
		{"no instant", []m{{At: "yesterday", ResourceID: "r"}}, record, "dns", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, c := range newLog(tc.log, from, to).blame(tc.resource, tc.category) {
				when, err := time.Parse(time.RFC3339, c.At)
				require.NoError(t, err)
				got = append(got, c.Actor+" "+when.Format("15"))
			}
			require.Equal(t, tc.want, got)
			require.Empty(t, newLog(tc.log, to, from).blame(tc.resource, tc.category), "the baseline is the newer one")
		})
	}
}
