package setting

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// full gives an overlay with every key saved, and the bytes of its file.
func full(t testing.TB) (*Overlay, []byte) {
	t.Helper()
	o := overlay(t, nil)
	_, err := put(t, o, everything(false))
	require.NoError(t, err)
	raw, err := os.ReadFile(o.file.path)
	require.NoError(t, err)
	return o, raw
}

// damages makes n damaged forms of a file: every bit flipped in turn, every
// length cut off, and random ones with several bytes changed, dropped or doubled
// until there are n; fewer are a sample of the flips and cuts.
func damages(raw []byte, n int, seed uint64) [][]byte {
	r := mathrand.New(mathrand.NewPCG(seed, 1))
	var out [][]byte
	for i := range len(raw) * 8 {
		bad := bytes.Clone(raw)
		bad[i/8] ^= 1 << (i % 8)
		out = append(out, bad)
	}
	for i := range raw {
		out = append(out, bytes.Clone(raw[:i]))
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	for len(out) < n {
		bad := bytes.Clone(raw)
		at := r.IntN(len(raw) - 1)
		switch r.IntN(4) {
		case 0:
			for range 1 + r.IntN(8) {
				bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
			}
		case 1:
			bad = append(bad[:at], bad[at+1:]...)
		case 2:
			bad = append(bad[:at], raw[max(0, at-4):]...)
		case 3:
			bad = append(bad, raw[at:]...)
		}
		if !bytes.Equal(bad, raw) {
			out = append(out, bad)
		}
	}
	return out[:n]
}

// TestSweepDamage: no damaged file is read as settings, as none, or as others, and a
// change leaves it as it is.
func TestSweepDamage(t *testing.T) {
	o, raw := full(t)
	n := len(raw)*9 + 2000 // every flip, every cut, and random ones
	require.Greater(t, n, 10_000)
	seed := mathrand.Uint64()
	t.Logf("seed %d, a file of %d bytes, %d damages", seed, len(raw), n)
	for i, bad := range damages(raw, n, seed) {
		_, err := o.file.decode(bad)
		if err == nil {
			require.Fail(t, "taken for whole", "damage %d: %q", i, bad)
		}
		if i%100 != 0 { // the disk adds nothing but time
			continue
		}
		require.NoError(t, os.WriteFile(o.file.path, bad, 0o600))
		_, err = o.Read(t.Context())
		require.Equal(t, posture.CodeUnavailable, problemOf(t, err).Code)
		_, err = put(t, o, map[string]any{"aiModel": "new"})
		require.Equal(t, posture.CodeUnavailable, problemOf(t, err).Code)
		left, err := os.ReadFile(o.file.path)
		require.NoError(t, err)
		require.Equal(t, bad, left, "a change does not write over it")
	}
	require.NoError(t, os.WriteFile(o.file.path, raw, 0o600))
	_, err := o.Read(t.Context())
	require.NoError(t, err, "the test itself can read the whole file")
}

// TestForeignFiles: another key, another version, another sealed text, and
// things that are no file.
func TestForeignFiles(t *testing.T) {
	o, raw := full(t)
	stranger := New(Options{Path: o.file.path, Key: testKey(t, 8), Random: rand.Reader, Numbers: &notes{}})
	_, err := stranger.Read(t.Context())
	require.Contains(t, problemOf(t, err).Detail, "SERVICE_ENCRYPTION_KEY")
	_, err = put(t, stranger, map[string]any{"aiModel": "new"})
	require.Equal(t, posture.CodeUnavailable, problemOf(t, err).Code)
	left, err := os.ReadFile(o.file.path)
	require.NoError(t, err)
	require.Equal(t, raw, left)

	foreign, err := o.file.key.Seal(secretOf(`{"aiModel":{"value":"x"}}`), "account:1", rand.Reader)
	require.NoError(t, err)
	broken, err := o.file.key.Seal(secretOf(`{"hecToken":{"value":"canary`), seal+"1", rand.Reader)
	require.NoError(t, err)
	var whole envelope
	require.NoError(t, json.Unmarshal(raw, &whole))
	for name, content := range map[string]any{
		"sealed for something else": envelope{1, foreign}, "sealed nonsense": envelope{1, broken}, "newer": envelope{3, whole.Sealed},
		"of another version": envelope{1, whole.Sealed}, "older": envelope{0, whole.Sealed}, "nothing sealed": envelope{1, nil},
		"more members": map[string]any{"version": 1, "sealed": whole.Sealed, "aiModel": "x"}, "plain settings": map[string]any{"aiModel": "x"},
		"null": nil, "list": []int{1}, "empty object": map[string]any{},
	} {
		bad, err := json.Marshal(content)
		require.NoError(t, err)
		for _, end := range []string{"", "\n"} {
			_, err = o.file.decode(append(bytes.Clone(bad), end...))
			require.Equal(t, posture.CodeUnavailable, problemOf(t, err).Code, name)
		}
	}
	_, err = o.file.decode(bytes.Replace(raw, []byte(`"sealed"`), []byte(`"Sealed"`), 1))
	require.Error(t, err)
	require.NoError(t, os.Remove(o.file.path))
	require.NoError(t, os.Mkdir(o.file.path, 0o700))
	_, err = o.Read(t.Context())
	require.Contains(t, problemOf(t, err).Detail, "is a directory")
}

// TestOlderFileIsPutBack: what was saved last counts, not what lies there.
func TestOlderFileIsPutBack(t *testing.T) {
	o, older := full(t)
	sealed, err := o.file.key.Seal(secretOf(`{"aiModel":{"value":"of the first release"}}`), seal+"1", rand.Reader)
	require.NoError(t, err)
	first, err := envelope{1, sealed}.bytes()
	require.NoError(t, err)
	_, err = put(t, o, map[string]any{"aiModel": "next"})
	require.NoError(t, err)
	newest, err := os.ReadFile(o.file.path)
	require.NoError(t, err)
	for _, old := range [][]byte{older, first} {
		require.NoError(t, os.WriteFile(o.file.path, old, 0o600))
		_, err = o.Read(t.Context())
		require.Contains(t, problemOf(t, err).Detail, "older than the one saved last")
		_, err = put(t, o, map[string]any{"aiModel": "x"})
		require.Contains(t, problemOf(t, err).Detail, "older than the one saved last")
	}
	require.NoError(t, os.WriteFile(o.file.path, newest, 0o600))
	_, err = o.Read(t.Context())
	require.NoError(t, err)

	// Moved away, as the sentence says, and saved again: the older ones stay out.
	require.NoError(t, os.Remove(o.file.path))
	v, err := put(t, o, map[string]any{"aiModel": "after"})
	require.NoError(t, err)
	require.False(t, v.Entries()[HECToken].Configured)
	require.NoError(t, os.WriteFile(o.file.path, newest, 0o600))
	_, err = o.Read(t.Context())
	require.Error(t, err)

	// A store that knows of none, as after an upgrade, takes what is there.
	o.numbers = &notes{}
	require.NoError(t, os.WriteFile(o.file.path, first, 0o600))
	v, err = o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "of the first release", v.Entries()[AIModel].Value)
	_, err = put(t, o, map[string]any{"aiProvider": "none"})
	require.NoError(t, err)
	v, err = o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "of the first release", v.Entries()[AIModel].Value)
}

// TestSavedButNotNoted: what is saved is said to be, and saving it again notes it.
func TestSavedButNotNoted(t *testing.T) {
	o, _ := full(t)
	kept := o.numbers
	before, err := kept.SettingsNumber(t.Context())
	require.NoError(t, err)
	o.numbers = forgetful{kept}
	_, err = put(t, o, map[string]any{"aiModel": "next"})
	require.Contains(t, problemOf(t, err).Detail, "The settings are saved, but")
	v, err := o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "next", v.Entries()[AIModel].Value)
	o.numbers = kept
	_, err = put(t, o, map[string]any{"aiModel": "next"})
	require.NoError(t, err)
	after, err := kept.SettingsNumber(t.Context())
	require.NoError(t, err)
	require.Equal(t, before+1, after)
}

type forgetful struct{ Numbers }

func (forgetful) NoteSettingsNumber(context.Context, int64) error {
	return errors.New("the database is away")
}

// TestFileHoldsNoSecret: neither values nor names of keys lie open, and nobody
// else may read it, whatever was there before.
func TestFileHoldsNoSecret(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	o, raw := full(t)
	require.NotContains(t, string(raw), "canary")
	require.NotContains(t, string(raw), "example")
	require.NoError(t, os.WriteFile(o.file.path+".new", []byte("left by a killed process"), 0o666))
	require.NoError(t, os.Chmod(o.file.path, 0o666))
	_, err := put(t, o, map[string]any{"aiModel": "next"})
	require.NoError(t, err)
	entries, err := os.ReadDir(filepath.Dir(o.file.path))
	require.NoError(t, err)
	require.Len(t, entries, 2, "the file and its lock")
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), e.Name())
	}
	info, err := os.Stat(filepath.Dir(o.file.path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// TestKilledBetweenWriteAndRename: what a killed process left, whole or half, is
// not read and does not stop the next change.
func TestKilledBetweenWriteAndRename(t *testing.T) {
	o, raw := full(t)
	before, err := o.Read(t.Context())
	require.NoError(t, err)
	for _, left := range [][]byte{{}, raw[:len(raw)/2], raw, []byte("nonsense")} {
		require.NoError(t, os.WriteFile(o.file.path+".new", left, 0o600))
		after, err := o.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
	_, err = put(t, o, map[string]any{"aiModel": "next"})
	require.NoError(t, err)
	require.NoFileExists(t, o.file.path+".new")
	v, err := o.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "next", v.Entries()[AIModel].Value)
}

// TestNoRandomness: without a nonce nothing is written.
func TestNoRandomness(t *testing.T) {
	o, raw := full(t)
	o.file.random = bytes.NewReader(nil)
	_, err := put(t, o, map[string]any{"aiModel": "next"})
	require.Error(t, err)
	left, err := os.ReadFile(o.file.path)
	require.NoError(t, err)
	require.Equal(t, raw, left)
}

// TestNoRoom: a file that cannot be written whole leaves the old one. The limit
// on the size of files stands for a full disk, in a process of its own: the log that go test keeps of the files a test opens is
// a file, too.
func TestNoRoom(t *testing.T) {
	const alone = "EDGEPOSTURE_TEST_SETTING_NO_ROOM"
	if os.Getenv(alone) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoRoom$", "-test.v")
		cmd.Env = append(os.Environ(), alone+"=yes")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestNoRoom")
		return
	}
	o, raw := full(t)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200, Max: limit.Max}))
	_, err := put(t, o, map[string]any{"aiModel": "next"})
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	p := problemOf(t, err)
	require.Equal(t, posture.CodeUnavailable, p.Code)
	require.Contains(t, p.Detail, "file too large")
	require.Contains(t, p.Detail, "Nothing was changed")
	left, err := os.ReadFile(o.file.path)
	require.NoError(t, err)
	require.Equal(t, raw, left)
	require.NoFileExists(t, o.file.path+".new")
}

// TestDirectoryThatCannotBeUsed: a file stands where the directory should be.
func TestDirectoryThatCannotBeUsed(t *testing.T) {
	o := overlay(t, nil)
	require.NoError(t, os.WriteFile(filepath.Dir(o.file.path), nil, 0o600))
	_, err := o.Read(t.Context())
	require.Contains(t, problemOf(t, err).Detail, "not a directory")
	_, err = put(t, o, map[string]any{"aiModel": "x"})
	require.Contains(t, problemOf(t, err).Detail, "Nothing was changed")
}

// TestWaitingEnds when the caller goes away while another process saves.
func TestWaitingEnds(t *testing.T) {
	o, _ := full(t)
	l := flock.New(o.file.path + ".lock")
	require.NoError(t, l.Lock())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Change(ctx, []byte(`{"aiModel":"x"}`))
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, l.Close())
	_, err = o.Change(t.Context(), []byte(`{"aiModel":"x"}`))
	require.NoError(t, err)
}

// FuzzFile: bytes that were not written by the service are never settings.
func FuzzFile(f *testing.F) {
	o := overlay(f, nil)
	o.file.random = bytes.NewReader(make([]byte, 100)) // the same file in every process that fuzzes
	_, err := put(f, o, everything(false))
	require.NoError(f, err)
	raw, err := os.ReadFile(o.file.path)
	require.NoError(f, err)
	f.Add(raw)
	f.Add(raw[:20])
	f.Add([]byte(`{"version":1,"sealed":""}` + "\n"))
	f.Fuzz(func(t *testing.T, other []byte) {
		defer fuzztest.Bound(t)()
		if bytes.Equal(other, raw) {
			return
		}
		_, err := o.file.decode(other)
		require.NotEmpty(t, problemOf(t, err).Detail)
	})
}

func BenchmarkRead(b *testing.B) {
	o, _ := full(b)
	for b.Loop() {
		if _, err := o.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
