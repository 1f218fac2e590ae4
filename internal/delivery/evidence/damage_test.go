package evidence_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/merkle"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// refused wants a bundle not to be valid, and to be told so in words.
func refused(t testing.TB, b []byte, o evidence.Options, why string) {
	t.Helper()
	_, err := verify(b, o)
	var bad *evidence.InvalidError
	require.ErrorAs(t, err, &bad, why)
	require.NotEmpty(t, bad.Where, why)
	require.NotEmpty(t, bad.What, why)
}

// spans gives the start of each entry and of its data, and where the last one ends.
func spans(t testing.TB, b []byte) (starts, data []int, end int) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	for _, f := range z.File {
		at, err := f.DataOffset()
		require.NoError(t, err)
		starts, data = append(starts, int(at)-30-len(f.Name)), append(data, int(at))
		end = int(at) + int(f.UncompressedSize64)
	}
	return starts, data, end
}

// TestSweepEveryFlip: whatever byte is changed, the bundle is no longer valid: each byte of
// every header, of the manifest, of the signature and of the directory, and 1,000 at
// seeded random places.
func TestSweepEveryFlip(t *testing.T) {
	b := file(t, source(3), signer(t))
	starts, data, end := spans(t, b)
	var places []int
	for i := range starts {
		for at := starts[i]; at < data[i]; at++ {
			places = append(places, at)
		}
	}
	for at := data[0]; at < starts[2]; at++ {
		places = append(places, at) // manifest and signature
	}
	for at := end; at < len(b); at++ {
		places = append(places, at)
	}
	const seed = 53
	random := rand.New(rand.NewPCG(seed, seed))
	for range 1000 {
		places = append(places, random.IntN(len(b)))
	}
	for _, at := range places {
		bit := byte(1) << random.IntN(8)
		b[at] ^= bit
		_, err := verify(b, evidence.Options{})
		b[at] ^= bit
		require.Error(t, err, "seed %d: bit %d of byte %d", seed, bit, at)
	}
	_, err := verify(b, evidence.Options{})
	require.NoError(t, err)
}

// TestSweepDamage: what is cut off, put in, moved or replaced shows.
func TestSweepDamage(t *testing.T) {
	b := file(t, source(3), signer(t))
	starts, data, end := spans(t, b)
	for _, at := range slices.Concat(starts, data, []int{end, end + 1, len(b) - 22, len(b) - 1, 0, 1, 29}) {
		refused(t, b[:at], evidence.Options{}, "cut off")
		refused(t, slices.Concat(b[:at], []byte{0}, b[at:]), evidence.Options{}, "a byte is put in")
		refused(t, slices.Delete(slices.Clone(b), at, min(at+1, len(b))), evidence.Options{}, "a byte is missing")
	}
	refused(t, append(slices.Clone(b), '\n'), evidence.Options{}, "something follows")
	refused(t, append([]byte("#!/bin/sh\n"), b...), evidence.Options{}, "something comes before")

	b = file(t, source(1001), signer(t))
	starts, _, end = spans(t, b)
	entry := func(i int) []byte {
		if i+1 < len(starts) {
			return b[starts[i]:starts[i+1]]
		}
		return b[starts[i]:end]
	}
	swapped := slices.Clone(b[:starts[2]])
	for i := 2; i < len(starts); i++ {
		j := i
		if i == 6 || i == 7 { // two parts of findings
			j = 13 - i
		}
		swapped = append(swapped, entry(j)...)
	}
	refused(t, append(swapped, b[end:]...), evidence.Options{}, "two parts changed places")
	refused(t, slices.Concat(b[:starts[6]], entry(6), b[starts[6]:]), evidence.Options{}, "a part is there twice")
	refused(t, slices.Concat(b[:starts[6]], b[starts[7]:]), evidence.Options{}, "a part is missing")
}

// contents reads a bundle with somebody else's ZIP reader.
func contents(t testing.TB, b []byte) (names []string, data map[string][]byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	data = map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		data[f.Name], err = io.ReadAll(r)
		require.NoError(t, err)
		names = append(names, f.Name)
	}
	return names, data
}

// TestZippedAgain: the same contents in another container are not the bundle, be it
// packed, in another order, with a path or with one more file.
func TestZippedAgain(t *testing.T) {
	names, data := contents(t, file(t, source(3), signer(t)))
	again := func(names []string, method uint16, rename func(string) string) []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: rename(name), Method: method})
			require.NoError(t, err)
			_, err = w.Write(data[name])
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		return out.Bytes()
	}
	same := func(s string) string { return s }
	refused(t, again(names, zip.Store, same), evidence.Options{}, "stored")
	refused(t, again(names, zip.Deflate, same), evidence.Options{}, "packed")
	back := slices.Clone(names)
	slices.Reverse(back)
	refused(t, again(back, zip.Store, same), evidence.Options{}, "backwards")
	refused(t, again(append(names, "assessment.json"), zip.Store, same), evidence.Options{}, "one more")
	refused(t, again(names, zip.Store, func(s string) string { return "../" + s }), evidence.Options{}, "a path")
}

// forged is a bundle with one part replaced and everything that needs no key made anew.
func forged(t testing.TB, b []byte, part string, change func([]byte) []byte) []byte {
	t.Helper()
	names, data := contents(t, b)
	data[part] = change(data[part])
	var m evidence.Manifest
	require.NoError(t, json.Unmarshal(data["manifest.json"], &m))
	var leaves []merkle.Hash
	for i := range m.Parts {
		leaf := merkle.Leaf(data[m.Parts[i].Name])
		m.Parts[i].Bytes, m.Parts[i].Leaf = int64(len(data[m.Parts[i].Name])), hex.EncodeToString(leaf[:])
		leaves = append(leaves, leaf)
	}
	root := merkle.Root(leaves)
	m.Tree.Root = hex.EncodeToString(root[:])
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	data["manifest.json"], err = jcs.Transform(raw)
	require.NoError(t, err)
	return evidence.Packed(names, data)
}

// TestForged: a part is replaced and the manifest made to fit, without the key.
func TestForged(t *testing.T) {
	b := file(t, source(3), signer(t))
	other := forged(t, b, "findings-000001.json", func(raw []byte) []byte {
		return bytes.Replace(raw, []byte("answers with its origin"), []byte("is all right, be at ease"), 1)
	})
	_, err := verify(other, evidence.Options{})
	require.ErrorContains(t, err, "the signature does not hold")
	same := forged(t, b, "findings-000001.json", func(raw []byte) []byte { return raw })
	require.Equal(t, b, same, "the forger of this test makes what the writer makes")

	// Somebody with a key of their own makes a bundle that holds together. Only the
	// fingerprint tells it apart.
	theirs := file(t, source(3), stranger())
	got, err := verify(theirs, evidence.Options{})
	require.NoError(t, err)
	require.False(t, got.Trusted)
	_, err = verify(theirs, evidence.Options{Fingerprint: signer(t).Key().Fingerprint()})
	require.ErrorContains(t, err, "another key")
}

// TestHoldsTogether: a bundle that is signed and says what is not so is refused: the
// parts are held against each other.
func TestHoldsTogether(t *testing.T) {
	for want, change := range map[string]func(*evidence.Source){
		"its counts are not those of the findings": func(s *evidence.Source) { s.Assessment.Summary.Fail++ },
		"does not follow from its account": func(s *evidence.Source) {
			s.Findings = findings(10, func(i int, f *posture.Finding) {
				if i == 7 {
					f.Resource.ID = "another"
				}
			})
		},
		"is there twice": func(s *evidence.Source) {
			s.Findings = findings(10, func(i int, f *posture.Finding) {
				if i == 7 {
					f.ID, f.Resource = finding(6).ID, finding(6).Resource
				}
			})
		},
		"names an attack path that is not there": func(s *evidence.Source) {
			s.Findings = findings(10, func(_ int, f *posture.Finding) { f.AttackPathIDs = []string{"ap:2"} })
		},
		"which is not there": func(s *evidence.Source) {
			paths := collect(s.Paths)
			paths[0].FindingIDs = []string{strings.Repeat("0", 32)}
			s.Paths = each(paths)
		},
		"paths and the assessment": func(s *evidence.Source) { s.Assessment.AttackPaths = 2 },
		"is not in its place": func(s *evidence.Source) {
			sections := collect(s.Sections)
			slices.Reverse(sections)
			s.Sections = each(sections)
			fit(s)
		},
	} {
		s := source(10)
		change(&s)
		_, err := verify(file(t, s, signer(t)), evidence.Options{})
		require.ErrorContains(t, err, want)
	}
	// What was read is held against the digest of the snapshot before anything is signed.
	s := source(10)
	sections := collect(s.Sections)
	sections[2].Value = json.RawMessage(`[]`)
	s.Sections = each(sections)
	_, err := evidence.Make(s, signer(t))
	require.ErrorIs(t, err, evidence.ErrSections)
	// What changes between hashing and writing ends the writing.
	s = source(10)
	calls := 0
	s.Findings = func() iter.Seq2[posture.Finding, error] {
		if calls++; calls > 2 {
			return findings(9, nil)()
		}
		return findings(10, nil)()
	}
	b, err := evidence.Make(s, signer(t))
	require.NoError(t, err)
	require.Error(t, b.Write(io.Discard))
}

// fit makes the digest of an assessment that of its sections, in whatever order.
func fit(s *evidence.Source) {
	s.Assessment.SnapshotDigest, _ = evidence.SectionsDigest(s.Assessment.AssessmentSummary, s.Sections) // it cannot fail
}

// TestProof: one part is shown to belong to a signed manifest without the others.
func TestProof(t *testing.T) {
	_, data := contents(t, file(t, source(2500), signer(t)))
	var m evidence.Manifest
	require.NoError(t, json.Unmarshal(data["manifest.json"], &m))
	var leaves []merkle.Hash
	at := -1
	for i, p := range m.Parts {
		leaves = append(leaves, merkle.Hash(unhex(t, p.Leaf)))
		if p.Name == "findings-000002.json" {
			at = i
		}
	}
	path := merkle.Path(leaves, at)
	require.LessOrEqual(t, len(path), 4)
	root := merkle.Hash(unhex(t, m.Tree.Root))
	require.True(t, merkle.Proves(merkle.Leaf(data["findings-000002.json"]), at, len(leaves), path, root))
	require.False(t, merkle.Proves(merkle.Leaf(data["findings-000001.json"]), at, len(leaves), path, root))
}

// TestCanonical holds every part against another implementation of RFC 8785.
func TestCanonical(t *testing.T) {
	golden, err := os.ReadFile("testdata/demo.zip")
	require.NoError(t, err)
	for _, b := range [][]byte{golden, file(t, source(20), signer(t))} {
		_, data := contents(t, b)
		for name, raw := range data {
			other, err := jcs.Transform(raw)
			require.NoError(t, err, name)
			require.Equal(t, string(other), string(raw), name)
		}
	}
}

func TestKeys(t *testing.T) {
	k := signer(t).Key()
	again, err := evidence.ParsePEM([]byte(k.PEM()))
	require.NoError(t, err)
	require.Equal(t, k.Fingerprint(), again.Fingerprint())
	again, err = evidence.ParseDER(k.DER())
	require.NoError(t, err)
	require.Equal(t, k.ID(), again.ID())
	sum := sha256.Sum256(k.DER())
	require.Equal(t, "SHA256:"+hex.EncodeToString(sum[:]), k.Fingerprint())
	for _, text := range []string{"", "x", k.PEM() + k.PEM(), strings.Replace(k.PEM(), "PUBLIC", "PRIVATE", 2),
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		_, err := evidence.ParsePEM([]byte(text))
		require.Error(t, err)
	}
	require.NotContains(t, signer(t).String(), "PRIVATE")
}

// FuzzVerify: no input makes the reader fail but by an error, and none that the key did
// not sign is taken for one it did.
func FuzzVerify(f *testing.F) {
	known := map[string]bool{}
	for _, n := range []int{1, 3} {
		b := file(f, source(n), signer(f))
		known[string(b)] = true
		f.Add(b)
		f.Add(b[:len(b)/2])
		names, data := contents(f, b)
		for _, name := range names {
			data[name] = []byte(`{}`)
		}
		f.Add(evidence.Packed(names, data))
	}
	f.Add([]byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	trusted := signer(f).Key().Fingerprint()
	f.Fuzz(func(t *testing.T, b []byte) {
		defer fuzztest.Bound(t)()
		if _, err := verify(b, evidence.Options{Fingerprint: trusted, Section: func(snapshot.Section) {}}); err == nil && !known[string(b)] {
			t.Fatal("a bundle the key did not sign is taken for valid")
		}
	})
}
