package evidence

import (
	"bufio"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/merkle"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Source is the input of a bundle. It is not modified.
type Source struct {
	// Assessment has its tallies; its findings are ignored.
	Assessment posture.Assessment
	// Version is the version of the service that made the assessment, Saved the digest that its rows
	// matched, nil when there is none.
	Version string
	Saved   []byte
	// Policy and Request are both nil when they were not recorded.
	Policy  json.RawMessage
	Request json.RawMessage
	// Paths and Sections are iterated twice and must yield the same each time. Sections are those of
	// the snapshot, sorted by source and scope, if State is Included.
	Paths         iter.Seq2[posture.AttackPath, error]
	Graph         graph.Source // its lists must not be null
	Modifications []posture.Modification
	Sections      iter.Seq2[snapshot.Section, error]
	State         State
	// Findings yields all findings in report order. It is called three times and must yield the same
	// each time.
	Findings func() iter.Seq2[posture.Finding, error]
	// Catalogue maps checks to controls; checks that the run did not count are left out.
	Catalogue []compliance.CheckControls
}

// ErrSections means that the sections do not match the snapshot digest.
var ErrSections = errors.New("what the run read does not match the digest of its snapshot")

// errChanged aborts the writing of a bundle whose source has changed.
var errChanged = errors.New("the assessment changed while its evidence was written")

// Bundle is a signed bundle that is not written yet. It holds hashes and the small parts; findings are
// read again when it is written.
type Bundle struct {
	src       Source
	manifest  []byte
	signature []byte
	catalogue []byte
	controls  []byte
	entries   []archiveFile
	leaves    map[string]merkle.Hash
	size      int64
}

// Make reads the source once and signs. Its memory does not grow with the findings.
func Make(src Source, signer Signer) (*Bundle, error) {
	b := &Bundle{src: src, leaves: map[string]merkle.Hash{}}
	digest := newDigester(src.Assessment.AssessmentSummary)
	b.src.Sections = observed(src.Sections, digest.Add)
	var parts []Part
	entries := map[string]archiveFile{}
	note := func(name string, write func(io.Writer) (int, error)) error {
		m := newMeasure(io.Discard)
		records, err := m.take(write)
		if err != nil {
			return err
		}
		leaf := m.leafHash()
		b.leaves[name], entries[name] = leaf, archiveFile{name: name, size: m.size, crc: m.crc.Sum32()}
		parts = append(parts, Part{Name: name, Bytes: m.size, Records: records, Leaf: hex.EncodeToString(leaf[:])})
		return nil
	}
	findings, err := b.learn(note)
	if err != nil {
		return nil, err
	}
	for _, g := range b.groups() {
		if g.name == findingsName {
			continue
		}
		if err := g.emit(note); err != nil {
			return nil, err
		}
	}
	b.src.Sections = src.Sections
	if src.State == Included && digest.Sum() != src.Assessment.SnapshotDigest {
		return nil, ErrSections
	}
	slices.SortFunc(parts, func(x, y Part) int { return strings.Compare(x.Name, y.Name) })
	if err := b.sign(parts, findings, signer); err != nil {
		return nil, err
	}
	b.entries = []archiveFile{entryOf(manifestName, b.manifest), entryOf(signatureName, b.signature)}
	for _, p := range parts {
		b.entries = append(b.entries, entries[p.Name])
	}
	b.size, err = lay(b.entries)
	return b, err
}

func (b *Bundle) sign(parts []Part, findings int, signer Signer) error {
	a := b.src.Assessment
	leaves := make([]merkle.Hash, len(parts))
	for i, p := range parts {
		leaves[i] = b.leaves[p.Name]
	}
	root := merkle.Root(leaves)
	m := Manifest{Format: Format, CreatedAt: a.CompletedAt, ServiceVersion: b.src.Version, CatalogueVersion: a.CatalogueVersion,
		SnapshotDigest: a.SnapshotDigest, Assessment: Subject{ID: a.ID, Account: a.Account, Status: a.Status, StartedAt: a.StartedAt,
			CompletedAt: a.CompletedAt, Demo: a.Demo},
		Saved: Saved{State: stateOf(b.src.Saved != nil), Digest: hex.EncodeToString(b.src.Saved)}, Policy: stateOf(b.src.Policy != nil),
		Sections: b.src.State,
		Findings: findings, Tree: Tree{Algorithm: treeAlgorithm, Leaves: len(leaves), Root: hex.EncodeToString(root[:])}, Parts: parts,
		Key: signer.Key().Info()}
	var err error
	if b.manifest, err = canonical(m); err != nil {
		return err
	}
	b.signature, err = canonical(signature{KeyID: signer.Key().ID(), PayloadType: payloadType, Signature: ed25519.Sign(signer.private,
		signed(b.manifest))})
	return err
}

func stateOf(there bool) State {
	if there {
		return Included
	}
	return NotRecorded
}

// Size returns the length of the file in bytes.
func (b *Bundle) Size() int64 { return b.size }

// Tag identifies the content: bundles with the same tag have the same bytes.
func (b *Bundle) Tag() string {
	h := sha256.New()
	_, _ = h.Write(b.manifest)
	_, _ = h.Write(b.signature)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Write writes the file. What it reads again must equal what was signed.
func (b *Bundle) Write(w io.Writer) error {
	if err := put(w, b.entries[0], b.manifest); err != nil {
		return err
	}
	if err := put(w, b.entries[1], b.signature); err != nil {
		return err
	}
	next := 2
	again := func(name string, write func(io.Writer) (int, error)) error {
		if next == len(b.entries) || b.entries[next].name != name {
			return errChanged
		}
		if err := begin(w, b.entries[next]); err != nil {
			return err
		}
		m := newMeasure(w)
		if _, err := m.take(write); err != nil {
			return err
		}
		next++
		if m.leafHash() != b.leaves[name] {
			return errChanged
		}
		return nil
	}
	for _, g := range b.groups() {
		if err := g.emit(again); err != nil {
			return err
		}
	}
	if next != len(b.entries) {
		return errChanged
	}
	last := b.entries[next-1]
	end := last.offset + localLen + int64(len(last.name)) + last.size
	if _, err := w.Write(directory(b.entries, end)); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// SectionsDigest returns the snapshot digest of sorted sections, or their first error.
func SectionsDigest(a posture.AssessmentSummary, sections iter.Seq2[snapshot.Section, error]) (string, error) {
	d := newDigester(a)
	for s, err := range sections {
		if err != nil {
			return "", err
		}
		d.Add(s)
	}
	return d.Sum(), nil
}

func newDigester(a posture.AssessmentSummary) *snapshot.Digester {
	return snapshot.NewDigester(a.Account.ID, zoneIDs(a))
}

// observed passes every value of a sequence to learn before yielding it.
func observed[T any](all iter.Seq2[T, error], learn func(T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			if err == nil {
				learn(v)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

func zoneIDs(a posture.AssessmentSummary) []string {
	ids := make([]string, 0, len(a.Zones))
	for _, z := range a.Zones {
		ids = append(ids, z.ID)
	}
	slices.Sort(ids)
	return ids
}

// measure computes what a ZIP entry and a tree leaf need from the written bytes.
type measure struct {
	to   io.Writer
	leaf hash.Hash
	crc  hash.Hash32
	size int64
}

func newMeasure(to io.Writer) *measure {
	return &measure{to: to, leaf: merkle.NewLeaf(), crc: crc32.NewIEEE()}
}

// take runs write and returns the part's number of records. The output is buffered, because many short
// writes cost more than the hashes.
func (m *measure) take(write func(io.Writer) (int, error)) (records int, err error) {
	buffered := bufio.NewWriterSize(m, 64<<10)
	if records, err = write(buffered); err != nil {
		return 0, err
	}
	if err := buffered.Flush(); err != nil {
		return 0, fmt.Errorf("write the bundle: %w", err)
	}
	return records, nil
}

func (m *measure) Write(data []byte) (int, error) {
	_, _ = m.leaf.Write(data) // writing to a hash cannot fail
	_, _ = m.crc.Write(data)
	m.size += int64(len(data))
	return m.to.Write(data)
}

func (m *measure) leafHash() merkle.Hash { return merkle.Hash(m.leaf.Sum(nil)) }
