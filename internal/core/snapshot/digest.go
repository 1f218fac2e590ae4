package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Digester computes the digest of a snapshot section by section.
type Digester struct{ h hash.Hash }

// NewDigester starts the digest of an account and its zones in scope. The zone ids
// must be sorted.
func NewDigester(accountID string, zoneIDs []string) *Digester {
	d := &Digester{h: sha256.New()}
	d.write("edgeposture-snapshot-1", accountID, strings.Join(zoneIDs, ","))
	return d
}

func (d *Digester) write(parts ...string) {
	for _, p := range parts {
		_, _ = fmt.Fprintf(d.h, "%d:%s", len(p), p)
	}
}

// Add adds the next section; they must come sorted by source and scope.
func (d *Digester) Add(s Section) {
	d.write(s.Source, s.Scope, string(s.Status), s.Permission, string(s.Value))
}

// Sum returns the digest in hex.
func (d *Digester) Sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

// Digest is the SHA-256, in hex, of account, zones and sections in canonical order. The time of the
// run is excluded, so two runs that read the same data have the same digest.
func (s *Snapshot) Digest() string {
	zones := make([]string, 0, len(s.Zones))
	for _, z := range s.Zones {
		zones = append(zones, z.ID)
	}
	d := NewDigester(s.Account.ID, zones)
	for sec := range s.All() {
		d.Add(sec)
	}
	return d.Sum()
}
