package siem_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/platform/porttest"
)

// peer gives the path of a program scripts/siem-peers builds.
func peer(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/siem-" + name)
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skip("run make peers to build " + name)
	}
	return path
}

// took is an event the real receiver took.
type took struct {
	Time     int64
	Event    map[string]any
	Fields   map[string]any
	Resource map[string]any
}

// realCollector starts the receiver and gives its address and a function that
// stops it and gives what it took. It fails the first requests as often as told.
func realCollector(t *testing.T, failures int) (string, func() []took) {
	t.Helper()
	address := "127.0.0.1:" + strconv.Itoa(porttest.Free(t))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), peer(t, "receiver"), address, token, fmt.Sprint(failures))
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	var all []took
	var read sync.WaitGroup
	read.Go(func() {
		lines := bufio.NewReader(output)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var e took
			if json.Unmarshal(line, &e) == nil {
				all = append(all, e)
			}
		}
	})
	stop := sync.OnceValue(func() []took {
		_ = input.Close()
		read.Wait()
		require.NoError(t, cmd.Wait())
		return all
	})
	t.Cleanup(func() { stop() })
	require.Eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	return "http://" + address, stop
}

// TestRealCollector sends assessments to OpenTelemetry's receiver, with and
// without compression and with failures on the way: each event arrives once.
func TestRealCollector(t *testing.T) {
	for _, c := range []struct {
		name     string
		packed   bool
		failures int
	}{{"plain", false, 0}, {"compressed", true, 0}, {"three errors of its own", false, 3}} {
		t.Run(c.name, func(t *testing.T) {
			address, stop := realCollector(t, c.failures)
			clock := &siemtest.Clock{}
			s, err := siem.NewCollectorSender(siemtest.NewClient(t), siem.Collector{URL: address, Token: secret.New(token), Channel: channel,
				Gzip: c.packed}, clock.Pace())
			require.NoError(t, err)
			d := withPaths(t, exporttest.Large(1500), 3)
			want := events(t, d, siem.Options{CollectorIndex: "main"})
			r, err := s.Send(t.Context(), siem.Events(d, siem.Options{CollectorIndex: "main"}))
			require.NoError(t, err)
			require.Equal(t, len(want), r.Sent)
			require.Len(t, clock.Waits(), c.failures)

			times := map[string]int{}
			for _, e := range stop() {
				id, _ := e.Event["id"].(string)
				times[id]++
				require.Equal(t, id, e.Fields["document_id"])
				require.Equal(t, "main", e.Resource["com.splunk.index"])
				require.InDelta(t, d.Assessment.CompletedAt.UnixMilli(), e.Time, 1)
			}
			require.Len(t, times, len(want))
			for _, e := range want {
				require.Equal(t, 1, times[e.ID], e.ID)
			}
		})
	}
}

// TestRealCollectorWithSpoiledEvents holds the two ways the receiver blames an
// event: by its number (nested fields), and not at all (no event).
func TestRealCollectorWithSpoiledEvents(t *testing.T) {
	address, stop := realCollector(t, 0)
	s, err := siem.NewCollectorSender(siemtest.NewClient(t), siem.Collector{URL: address, Token: secret.New(token), Channel: channel},
		(&siemtest.Clock{}).Pace())
	require.NoError(t, err)
	bad := map[string]string{docID(17): `{"event":{"id":"x"},"fields":{"a":{"b":1}}}`, docID(400): `{"time":1.000}`,
		docID(401): `{"event":""}`, docID(900): `{"event":{"id":"y"},"time":"yesterday"}`}
	r, err := s.Send(t.Context(), func(yield func(siem.Event, error) bool) {
		for e, err := range numberedEvents(1000) {
			if body, ok := bad[e.ID]; ok {
				e.Body = []byte(body)
			}
			if !yield(e, err) {
				return
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, 996, r.Sent)
	require.Equal(t, 4, r.Failed)
	var arrived []string
	for _, e := range stop() {
		arrived = append(arrived, fmt.Sprint(e.Event["id"]))
	}
	slices.Sort(arrived)
	require.Len(t, arrived, 996)
	require.Len(t, slices.Compact(arrived), 996, "no event arrives twice")
	for _, o := range r.Outcomes {
		require.Equal(t, bad[o.ID] != "", o.State == siem.Failed)
	}
}

func TestRealCollectorWithAWrongToken(t *testing.T) {
	address, stop := realCollector(t, 0)
	s, err := siem.NewCollectorSender(siemtest.NewClient(t), siem.Collector{URL: address, Token: secret.New("another"), Channel: channel},
		(&siemtest.Clock{}).Pace())
	require.NoError(t, err)
	r, err := s.Send(t.Context(), numberedEvents(10))
	require.NoError(t, err)
	require.Equal(t, 10, r.Failed)
	require.Contains(t, r.Outcomes[0].Reason, "refused the token (HTTP 401)")
	require.Empty(t, stop())
}

// TestRealBulkClient writes the same file with Elasticsearch's client: the same
// documents arrive under the same ids.
func TestRealBulkClient(t *testing.T) {
	program := peer(t, "writer")
	d := withPaths(t, exporttest.Large(1500), 3)
	ours, theirs := &siemtest.Bulk{}, &siemtest.Bulk{}
	s, _ := index(t, ours)
	r, err := s.Send(t.Context(), siem.Documents(d, siem.Options{}))
	require.NoError(t, err)
	require.Equal(t, len(r.Outcomes), r.Sent)

	cmd := exec.CommandContext(t.Context(), program, siemtest.Start(t, theirs))
	cmd.Stdin = bytes.NewReader(bulkFile(t, d, siem.Options{}))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, io.Writer(os.Stderr)
	require.NoError(t, cmd.Run())
	require.Equal(t, fmt.Sprintf("%d 0\n", r.Sent), out.String())
	require.Equal(t, theirs.Stored(), ours.Stored())
	require.Equal(t, theirs.Times(), ours.Times())
}
