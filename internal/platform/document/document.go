// Package document caches immutable documents: each is built once, however many callers ask for it
// concurrently, stored as a compressed file, and served from that file without recompressing it.
package document

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// ErrClosed means that the cache is closed because the process ends.
var ErrClosed = errors.New("documents are no longer kept")

// Options are the limits of a cache.
type Options struct {
	// Dir is where a private directory is created for the first document; "" is the system's
	// directory for temporary files.
	Dir string
	// Bytes bounds the disk space. The least recently used documents are removed first, but the
	// newest one stays whatever its size.
	Bytes int64
	// AtOnce is how many documents are built concurrently; other builds wait.
	AtOnce int64
}

// Cache keeps documents in files. It is safe for concurrent use.
type Cache struct {
	o      Options
	making *semaphore.Weighted
	flight singleflight.Group

	mu     sync.Mutex
	dir    string
	lock   *flock.Flock // held on the directory
	made   int          // documents built so far, which names the files
	kept   *simplelru.LRU[string, file]
	bytes  int64
	closed bool
}

// file is a stored document.
type file struct {
	path          string
	packed, plain int64 // bytes
}

// New returns an empty cache.
func New(o Options) *Cache {
	c := &Cache{o: o, making: semaphore.NewWeighted(o.AtOnce)}
	kept, err := simplelru.NewLRU(math.MaxInt, func(_ string, f file) {
		c.bytes -= f.packed
		_ = os.Remove(f.path) // open readers continue; a file that cannot be removed goes with the directory
	})
	if err != nil {
		panic(err) // only a size below one is rejected
	}
	c.kept = kept
	return c
}

// Close removes all documents. Open ones can still be read to the end.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.kept.Purge()
	if c.dir == "" {
		return nil
	}
	if err := errors.Join(os.RemoveAll(c.dir), c.lock.Close()); err != nil {
		return fmt.Errorf("remove the kept documents: %w", err)
	}
	return nil
}

// Open returns the document of a key. If it is not stored, write builds it, and must write the same
// bytes each time it is called for the key; after an error nothing is stored. Concurrent callers
// share one build. The caller reads the document once, or closes it.
func (c *Cache) Open(ctx context.Context, key string, write func(ctx context.Context, w io.Writer) error) (*Document, error) {
	for {
		d, err := c.open(key)
		if d != nil || err != nil {
			return d, err
		}
		if _, err, _ := c.flight.Do(key, func() (any, error) { return nil, c.make(ctx, key, write) }); err != nil {
			return nil, err
		}
	}
}

// open returns nil when the document is not stored.
func (c *Cache) open(key string) (*Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	f, ok := c.kept.Get(key)
	if !ok {
		return nil, nil
	}
	r, err := os.Open(f.path)
	if err != nil {
		c.kept.Remove(key) // the file was removed; build it again
		return nil, nil
	}
	return &Document{file: r, sizes: f}, nil
}

func (c *Cache) make(ctx context.Context, key string, write func(context.Context, io.Writer) error) error {
	if err := c.making.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait to make a document: %w", context.Cause(ctx))
	}
	defer c.making.Release(1)
	path, err := c.place(key)
	if path == "" || err != nil {
		return err
	}
	f := file{path: path}
	if f.packed, f.plain, err = pack(ctx, path, write); err != nil {
		_ = os.Remove(path) // the first error says more
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = os.Remove(path)
		return ErrClosed
	}
	c.kept.Add(key, f)
	for c.bytes += f.packed; c.bytes > c.o.Bytes && c.kept.Len() > 1; {
		c.kept.RemoveOldest()
	}
	return nil
}

// place returns the path of a new document, or "" when another caller has just built it.
func (c *Cache) place(key string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", ErrClosed
	}
	if c.kept.Contains(key) {
		return "", nil
	}
	if _, err := os.Stat(c.dir); c.dir == "" || err != nil {
		if err := c.settle(); err != nil {
			return "", fmt.Errorf("make a directory for documents: %w", err)
		}
	}
	c.made++
	return filepath.Join(c.dir, strconv.Itoa(c.made)), nil
}

// Names of the private directory and of the lock file in it.
const (
	dirName  = "edgeposture-documents-"
	lockName = "lock"
)

// settle creates the private directory and removes those of killed processes, whose lock nobody holds.
func (c *Cache) settle() error {
	for held := false; !held; {
		var err error
		if held, err = c.claim(); err != nil {
			return err
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(c.dir), dirName+"*", lockName))
	if err != nil {
		return err
	}
	for _, path := range left {
		if l := flock.New(path); locked(l) {
			_ = os.RemoveAll(filepath.Dir(path)) // it may belong to another user, who has to remove it
			_ = l.Close()
		}
	}
	return nil
}

// claim creates a directory and reports whether it holds its lock: a process that settles at the same
// moment may take it for one of a killed process.
func (c *Cache) claim() (bool, error) {
	var err error
	if c.dir, err = os.MkdirTemp(c.o.Dir, dirName); err != nil {
		return false, err
	}
	c.lock = flock.New(filepath.Join(c.dir, lockName), flock.SetPermissions(0o600))
	held, err := c.lock.TryLock()
	if err == nil && held {
		_, err = os.Stat(c.lock.Path())
	}
	if err != nil || !held {
		_ = c.lock.Close()
	}
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return held, err
}

func locked(l *flock.Flock) bool {
	ok, err := l.TryLock()
	return ok && err == nil
}

// pack writes one file and returns the compressed and the uncompressed length.
func pack(ctx context.Context, path string, write func(context.Context, io.Writer) error) (packed, plain int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // a name this package made
	if err != nil {
		return 0, 0, fmt.Errorf("keep a document: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 64<<10)
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return 0, 0, fmt.Errorf("compress a document: %w", err)
	}
	in := &counting{w: z}
	if err := write(ctx, in); err != nil {
		return 0, 0, err
	}
	if err := errors.Join(z.Close(), out.Flush()); err != nil {
		return 0, 0, fmt.Errorf("keep a document: %w", err)
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, 0, fmt.Errorf("keep a document: %w", err)
	}
	return at, in.n, nil
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Document is a stored document, open for reading. Call exactly one of its methods.
type Document struct {
	file  *os.File
	sizes file
}

// Packed returns the gzip-compressed document and its length.
func (d *Document) Packed() (io.ReadCloser, int64) { return d.file, d.sizes.packed }

// Unpacked returns the uncompressed document and its length.
func (d *Document) Unpacked() (io.ReadCloser, int64, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(d.file, 32<<10))
	if err != nil {
		_ = d.file.Close()
		return nil, 0, fmt.Errorf("read a kept document: %w", err)
	}
	return unpacked{z, d.file}, d.sizes.plain, nil
}

// Close closes a document that is not read.
func (d *Document) Close() error { return d.file.Close() }

type unpacked struct {
	*gzip.Reader
	file *os.File
}

// Close closes the decompressor and the file.
func (p unpacked) Close() error { return errors.Join(p.Reader.Close(), p.file.Close()) }
