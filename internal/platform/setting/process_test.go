package setting

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writerEnv makes the test's own binary a process that writes one key.
const writerEnv = "EDGEPOSTURE_TEST_SETTING_WRITER"

const writes = 60

// writer changes one key again and again; its own last value must always be
// there. It says "lost" when another process undid it.
func writer() int {
	var w struct {
		Path, Key         string
		Unlocked, Forever bool
	}
	if err := json.Unmarshal([]byte(os.Getenv(writerEnv)), &w); err != nil {
		return 2
	}
	o := New(Options{Path: w.Path, Key: testKey(new(testing.T), 7), Random: rand.Reader, Numbers: &notes{}})
	if w.Unlocked {
		o.lock = func(context.Context) (func(), error) { return func() {}, nil }
	}
	for i := 0; i < writes || w.Forever; i++ {
		if v, err := o.Read(context.Background()); err != nil || i > 0 && v.Entries()[Key(w.Key)].Value != "write-"+strconv.Itoa(i-1) {
			fmt.Println("lost", err)
			return 1
		}
		if _, err := o.Change(context.Background(), fmt.Appendf(nil, `{%q:"write-%d"}`, w.Key, i)); err != nil {
			fmt.Println("refused", err)
			return 1
		}
	}
	return 0
}

// race runs two processes on one file and tells whether either lost a write.
func race(t *testing.T, o *Overlay, unlocked bool) (lost bool) {
	t.Helper()
	var running []*exec.Cmd
	for _, key := range []Key{AIModel, SearchUsername} {
		raw, err := json.Marshal(map[string]any{"Path": o.file.path, "Key": key, "Unlocked": unlocked})
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+string(raw))
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		err := cmd.Wait()
		var exit *exec.ExitError
		require.True(t, err == nil || errors.As(err, &exit) && exit.ExitCode() == 1, "%v", err)
		lost = lost || err != nil
	}
	return lost
}

// TestTwoProcesses: with the lock no write is lost and a reader never meets half
// a file; without it writes are lost, which shows that the test can see that.
func TestTwoProcesses(t *testing.T) {
	o, _ := full(t)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if v, err := o.Read(t.Context()); err != nil || !v.Entries()[HECToken].Configured {
				stopped <- fmt.Errorf("a reader met a file between two: %w", err)
				return
			}
		}
	}()
	require.False(t, race(t, o, false))
	close(stop)
	require.NoError(t, <-stopped)
	v, err := o.Read(t.Context())
	require.NoError(t, err)
	last := "write-" + strconv.Itoa(writes-1)
	require.Equal(t, []string{last, last}, []string{v.Entries()[AIModel].Value, v.Entries()[SearchUsername].Value})

	lost := false
	for range 5 {
		lost = lost || race(t, o, true)
	}
	require.True(t, lost, "without the lock")
}

// TestKilledWriters kills writers at some moment of their work: the file always
// opens, and the lock of the dead one holds nobody up.
func TestKilledWriters(t *testing.T) {
	o, _ := full(t)
	model := func() string {
		v, err := o.Read(t.Context())
		require.NoError(t, err)
		require.True(t, v.Entries()[HECToken].Configured)
		return v.Entries()[AIModel].Value
	}
	for range 20 {
		_, err := put(t, o, map[string]any{"aiModel": "before"})
		require.NoError(t, err)
		raw, err := json.Marshal(map[string]any{"Path": o.file.path, "Key": AIModel, "Forever": true})
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+string(raw))
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return model() != "before" }, 20*time.Second, time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		require.Contains(t, model(), "write-")
	}
}
