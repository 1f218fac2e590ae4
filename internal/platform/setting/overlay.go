package setting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// lockWithin is how long a writer waits for another process.
const lockWithin = 10 * time.Second

// Options configures an Overlay. All fields are required, except that Environment may be empty.
type Options struct {
	Path        string // of the settings file; the first change creates its directory
	Key         secret.Key
	Environment Environment
	Random      io.Reader
	Numbers     Numbers
}

// Numbers stores the number of saves, where somebody who can write the settings file cannot change it.
type Numbers interface {
	SettingsNumber(ctx context.Context) (int64, error)
	NoteSettingsNumber(ctx context.Context, n int64) error
}

// Overlay reads and changes the settings. Any number of goroutines and processes may use the same
// file: each read sees a complete file, and writers take turns. Nothing is cached, so every process
// sees what another one saved at its next read.
type Overlay struct {
	file    file
	env     Environment
	numbers Numbers
	lock    func(ctx context.Context) (unlock func(), err error)
}

// New returns an overlay. It reads nothing yet.
func New(o Options) *Overlay {
	v := &Overlay{file: file{path: o.Path, key: o.Key, random: o.Random}, env: o.Environment, numbers: o.Numbers}
	v.lock = v.exclusively
	return v
}

// Read returns all current settings. An unusable file is a *posture.Problem, so that nothing that
// may be configured is treated as unset.
func (o *Overlay) Read(ctx context.Context) (Values, error) {
	values, _, err := o.read(ctx)
	return values, err
}

// read returns the settings and the number of the last save. A missing file is accepted, because
// moving the file away is the remedy for one that does not open.
func (o *Overlay) read(ctx context.Context) (Values, int64, error) {
	noted, err := o.numbers.SettingsNumber(ctx)
	if err != nil {
		return Values{}, 0, fmt.Errorf("look how often the settings were saved: %w", err)
	}
	in, err := o.file.read() // after the number, so that a concurrent save only makes it newer
	if err != nil {
		return Values{}, 0, err
	}
	if in.all != nil && in.number < noted {
		return Values{}, 0, o.file.unusable("it is older than the one saved last")
	}
	return Values{saved: in.all, env: o.env}, max(noted, in.number), nil
}

// Elsewhere reports whether settings were saved and the file that this process reads is not there, as when
// it has a DATA_DIR of its own.
func (o *Overlay) Elsewhere(ctx context.Context) bool {
	values, number, err := o.read(ctx)
	return err == nil && values.saved == nil && number > 0
}

// Change applies the change in a JSON object: a text sets its key, "" clears it, and keys that are
// not named keep their value. It applies all of it or nothing. The error is a *posture.Problem that
// names each invalid member, or says why the file cannot be used, which is then left unchanged, or
// that the change is saved and was not recorded.
func (o *Overlay) Change(ctx context.Context, body []byte) (Values, error) {
	c, err := parse(body)
	if err != nil {
		return Values{}, err
	}
	if len(c) == 0 {
		return o.Read(ctx)
	}
	unlock, err := o.lock(ctx)
	if err != nil {
		return Values{}, err
	}
	defer unlock()
	before, number, err := o.read(ctx)
	if err != nil {
		return Values{}, err
	}
	after := before.apply(c)
	if !maps.EqualFunc(before.saved, after.saved, saved.same) {
		number++
		if err := o.file.replace(contents{number, after.saved}); err != nil {
			return after, err
		}
	}
	// A process that ends here leaves a file newer than the recorded number, which read accepts.
	if o.numbers.NoteSettingsNumber(ctx, number) != nil {
		return after, posture.Problemf(posture.CodeUnavailable, "The settings are saved, but the database did not record how often they were, "+
			"so an older file in their place would go unnoticed. Save them again when the database answers.")
	}
	return after, nil
}

// exclusively waits for the lock that all writers of the file share. The lock is a separate file,
// because the settings file itself is replaced.
func (o *Overlay) exclusively(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(o.file.path), 0o700); err != nil {
		return nil, unsaved(err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	l := flock.New(o.file.path+".lock", flock.SetPermissions(0o600))
	_, err := l.TryLockContext(ctx, 5*time.Millisecond)
	switch {
	case err == nil:
		return func() { _ = l.Close() }, nil // closing releases the lock and cannot fail in a way that keeps it
	case errors.Is(err, context.DeadlineExceeded):
		return nil, posture.Problemf(posture.CodeUnavailable,
			"The settings cannot be saved: another process has been saving them for %s. Nothing was changed; try again.", lockWithin)
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("wait for the lock of the settings: %w", err)
	default:
		return nil, unsaved(err)
	}
}
