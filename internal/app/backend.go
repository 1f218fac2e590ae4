package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/gofrs/flock"

	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

// backend is the storage of the system.
type backend struct {
	store     store.Store
	redis     queue.Client
	queueName string
	notifier  *queue.Notifier
}

// openBackend opens the store, the queue and the key for the configured deployment.
func (a *App) openBackend(ctx context.Context) error {
	if err := a.openStore(ctx); err != nil {
		return err
	}
	address, name := a.cfg.RedisURL.Reveal(), "redis"
	if a.cfg.Embedded() {
		var err error
		if address, err = a.startRedis(); err != nil {
			return err
		}
		name = "embedded"
	}
	rdb, err := queue.Connect(ctx, address)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, rdb.Close)
	a.backend.redis, a.backend.queueName, a.backend.notifier = rdb, name, queue.NewNotifier(rdb)
	return nil
}

// clockEvery is how often a process reads the clock of the database.
const clockEvery = 2 * time.Second

// openClock makes the process use the clock of the database in a distributed deployment. A machine
// with a wrong clock would otherwise consider the jobs of others lost.
func (a *App) openClock(ctx context.Context) error {
	if a.cfg.Embedded() {
		return nil
	}
	c := clock.New(a.o.Now, a.backend.store.Now)
	if err := c.Sync(ctx); err != nil {
		return err
	}
	if off := c.Now().Sub(a.o.Now()).Abs(); off > time.Minute {
		a.o.Log.Warn("the clock of this machine differs from the database's, which is used", "by", off.Round(time.Second))
	}
	a.o.Now = c.Now
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var follow sync.WaitGroup
	follow.Go(func() { c.Follow(ctx, clockEvery) })
	a.closers = append(a.closers, func() error { stop(); follow.Wait(); return nil })
	return nil
}

// openStore opens the database, migrates it to the newest schema, and verifies that it belongs to the key.
func (a *App) openStore(ctx context.Context) (err error) {
	if a.cfg.Embedded() {
		err = a.openFile(ctx)
	} else {
		err = a.openServer(ctx)
	}
	if err != nil {
		return err
	}
	a.backend.store = scoped.New(a.backend.store)
	a.closers = append(a.closers, a.backend.store.Close)
	return sameKey(ctx, a.backend.store, a.key)
}

func (a *App) openServer(ctx context.Context) (err error) {
	if a.key, err = secret.ParseKey(a.cfg.EncryptionKey.Reveal()); err != nil {
		return fmt.Errorf("SERVICE_ENCRYPTION_KEY is not usable: %w", err)
	}
	// It has settings, which are sealed, and exports, and is often a volume that only its owner can close.
	if err := a.makePrivate(a.cfg.DataDir); err != nil && !errors.Is(err, os.ErrNotExist) {
		a.o.Log.Warn(err.Error())
	}
	if a.backend.store, err = postgres.Open(ctx, a.cfg.DatabaseURL.Reveal()); err != nil {
		return fmt.Errorf("the database at DATABASE_URL cannot be used: %w", err)
	}
	return nil
}

func (a *App) openFile(ctx context.Context) (err error) {
	dir := a.cfg.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR %s cannot be made (%w); choose a directory this user may write", dir, rootOf(err))
	}
	if err := a.lock(dir); err != nil {
		return err
	}
	if err := a.makePrivate(dir); err != nil {
		return err
	}
	if err := a.loadKey(dir); err != nil {
		return err
	}
	if a.backend.store, err = sqlite.Open(ctx, filepath.Join(dir, "edgeposture.db")); err != nil {
		return fmt.Errorf("the database in DATA_DIR cannot be used: %w", err)
	}
	return nil
}

// InUseError means that another process uses the data directory.
type InUseError struct{ Dir string }

// Error names the directory and what to do.
func (e *InUseError) Error() string {
	return fmt.Sprintf("another edgeposture process uses DATA_DIR %s; stop it, or choose another DATA_DIR", e.Dir)
}

// lock makes sure that only one process at a time uses the data directory.
func (a *App) lock(dir string) error {
	file := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	alone, err := file.TryLock()
	if err != nil {
		return fmt.Errorf("DATA_DIR %s cannot be written (%w); choose a directory this user may write", dir, rootOf(err))
	}
	if !alone {
		return &InUseError{Dir: dir}
	}
	a.closers = append(a.closers, file.Close)
	return nil
}

// loadKey loads the key from the environment, or else from the data directory, where the first
// start creates it.
func (a *App) loadKey(dir string) error {
	if !a.cfg.EncryptionKey.IsZero() {
		key, err := secret.ParseKey(a.cfg.EncryptionKey.Reveal())
		a.key = key
		return err
	}
	path := filepath.Join(dir, "encryption.key")
	raw, err := os.ReadFile(path) //nolint:gosec // a fixed name in the operator's directory
	if errors.Is(err, os.ErrNotExist) {
		return a.makeKey(path)
	}
	if err != nil {
		return fmt.Errorf("the key file %s cannot be read: %w", path, rootOf(err))
	}
	key, err := secret.ParseKey(string(raw))
	if err != nil {
		return fmt.Errorf("the key file %s is damaged (%w); restore it, or set SERVICE_ENCRYPTION_KEY", path, err)
	}
	a.key = key
	return nil
}

// makeKey writes the key to a temporary file first, so that a full disk or a crash never leaves a
// partial key.
func (a *App) makeKey(path string) error {
	key, err := secret.NewKey(a.o.Random)
	if err != nil {
		return err
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(key.Encode()), 0o600); err != nil {
		return fmt.Errorf("the key file %s cannot be written: %w", path, rootOf(err))
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("the key file %s cannot be written: %w", path, rootOf(err))
	}
	a.key = key
	return nil
}

// startRedis starts the in-process server on loopback with a random password. Its clock only
// advances when told to, so a ticker advances it to let keys expire.
func (a *App) startRedis() (address string, err error) {
	password := make([]byte, 16)
	if _, err := rand.Read(password); err != nil {
		return "", fmt.Errorf("read randomness: %w", err)
	}
	m := miniredis.NewMiniRedis()
	m.RequireAuth(hex.EncodeToString(password))
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return "", fmt.Errorf("start the in-process queue: %w", err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				m.FastForward(time.Second)
			}
		}
	}()
	a.closers = append(a.closers, func() error { close(stop); <-stopped; m.Close(); return nil })
	return "redis://:" + hex.EncodeToString(password) + "@" + m.Addr(), nil
}
