// Package document keeps documents that never change: each is made once, however many ask
// for it at the same time, lies compressed in a file, and is read from there as it lies.
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

// ErrClosed means that nothing is kept any more, because the process ends.
var ErrClosed = errors.New("documents are no longer kept")

// Options say how much is kept.
type Options struct {
	// Dir is where a private directory is made when the first document is; "" is that of
	// the system for what is temporary.
	Dir string
	// Bytes is up to how much of the disk is used: what was read longest ago goes first,
	// but the newest document stays whatever its size.
	Bytes int64
	// AtOnce is how many documents are made at the same time; others wait.
	AtOnce int64
}

// Cache keeps documents in files. It is safe for concurrent use.
type Cache struct {
	o      Options
	making *semaphore.Weighted
	flight singleflight.Group

	mu     sync.Mutex
	dir    string
	lock   *flock.Flock // of the directory
	made   int          // documents, ever
	kept   *simplelru.LRU[string, file]
	bytes  int64
	closed bool
}

// file is a document as it lies.
type file struct {
	path          string
	packed, plain int64 // bytes
}

// New makes an empty cache.
func New(o Options) *Cache {
	c := &Cache{o: o, making: semaphore.NewWeighted(o.AtOnce)}
	kept, err := simplelru.NewLRU(math.MaxInt, func(_ string, f file) {
		c.bytes -= f.packed
		_ = os.Remove(f.path) // who reads it goes on; what cannot be removed goes with the directory
	})
	if err != nil {
		panic(err) // only a size below one is refused
	}
	c.kept = kept
	return c
}

// Close forgets all documents. Those that are being read can be read to their end.
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

// Open gives the document of a key. When it is not kept, it is made by write, which must
// write the same bytes whenever it is called for the key; an error of it keeps nothing.
// Whoever comes while a document is made gets that one. The caller reads it once, or closes it.
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

// open gives nothing when the document is not kept.
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
		c.kept.Remove(key) // somebody tidied up; it is made anew
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
		_ = os.Remove(path) // the error tells more
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

// place gives the path of a new document, "" when another caller has just made it.
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

// The names of a private directory and of the file in it that its process holds locked.
const (
	dirName  = "edgeposture-documents-"
	lockName = "lock"
)

// settle makes the private directory, and removes those of processes that were killed: what
// nobody holds locked belongs to nobody.
func (c *Cache) settle() (err error) {
	if c.dir, err = os.MkdirTemp(c.o.Dir, dirName); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(c.dir), dirName+"*", lockName))
	if err != nil {
		return err
	}
	for _, path := range left {
		if l := flock.New(path); locked(l) {
			_ = os.RemoveAll(filepath.Dir(path)) // of another user perhaps; it is theirs to tidy
			_ = l.Close()
		}
	}
	c.lock = flock.New(filepath.Join(c.dir, lockName), flock.SetPermissions(0o600))
	_, err = c.lock.TryLock()
	return err
}

func locked(l *flock.Flock) bool {
	ok, err := l.TryLock()
	return ok && err == nil
}

// pack writes one file, and tells how long it and the document are.
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

// Document is one that is kept, open for reading. Only one of its methods is called.
type Document struct {
	file  *os.File
	sizes file
}

// Packed reads the document compressed by gzip, and says how long that is.
func (d *Document) Packed() (io.ReadCloser, int64) { return d.file, d.sizes.packed }

// Unpacked reads the document as it was written, and says how long it is.
func (d *Document) Unpacked() (io.ReadCloser, int64, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(d.file, 32<<10))
	if err != nil {
		_ = d.file.Close()
		return nil, 0, fmt.Errorf("read a kept document: %w", err)
	}
	return unpacked{z, d.file}, d.sizes.plain, nil
}

// Close is for a document that is not read.
func (d *Document) Close() error { return d.file.Close() }

type unpacked struct {
	*gzip.Reader
	file *os.File
}

// Close implements io.Closer.
func (p unpacked) Close() error { return errors.Join(p.Reader.Close(), p.file.Close()) }
