package issue

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOwnersOfALargeAccount: 150 issues that hit the same 1,000 zones ask each of 200 patterns once for a zone. Asking
// for every issue took 4 to 9 s.
func TestOwnersOfALargeAccount(t *testing.T) {
	t.Parallel()
	var d Decisions
	for i := range 200 {
		d.Ownership.Rules = append(d.Ownership.Rules, Rule{Owner: fmt.Sprint("team ", i), Zone: fmt.Sprintf("*.brand-%d.example.com", i)})
	}
	all := make([]Issue, 150)
	for i := range all {
		all[i].in = []string{fmt.Sprintf("shop.brand-%d.example.com", i), "other.example"}
		for z := range 1000 {
			all[i].in = append(all[i].in, fmt.Sprintf("zone-%04d.of-a-customer.example.org", z))
		}
	}
	began := time.Now()
	for i, made := range d.Over(all) {
		require.Equal(t, fmt.Sprint("team ", i), made.Owner)
	}
	require.Less(t, time.Since(began), 2*time.Second)
}
