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

// lockWithin is how long a writer waits for another process to finish.
const lockWithin = 10 * time.Second

// Options configures an Overlay. All fields are needed; Environment may be empty.
type Options struct {
	Path        string // of the settings file; its directory is made by the first change
	Key         secret.Key
	Environment Environment
	Random      io.Reader
	Numbers     Numbers
}

// Numbers remembers how often the settings were saved, where nobody who can write the file can.
type Numbers interface {
	SettingsNumber(ctx context.Context) (int64, error)
	NoteSettingsNumber(ctx context.Context, n int64) error
}

// Overlay reads and changes the settings. Any number of goroutines and
// processes may use one file: each read sees a whole file, and writers take
// turns. Nothing is kept in memory, so what one process saved the next read of
// every other one sees.
type Overlay struct {
	file    file
	env     Environment
	numbers Numbers
	lock    func(ctx context.Context) (unlock func(), err error)
}

// New makes an overlay. Nothing is read yet.
func New(o Options) *Overlay {
	v := &Overlay{file: file{path: o.Path, key: o.Key, random: o.Random}, env: o.Environment, numbers: o.Numbers}
	v.lock = v.exclusively
	return v
}

// Read gives all settings at this instant. A file that cannot be used is a
// *posture.Problem: nothing that might be configured is taken for unset.
func (o *Overlay) Read(ctx context.Context) (Values, error) {
	values, _, err := o.read(ctx)
	return values, err
}

// read gives the settings and the number of the last save. No file is none that was put
// back: to move it away is how one that does not open is dealt with.
func (o *Overlay) read(ctx context.Context) (Values, int64, error) {
	noted, err := o.numbers.SettingsNumber(ctx)
	if err != nil {
		return Values{}, 0, fmt.Errorf("look how often the settings were saved: %w", err)
	}
	in, err := o.file.read() // after the number, so that one saved in between is newer
	if err != nil {
		return Values{}, 0, err
	}
	if in.all != nil && in.number < noted {
		return Values{}, 0, o.file.unusable("it is older than the one saved last")
	}
	return Values{saved: in.all, env: o.env}, max(noted, in.number), nil
}

// Change makes the change a JSON object describes: a text sets its key, "" clears
// it, what is not named stays. It is all or nothing. The error is a
// *posture.Problem that names each wrong place, or says why the file cannot be
// used; then it is left as it is.
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
	if maps.EqualFunc(before.saved, after.saved, saved.same) {
		return after, nil
	}
	number++
	if err := o.file.replace(contents{number, after.saved}); err != nil {
		return after, err
	}
	// A process that ends here leaves a file that is newer than what is noted, which is taken.
	if err := o.numbers.NoteSettingsNumber(ctx, number); err != nil {
		return after, fmt.Errorf("note how often the settings were saved, which they were: %w", err)
	}
	return after, nil
}

// exclusively waits for the lock all writers of the file share. It lies beside
// the file, because the file itself is replaced.
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
		return func() { _ = l.Close() }, nil // closing it gives the lock back, and cannot fail in a way that keeps it
	case errors.Is(err, context.DeadlineExceeded):
		return nil, posture.Problemf(posture.CodeUnavailable,
			"The settings cannot be saved: another process has been saving them for %s. Nothing was changed; try again.", lockWithin)
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("wait for the lock of the settings: %w", err)
	default:
		return nil, unsaved(err)
	}
}
