package document

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type writer = func(context.Context, io.Writer) error

func text(s string) writer {
	return func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func unwanted(context.Context, io.Writer) error { return errors.New("it was made again") }

func made(t *testing.T, bytes int64) *Cache {
	t.Helper()
	c := New(Options{Dir: t.TempDir(), Bytes: bytes, AtOnce: 2})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// bothForms reads a document in its two forms, which must be of one text.
func bothForms(t *testing.T, c *Cache, key string, write writer) string {
	t.Helper()
	d, err := c.Open(t.Context(), key, write)
	require.NoError(t, err)
	r, size := d.Packed()
	packed, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Len(t, packed, int(size))
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(z)
	require.NoError(t, err)
	d, err = c.Open(t.Context(), key, unwanted)
	require.NoError(t, err)
	r, size, err = d.Unpacked()
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Len(t, plain, int(size))
	require.Equal(t, string(unpacked), string(plain))
	return string(plain)
}

func TestDocumentIsKept(t *testing.T) {
	c := made(t, 1<<20)
	for key, want := range map[string]string{"empty": "", "short": "x", "../odd/key\x00": "y", "long": strings.Repeat("some text ", 1<<16)} {
		require.Equal(t, want, bothForms(t, c, key, text(want)))
	}
	names, err := filepath.Glob(filepath.Join(c.dir, "*"))
	require.NoError(t, err)
	require.Len(t, names, 5, "and the lock")
	for path, mode := range map[string]os.FileMode{c.dir: 0o700, names[0]: 0o600} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm())
	}
	require.NoError(t, c.Close())
	require.NoDirExists(t, c.dir)
	_, err = c.Open(t.Context(), "short", text("x"))
	require.ErrorIs(t, err, ErrClosed)
}

// TestOneMakesForAll: of many who ask at once one makes the document, and no more
// documents are made at the same time than are allowed.
func TestOneMakesForAll(t *testing.T) {
	c := made(t, 1<<20)
	const callers = 60
	var begun, now, most, times atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		key := string(rune('a' + i%6))
		all.Go(func() {
			begun.Add(1)
			d, err := c.Open(t.Context(), key, func(_ context.Context, w io.Writer) error {
				now.Add(1)
				defer now.Add(-1)
				for range 1000 { // all who may come in do
					most.Store(max(most.Load(), now.Load()))
					for runtime.Gosched(); begun.Load() < callers; runtime.Gosched() {
					}
				}
				times.Add(1)
				return text(key)(t.Context(), w)
			})
			if err != nil {
				t.Error(err)
				return
			}
			r, _, err := d.Unpacked()
			if err != nil {
				t.Error(err)
				return
			}
			if b, err := io.ReadAll(r); err != nil || string(b) != key || r.Close() != nil {
				t.Error(key, string(b), err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 6, times.Load())
	require.LessOrEqual(t, most.Load(), int64(2))
}

// TestWhatFailsIsNotKept: nothing of a document that broke off is left, and the next who
// asks makes it.
func TestWhatFailsIsNotKept(t *testing.T) {
	c := made(t, 1<<20)
	broken := errors.New("the database went away")
	_, err := c.Open(t.Context(), "a", func(_ context.Context, w io.Writer) error {
		return errors.Join(text("half of ")(t.Context(), w), broken)
	})
	require.ErrorIs(t, err, broken)
	names, err := filepath.Glob(filepath.Join(c.dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{c.lock.Path()}, names)
	require.Equal(t, "all of it", bothForms(t, c, "a", text("all of it")))
	require.NoError(t, os.RemoveAll(c.dir), "somebody tidies up")
	require.Equal(t, "all of it", bothForms(t, c, "a", text("all of it")))
}

// TestDiskIsBounded: what was read longest ago goes first, also while it is read, and one
// document stays however large it is.
func TestDiskIsBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func() string {
		b := make([]byte, 10_000)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return string(b)
	}
	c := made(t, 35_000)
	a := noise()
	bothForms(t, c, "a", text(a))
	for _, key := range []string{"b", "c"} {
		bothForms(t, c, key, text(noise()))
	}
	bothForms(t, c, "a", unwanted)
	bothForms(t, c, "d", text(noise())) // b goes
	bothForms(t, c, "a", unwanted)
	_, err := c.Open(t.Context(), "b", unwanted)
	require.ErrorContains(t, err, "made again")
	reading, err := c.Open(t.Context(), "a", unwanted)
	require.NoError(t, err)
	bothForms(t, c, "large", text(noise()+noise()+noise()+noise()))
	names, err := filepath.Glob(filepath.Join(c.dir, "*"))
	require.NoError(t, err)
	require.Len(t, names, 2, "and the lock")
	r, _, err := reading.Unpacked()
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, a, string(got))
}

// TestWhatKilledProcessesLeaveIsRemoved: the next process that keeps a document removes
// the directories nobody holds, and no others.
func TestWhatKilledProcessesLeaveIsRemoved(t *testing.T) {
	alive := made(t, 1<<20)
	bothForms(t, alive, "a", text("a"))
	killed := filepath.Join(alive.o.Dir, dirName+"killed")
	foreign := filepath.Join(alive.o.Dir, "foreign")
	for _, dir := range []string{killed, foreign} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		for _, name := range []string{lockName, "1"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("left"), 0o600))
		}
	}
	next := New(alive.o)
	defer func() { require.NoError(t, next.Close()) }()
	bothForms(t, next, "a", text("a"))
	require.NoDirExists(t, killed)
	require.DirExists(t, foreign)
	require.Equal(t, "a", bothForms(t, alive, "a", unwanted))
}

// TestCachesThatStartAtOnce: none takes the directory of another for that of a killed process.
func TestCachesThatStartAtOnce(t *testing.T) {
	dir := t.TempDir()
	var g sync.WaitGroup
	for range 40 {
		c := New(Options{Dir: dir, Bytes: 1 << 20, AtOnce: 2})
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		g.Go(func() {
			d, err := c.Open(t.Context(), "key", text("a document"))
			if !assert.NoError(t, err) {
				return
			}
			assert.NoError(t, d.Close())
		})
	}
	g.Wait()
}
