package origin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ports is the port range of an application, both ends included.
type ports struct{ lo, hi int }

func (p ports) hasOneOf(all []int) bool {
	return slices.ContainsFunc(all, func(n int) bool { return p.lo <= n && n <= p.hi })
}

// portsOf parses a protocol such as tcp/22, tcp/1000-2000, udp/53 or ssh.
func portsOf(protocol string) (p ports, udp, ok bool) {
	kind, rest, found := strings.Cut(strings.ToLower(protocol), "/")
	if !found {
		n := map[string]int{"ssh": 22, "rdp": 3389, "minecraft": 25565, "http": 80, "https": 443}[kind]
		return ports{n, n}, kind == "udp", n > 0 || kind == "udp"
	}
	first, last, isRange := strings.Cut(rest, "-")
	if !isRange {
		last = first
	}
	lo, err := strconv.Atoi(first)
	hi, err2 := strconv.Atoi(last)
	known := kind == "udp" || kind == "tcp" && err == nil && err2 == nil && lo <= hi
	return ports{lo, hi}, kind == "udp", known
}

// clearPorts carry mail, web pages and databases without encryption, or negotiate TLS only after
// connecting.
func clearPorts() []int {
	return []int{25, 110, 143, 80, 8080, 1433, 1521, 3306, 5432, 6379, 27017, 587, 2525}
}

// encryptsItself reports whether the protocol of a single port encrypts from the first byte: SSH,
// and web pages, mail and databases over TLS. In the mode off, Spectrum passes that through without
// decrypting it (developers.cloudflare.com/spectrum/reference/configuration-options/).
func (p ports) encryptsItself() bool {
	return p.lo == p.hi && slices.Contains([]int{22, 443, 465, 993, 995, 2484, 6380, 8443}, p.lo)
}

// managementPorts give control of a machine, a database or a cluster to anyone who gets in.
func managementPorts() []int {
	return []int{22, 23, 135, 139, 389, 445, 636, 873, 1433, 1521, 2049, 2375, 2376, 2379, 2484, 3306, 3389, 5432, 5601, 5900, 5984, 5985,
		5986, 6379, 6380, 6443, 8291, 9042, 9200, 10000, 10250, 11211, 27017}
}

// apps groups the applications of one zone by verdict.
type apps struct {
	bad, doubtful, odd []string
	badRows, warnRows  []posture.Evidence
	good               int
}

func appName(a snapshot.SpectrumApp) string { return a.Name + " (" + a.Protocol + ")" }

func spectrumApps(all ...snapshot.SpectrumApp) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneSpectrumApps, goodtest.Zone, all) }
}

// app returns an example application.
func app(protocol, tls string, firewall bool) snapshot.SpectrumApp {
	return snapshot.SpectrumApp{ID: "app1", Name: "app." + goodtest.Domain, Protocol: protocol, TLS: tls, IPFirewall: &firewall}
}
