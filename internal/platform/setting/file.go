package setting

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

const (
	fileVersion = 2
	// seal is the context of the sealed text, so that it only opens as a settings file.
	seal = "settings-file:"
	// unnumbered is the version before files had a number.
	unnumbered = 1
	maxFile    = 1 << 20 // bytes; all keys at their longest take a tenth
)

// saved is one stored value. Origin is the server that a credential is bound to.
type saved struct {
	Value  secret.Text
	Origin secret.Text // of an address that may be a secret itself
}

func (s saved) same(other saved) bool {
	return s.Value.Equal(other.Value.Reveal()) && s.Origin.Equal(other.Origin.Reveal())
}

// contents is the saved settings and the number of saves: an older file that was restored has a
// lower number.
type contents struct {
	number int64
	all    map[Key]saved
}

// record is a stored value inside the sealed text, the only place where it is in plain text.
type record struct {
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"`
}

// numbered is the plaintext of the sealed text.
type numbered struct {
	Number   int64          `json:"number"`
	Settings map[Key]record `json:"settings"`
}

// envelope is the file: all keys and values are sealed as one text. So no value can be moved to
// another key, restored alone from an older file, or removed, without the whole file failing to
// open.
type envelope struct {
	Version int    `json:"version"`
	Sealed  []byte `json:"sealed"`
}

// file is the settings file.
type file struct {
	path   string
	key    secret.Key
	random io.Reader
}

// read returns what is saved, which is empty while there is no file.
func (f file) read() (contents, error) {
	raw, err := f.bytes()
	if errors.Is(err, os.ErrNotExist) {
		return contents{}, nil
	}
	if err != nil {
		return contents{}, posture.Problemf(posture.CodeUnavailable,
			"The settings cannot be read (%s); make %s in DATA_DIR readable for the service.", diskError(err), filepath.Base(f.path))
	}
	return f.decode(raw)
}

// decode opens the bytes of a file.
func (f file) decode(raw []byte) (contents, error) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return contents{}, f.unusable("it is damaged")
	}
	if e.Version > fileVersion {
		return contents{}, f.unusable("a newer version of the service wrote it")
	}
	// Only the exact bytes that the service writes are accepted, so that every modification is
	// noticed, even one that a JSON parser would tolerate.
	if again, err := e.bytes(); err != nil || !bytes.Equal(raw, again) || e.Version < unnumbered {
		return contents{}, f.unusable("it is damaged")
	}
	opened, err := f.key.Open(e.Sealed, seal+strconv.Itoa(e.Version))
	if err != nil {
		return contents{}, f.unusable("it is damaged, or SERVICE_ENCRYPTION_KEY is not the key it was saved with")
	}
	var n numbered
	into := any(&n)
	if e.Version == unnumbered {
		into = &n.Settings
	}
	if err := json.Unmarshal([]byte(opened.Reveal()), into); err != nil {
		return contents{}, f.unusable("it is damaged") // the decoder's error could repeat a value
	}
	out := contents{number: n.Number, all: make(map[Key]saved, len(n.Settings))}
	for k, r := range n.Settings {
		out.all[k] = saved{secret.New(r.Value), secret.New(r.Origin)}
	}
	return out, nil
}

func (f file) bytes() ([]byte, error) {
	r, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	return raw, err
}

func (e envelope) bytes() ([]byte, error) {
	raw, err := json.Marshal(e)
	return append(raw, '\n'), err
}

func (f file) unusable(why string) *posture.Problem {
	return posture.Problemf(posture.CodeUnavailable, "The settings cannot be used: %s in DATA_DIR does not open, because %s. It was left as "+
		"it is; put the file or the key back, or move the file away and save the settings again.", filepath.Base(f.path), why)
}

// replace atomically replaces the file: a concurrent reader, or a crash, sees either the old or the
// new file. The caller holds the lock.
func (f file) replace(c contents) error {
	n := numbered{c.number, make(map[Key]record, len(c.all))}
	for k, s := range c.all {
		n.Settings[k] = record{s.Value.Reveal(), s.Origin.Reveal()}
	}
	plaintext, err := json.Marshal(n)
	if err != nil {
		return err
	}
	sealed, err := f.key.Seal(secret.New(string(plaintext)), seal+strconv.Itoa(fileVersion), f.random)
	if err != nil {
		return err
	}
	raw, err := envelope{Version: fileVersion, Sealed: sealed}.bytes()
	if err != nil {
		return err
	}
	temporary := f.path + ".new"
	if err := writeNew(temporary, raw); err != nil {
		_ = os.Remove(temporary) // the first error is the one to report; the next change removes the file too
		return unsaved(err)
	}
	if err := os.Rename(temporary, f.path); err != nil {
		return unsaved(err)
	}
	if err := syncDirectory(filepath.Dir(f.path)); err != nil {
		return posture.Problemf(posture.CodeUnavailable,
			"The settings were changed, but the disk did not confirm it (%s); look at the disk, and save them again.", diskError(err))
	}
	return nil
}

// writeNew writes a file with mode 0600 and waits until it is on disk. It first removes a leftover
// of a killed process.
func writeNew(path string, raw []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // a fixed name in the operator's directory
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return errors.Join(err, w.Sync(), w.Close())
}

func syncDirectory(path string) error {
	d, err := os.Open(path) //nolint:gosec // the operator's directory
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func unsaved(err error) *posture.Problem {
	return posture.Problemf(posture.CodeUnavailable, "The settings cannot be saved (%s). Nothing was changed; make room and DATA_DIR "+
		"writable, and save them again.", diskError(err))
}

// diskError describes the error without the path.
func diskError(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return "unexpected trouble of the disk"
}
