package app_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepBodiesBesideARun sends large and encoded bodies to a process while it assesses, all
// at once and again until the run has ended: each is refused, the process stays below 256 MiB,
// and the run says what it says undisturbed.
func TestSweepBodiesBesideARun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	l, url := newLane(t, 0)
	p := spawn(t, "serve", "DATA_DIR="+t.TempDir(), "CLOUDFLARE_BASE_URL="+url, "CLOUDFLARE_API_TOKEN="+l.cloud.Tokens()[0].Secret,
		names(t, l.cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000")
	l.url = p.says(t, "listening on ")
	l.undisturbed()

	type sent struct {
		codings, body string
		status        int
	}
	spaces, noise := bytes.Repeat([]byte(" "), 64<<20), make([]byte, 5<<20)
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(noise)
	var all []sent
	for _, codings := range []string{"gzip", "br", "deflate", "zstd", "gzip,gzip", "gzip,br", "gzip,gzip,gzip"} {
		all = append(all, sent{codings, string(pack(t, spaces, strings.Split(codings, ",")...)), http.StatusUnsupportedMediaType})
	}
	for codings, size := range map[string]int{"gzip": 1 << 10, "br": 512 << 10} {
		all = append(all, sent{codings, string(pack(t, noise[:size], codings)), http.StatusUnsupportedMediaType})
	}
	all = append(all, sent{"gzip", string(pack(t, noise, "gzip")), http.StatusRequestEntityTooLarge})
	for _, size := range []int{1 << 10, 8 << 10, 64 << 10, 256 << 10, 512 << 10, 1000 << 10, 2 << 20, 3 << 20, 4 << 20, 5 << 20} {
		plain := sent{"", `{"note":"` + strings.Repeat("a", size) + `"}`, http.StatusUnprocessableEntity}
		if len(plain.body) > 1<<20 {
			plain.status = http.StatusRequestEntityTooLarge
		}
		all = append(all, plain)
	}
	require.Len(t, all, 20)

	job := l.run()
	rounds := 0
	for ended := false; !ended; rounds++ {
		statuses := make(chan int, len(all))
		for _, s := range all {
			go func() {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+"/api/assess", io.NopCloser(strings.NewReader(s.body)))
				req.ContentLength = int64(len(s.body))
				req.Header.Set("Content-Type", "application/json")
				if s.codings != "" {
					req.Header.Set("Content-Encoding", s.codings)
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(s.codings, len(s.body), err)
					statuses <- 0
					return
				}
				if resp.StatusCode != s.status {
					t.Error(s.codings, len(s.body), "got "+strconv.Itoa(resp.StatusCode))
				}
				_ = resp.Body.Close()
				statuses <- resp.StatusCode
			}()
		}
		for range all {
			<-statuses
		}
		got, err := l.try("/api/jobs/" + job)
		require.NoError(t, err)
		var state struct{ FinishedAt *string }
		got.into(t, &state)
		ended = state.FinishedAt != nil
	}
	facts, _ := l.finished(job)
	require.Equal(t, l.quiet.digest, facts.digest)
	peak := inStatus(t, strconv.Itoa(p.cmd.Process.Pid), "VmHWM") / 1024
	t.Logf("%d rounds of %d bodies beside a run; the process had %d MB at most", rounds, len(all), peak)
	require.Less(t, peak, 256)
}
