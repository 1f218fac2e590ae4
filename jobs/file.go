package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
)

// File is an export that the service keeps until it is fetched.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	URL    string `json:"url"`
}

// Files is the directory of exports. It is created when the first file is written; no name leads
// outside of it.
type Files struct{ Dir string }

func exportName() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f-]{36}\.(documents|events)\.ndjson$`)
}

// Open opens an export. fs.ErrNotExist when there is none of that name.
func (f Files) Open(name string) (*os.File, error) {
	if !exportName().MatchString(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only a handle on the directory
	return root.Open(name)
}

// write writes a complete file or none.
func (f Files) write(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of exports: %w", err)
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return fmt.Errorf("open the directory of exports: %w", err)
	}
	defer func() { _ = root.Close() }() // only a handle on the directory
	part := name + ".part"
	out, err := root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make an export: %w", err)
	}
	err = errors.Join(write(out), out.Sync(), out.Close())
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part) // the first error is the one to report
		return fmt.Errorf("write an export: %w", err)
	}
	return nil
}

// partLife is longer than any export takes.
const partLife = Day

// forget removes the exports that were written before an instant, and what killed processes left half written.
func (f Files) forget(before, now time.Time) error {
	root, err := os.OpenRoot(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the directory of exports: %w", err)
	}
	defer func() { _ = root.Close() }() // only a handle on the directory
	for _, kind := range []struct {
		files string
		until time.Time
	}{{"*.ndjson", before}, {"*.ndjson.part", now.Add(-partLife)}} {
		names, err := fs.Glob(root.FS(), kind.files)
		if err != nil {
			return fmt.Errorf("list the exports: %w", err)
		}
		for _, name := range names {
			info, err := root.Lstat(name)
			if err == nil && exportName().MatchString(strings.TrimSuffix(name, ".part")) && info.ModTime().Before(kind.until) {
				err = root.Remove(name)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process removes them, too
				return fmt.Errorf("remove an export: %w", err)
			}
		}
	}
	return nil
}

// toFiles writes both files completely when the first document is sent. Their names are derived from
// the delivery id, so that a second attempt writes the same files.
func (s *shipment) toFiles(ctx context.Context, out ShipResult) (ShipResult, error) {
	id := deliveryID(s.a.Row.ID, TargetFile)
	if s.args.Replay != "" {
		id = s.args.Replay
	}
	files := [...]struct {
		name  string
		write func(io.Writer) error
	}{
		{id + ".documents.ndjson", func(w io.Writer) error { return siem.WriteDocuments(w, s.doc, s.o) }},
		{id + ".events.ndjson", func(w io.Writer) error { return siem.WriteEvents(w, s.doc, s.o) }},
	}
	written, trouble := false, error(nil)
	write := func() {
		trouble = nil
		for _, f := range files {
			trouble = errors.Join(trouble, s.k.Files.write(f.name, f.write))
		}
		written = trouble == nil
	}
	result, err := deliver.Run(ctx, s.k.Deliver, s.job(TargetFile), deliver.Receiver[siem.Event]{Name: TargetFile, Destination: "",
		ID:        func(e siem.Event) string { return e.ID },
		Documents: func() iter.Seq2[siem.Event, error] { return siem.Events(s.doc, s.o) }, // one for each document
		Send: func(_ context.Context, group []siem.Event) []deliver.Verdict {
			if !written {
				write()
			}
			return slices.Repeat([]deliver.Verdict{{Sent: written, Again: !written,
				Reason: "The file could not be written; see the log of the worker."}}, len(group))
		}})
	if err != nil {
		return out, err
	}
	if result.Delivery.State != posture.DeliveryDelivered {
		return out, fmt.Errorf("write the export files: %w", trouble)
	}
	for _, f := range files {
		file, err := s.k.Files.describe(f.name)
		if err != nil {
			return out, err
		}
		out.Files = append(out.Files, file)
	}
	out.Documents = result.Delivery.Documents
	return out, nil
}

// describe returns the metadata of a written file.
func (f Files) describe(name string) (File, error) {
	in, err := f.Open(name)
	if err != nil {
		return File{}, fmt.Errorf("open an export: %w", err)
	}
	defer func() { _ = in.Close() }() // read only
	sum := sha256.New()
	n, err := io.Copy(sum, in)
	if err != nil {
		return File{}, fmt.Errorf("read an export: %w", err)
	}
	return File{Name: name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil)), URL: "/api/integrations/files/" + name}, nil
}
