// Package porttest finds ports for servers that tests start, or start again, at a port of their choice.
package porttest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Free returns a port of the loopback address on which nothing listens. It is below the ports that systems hand out
// themselves (Linux from 32768, others from 49152), one of which may be taken before the server listens there.
func Free(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(12_000)
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatalf("give the port %d back: %v", port, err)
		}
		return port
	}
	t.Fatal("no port of 100 is free")
	return 0
}
