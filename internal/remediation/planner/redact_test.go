package planner

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestRedact(t *testing.T) {
	refs := Redact([]posture.Resource{
		{Type: posture.ResourceDNSRecord, ID: "r1", Name: "www.one.example", ZoneID: "z1", Zone: "one.example"},
		{Type: posture.ResourceZone, ID: "z2", Name: "two.example"},
		{Type: posture.ResourceZone, ID: "z1", Name: "one.example"},
		{Type: posture.ResourceDNSRecord, ID: "r1", ZoneID: "z2"},
		{Type: posture.ResourceDNSRecord, ID: "r1", ZoneID: "z1"},
		{Type: posture.ResourceBucket, ID: "payroll"},
		{Type: posture.ResourceWorker, ID: "payroll"},
		{Type: "payroll.example", ID: "x"},
		{Type: posture.ResourceAccount, ID: "acme", Name: "Acme Inc."},
	})
	var got []string
	for _, r := range refs {
		got = append(got, strings.TrimSpace(r.String()+" "+r.Zone()))
	}
	require.Equal(t, []string{"record-1 zone-1", "zone-2", "zone-1", "record-2 zone-2", "record-1 zone-1", "bucket-1", "worker-1",
		"resource-1", "account-1"}, got)
	require.Empty(t, Ref{}.String())
	require.Empty(t, Ref{}.Zone())
	require.Empty(t, Redact(nil))
}

// canaries makes a text of an account for each place one can stand in.
func canaries(random *rand.Rand, i int) []string {
	word := fmt.Sprintf("kanarie%d%x", i, random.Uint64())
	return []string{word, word + ".example", fmt.Sprintf("%032x", random.Uint64()), fmt.Sprintf("10.%d.%d.%d", random.IntN(256),
		random.IntN(256), random.IntN(256)), fmt.Sprintf("2001:db8::%x", 0x1000+random.IntN(0xefff)), word + "@mail.example",
		fmt.Sprintf("%08x-0000-7000-8000-%012x", random.Uint32(), random.Uint64()>>16), `k"<&` + word}
}

// TestNothingOfTheAccountIsSent puts texts of an account into every field of 200
// items and resources and looks for them in the question.
func TestNothingOfTheAccountIsSent(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	all := checks.All()
	types := []posture.ResourceType{posture.ResourceAccount, posture.ResourceZone, posture.ResourceDNSRecord, posture.ResourceToken,
		posture.ResourceMember, posture.ResourceRule, posture.ResourceAccessApp,
		posture.ResourceAccessPolicy, posture.ResourceTunnel, posture.ResourceWorker, posture.ResourceBucket, posture.ResourceCertificate,
		posture.ResourceLoadBalancer, posture.ResourcePagesProject}
	var secret []string
	var resources []posture.Resource
	items := make([]Item, MaxItems)
	for i := range items {
		c := canaries(random, i)
		secret = append(secret, c...)
		pick := func() string { return c[random.IntN(len(c))] }
		r := posture.Resource{Type: types[i%len(types)], ID: pick(), Name: pick(), ZoneID: pick(), Zone: pick()}
		items[i] = Item{ID: c[6], CheckID: all[random.IntN(len(all))].ID, Severity: posture.High, Risk: "low", RemovesPaths: random.IntN(3)}
		switch i % 4 { // a caller's mistakes must not leak either
		case 1:
			r.Type, items[i].CheckID = posture.ResourceType(pick()), pick()
		case 2:
			items[i].Severity, items[i].Risk = posture.Severity(pick()), pick()
		case 3:
			items[i].After = []string{items[i-1].ID, c[0]}
		}
		resources = append(resources, r)
	}
	for i, ref := range Redact(resources) {
		items[i].Ref = ref
	}
	for _, name := range providers() {
		p, _ := provider(t, name, says(200, "{}"))
		body := string(p.Preview(items))
		require.Contains(t, body, fmt.Sprintf(`\"i%d\"`, p.limit()), "all that may be sent are in it")
		require.Contains(t, body, "zone-1")
		for _, s := range secret {
			require.NotContains(t, body, s)
			require.NotContains(t, body, strings.Trim(string(encode(s)), `"`))
		}
		require.NotContains(t, body, "kanarie")
		require.Equal(t, body, string(p.Preview(items)), "the same items give the same bytes")
	}
}

// TestTheCatalogueIsShown: each check's words are sent once.
func TestTheCatalogueIsShown(t *testing.T) {
	items := many(MaxItems)
	pl, why := arrange(items, MaxItems)
	require.Empty(t, why)
	q := pl.question(catalogue())
	for _, it := range items {
		require.Equal(t, 1, strings.Count(q.plan, `{"check":"`+it.CheckID+`"`))
	}
	require.Less(t, len(q.plan), 150_000)
}
