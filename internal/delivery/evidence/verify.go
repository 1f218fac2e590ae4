package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/merkle"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Options configures the verification of a bundle.
type Options struct {
	// Fingerprint is that of the key that the bundle must be signed with; if empty, the key in the
	// bundle is used, which proves only that nothing was changed since signing.
	Fingerprint string
	// Section and Finding, when not nil, are called with each valid one, in order.
	Section func(snapshot.Section)
	Finding func(posture.Finding)
	// Assessment is called before both, with the assessment.
	Assessment func(posture.Assessment)
	// Policy is called before Section, with the thresholds of the assessment.
	Policy func(json.RawMessage)
}

// Report describes a valid bundle.
type Report struct {
	Manifest Manifest `json:"manifest"`
	Bytes    int64    `json:"bytes"`
	// Trusted reports that the key was the one that the caller named.
	Trusted bool `json:"trusted"`
}

// Verify reads a whole bundle and checks everything that can be checked offline; docs/evidence.md has
// the list. Any doubt is an error: an *InvalidError, or an error of r. It holds one part in memory at a
// time.
func Verify(r io.Reader, o Options) (Report, error) {
	c := newContainer(r)
	m, raw, err := readManifest(c)
	if err != nil {
		return Report{}, err
	}
	key, err := checkManifest(m)
	if err != nil {
		return Report{}, err
	}
	if err := checkSignature(c, m, raw, key); err != nil {
		return Report{}, err
	}
	if o.Fingerprint != "" && o.Fingerprint != key.Fingerprint() {
		return Report{}, invalid(signatureName, "the bundle is signed with another key than the one named: its key is %s", key.Fingerprint())
	}
	holds := newContent(m, o)
	for _, p := range m.Parts {
		data, err := c.next(p.Name, maxPart)
		if err != nil {
			return Report{}, err
		}
		leaf := merkle.Leaf(data)
		if int64(len(data)) != p.Bytes || hex.EncodeToString(leaf[:]) != p.Leaf {
			return Report{}, invalid(p.Name, "its content is not the one the manifest has the hash of")
		}
		if err := holds.part(p, data); err != nil {
			return Report{}, err
		}
	}
	if err := c.end(); err != nil {
		return Report{}, err
	}
	if err := holds.whole(); err != nil {
		return Report{}, err
	}
	total, err := lay(c.entries)
	return Report{Manifest: m, Bytes: total, Trusted: o.Fingerprint != ""}, err
}

func readManifest(c *container) (m Manifest, raw []byte, err error) {
	if raw, err = c.next(manifestName, maxManifest); err != nil {
		return m, nil, err
	}
	var form struct{ Format string }
	if json.Unmarshal(raw, &form) != nil {
		return m, nil, invalid(manifestName, "it is not JSON")
	}
	if form.Format != Format {
		return m, nil, invalid(manifestName, "it is not a manifest of the form %s; verify it with the version that made it", Format)
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, nil, invalid(manifestName, "it cannot be read (%s)", err)
	}
	// This detects unknown members and any other encoding.
	if again, err := canonical(m); err != nil || !bytes.Equal(again, raw) {
		return m, nil, invalid(manifestName, "it is not written in its one canonical form")
	}
	return m, raw, nil
}

// checkManifest checks a manifest for consistency and returns its key.
func checkManifest(m Manifest) (Key, error) {
	key, err := ParsePEM([]byte(m.Key.PublicKey))
	if err != nil {
		return Key{}, invalid(manifestName, "%s", err)
	}
	if m.Key != key.Info() {
		return Key{}, invalid(manifestName, "the id, the fingerprint or the form of its key does not belong to the key")
	}
	leaves := make([]merkle.Hash, len(m.Parts))
	for i, p := range m.Parts {
		raw, err := hex.DecodeString(p.Leaf)
		if err != nil || len(raw) != merkle.Size || hex.EncodeToString(raw) != p.Leaf {
			return Key{}, invalid(manifestName, "the hash of %s is not one", p.Name)
		}
		leaves[i] = merkle.Hash(raw)
		if i > 0 && strings.Compare(m.Parts[i-1].Name, p.Name) >= 0 {
			return Key{}, invalid(manifestName, "its parts are not in the order of their names")
		}
	}
	root := merkle.Root(leaves)
	if want := (Tree{Algorithm: treeAlgorithm, Leaves: len(leaves), Root: hex.EncodeToString(root[:])}); m.Tree != want {
		return Key{}, invalid(manifestName, "the root of the tree does not follow from its parts")
	}
	return key, checkParts(m)
}

// checkParts compares the list of parts with the only allowed one.
func checkParts(m Manifest) error {
	var want []string
	numbers := func(prefix string) {
		for n := 1; len(want) < len(m.Parts) && m.Parts[len(want)].Name == numbered(prefix, n); n++ {
			want = append(want, numbered(prefix, n))
		}
	}
	want = append(want, assessmentName, pathsName, catalogueName, controlsName)
	numbers(findingsName)
	want = append(want, graphName, modificationsName)
	if m.Policy == Included {
		want = append(want, policyName, requestName)
	}
	if m.Sections == Included {
		numbers(sectionsName)
	}
	for i, p := range m.Parts {
		if i >= len(want) || p.Name != want[i] {
			return invalid(manifestName, "it lists a part %q that does not belong there", p.Name)
		}
	}
	if len(m.Parts) < len(want) {
		return invalid(manifestName, "it does not list %s", want[len(m.Parts)])
	}
	return nil
}

func checkSignature(c *container, m Manifest, manifest []byte, key Key) error {
	raw, err := c.next(signatureName, maxSignature)
	if err != nil {
		return err
	}
	var s signature
	if json.Unmarshal(raw, &s) != nil {
		return invalid(signatureName, "it is not JSON")
	}
	want, err := canonical(signature{KeyID: m.Key.ID, PayloadType: payloadType, Signature: s.Signature})
	if err != nil || !bytes.Equal(want, raw) {
		return invalid(signatureName, "it is not a signature of this manifest in its one canonical form")
	}
	if !ed25519.Verify(key.public, signed(manifest), s.Signature) {
		return invalid(signatureName, "the signature does not hold: the manifest was changed after it was signed, or was signed with another key")
	}
	return nil
}
