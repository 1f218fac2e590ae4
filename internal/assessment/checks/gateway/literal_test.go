package gateway

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// connection is one that a rule may match.
type connection struct {
	host string
	ip   netip.Addr
	port int
}

// part is a condition in words of Gateway, and what it means.
type part struct {
	text string
	is   func(connection) bool
}

// TestUnionAgreesWithALiteralReading adds random rules and tries connections one by one: rules that match all of them together are
// seen, and where one connection matches none of the rules they are never said to match all.
func TestUnionAgreesWithALiteralReading(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(20, 16))
	var all []connection
	for _, host := range []string{"a.example", "b.example", "zq8x7v.k3.test"} {
		for _, ip := range []string{"10.1.2.3", "100.1.2.3", "150.1.2.3", "220.1.2.3"} {
			for _, port := range []int{1, 22, 443, 30000, 30001, 65535} {
				all = append(all, connection{host, netip.MustParseAddr(ip), port})
			}
		}
	}
	var simple func(depth int) part
	simple = func(depth int) part {
		switch kind := random.IntN(8); {
		case kind == 0 && depth < 2:
			x := simple(depth + 1)
			return part{"not(" + x.text + ")", func(c connection) bool { return !x.is(c) }}
		case kind == 1 && depth < 2:
			x, y := simple(depth+1), simple(depth+1)
			return part{"(" + x.text + " or " + y.text + ")", func(c connection) bool { return x.is(c) || y.is(c) }}
		case kind == 2 && depth < 2:
			x, y := simple(depth+1), simple(depth+1)
			return part{"(" + x.text + " and " + y.text + ")", func(c connection) bool { return x.is(c) && y.is(c) }}
		case kind < 5:
			var in []netip.Prefix
			var words []string
			for range 1 + random.IntN(2) {
				text := []string{"0.0.0.0/1", "128.0.0.0/1", "10.0.0.0/8", "150.0.0.0/8"}[random.IntN(4)]
				in, words = append(in, netip.MustParsePrefix(text)), append(words, text)
			}
			return part{"net.dst.ip in {" + strings.Join(words, " ") + "}", func(c connection) bool {
				return slices.ContainsFunc(in, func(p netip.Prefix) bool { return p.Contains(c.ip) })
			}}
		case kind == 5:
			n := []int{1, 22, 443, 30000, 65535}[random.IntN(5)]
			up := random.IntN(2) == 0
			if up {
				return part{fmt.Sprint("net.dst.port > ", n), func(c connection) bool { return c.port > n }}
			}
			return part{fmt.Sprint("net.dst.port <= ", n), func(c connection) bool { return c.port <= n }}
		default:
			host := []string{"a.example", "b.example"}[random.IntN(2)]
			return part{fmt.Sprintf("net.sni.host == %q", host), func(c connection) bool { return c.host == host }}
		}
	}
	said, whole := 0, 0
	for n := range 20_000 {
		u, parts := admission.NewUnion(everything), []part{}
		for range 1 + random.IntN(4) {
			p := simple(0)
			parts = append(parts, p)
			u.Add(admission.RuleOf(snapshot.GatewayRule{Traffic: p.text}, nil))
		}
		missed := slices.IndexFunc(all, func(c connection) bool {
			return !slices.ContainsFunc(parts, func(p part) bool { return p.is(c) })
		})
		if missed < 0 {
			whole++
		}
		if u.All() == truth.Yes {
			said++
			require.Negative(t, missed, "%d: %v is missed by %v", n, all[max(missed, 0)], texts(parts))
		}
	}
	require.Greater(t, said, whole*9/10, "of %d", whole)
}

func texts(parts []part) (out []string) {
	for _, p := range parts {
		out = append(out, p.text)
	}
	return out
}
