package app_test

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/porttest"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

// mode runs a process of the given arguments in this one.
func mode(role app.Role, environ []string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = app.Run(role, args, environ, &out, &err)
	return code, out.String(), err.String()
}

func TestMigrateOnceForAll(t *testing.T) {
	t.Parallel()
	const password = "not-to-be-shown"
	// Redis is not there: to migrate, only the database is needed.
	environ := []string{"DATABASE_URL=" + pgtest.Start(t), "REDIS_URL=redis://127.0.0.1:1", "SERVICE_ENCRYPTION_KEY=" + testKey}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			code, out, err := mode(app.Role{API: true}, environ, "migrate")
			if code != 0 || !strings.Contains(out, "postgres") {
				t.Errorf("migrate ended with %d: %s%s", code, out, err)
			}
		})
	}
	all.Wait()
	code, _, stderr := mode(app.Role{API: true}, []string{"DATABASE_URL=postgres://u:" + password + "@127.0.0.1:1/x", environ[1], environ[2]},
		"migrate")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "DATABASE_URL")
	require.NotContains(t, stderr, password)
	require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}

func TestMigrateAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/made"
	environ := []string{"DATA_DIR=" + dir}
	for range 2 {
		code, out, stderr := mode(app.Role{API: true}, environ, "migrate")
		require.Zero(t, code, stderr)
		require.Equal(t, "the schema in sqlite is the newest\n", out)
	}
	s := &system{t: t}
	s.open(environ)
	code, _, stderr := mode(app.Role{API: true}, environ, "migrate")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "another edgeposture process uses DATA_DIR")
}

func TestModesRefuse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		role    app.Role
		environ []string
		args    []string
		code    int
		want    string
	}{
		"unknown":         {app.Role{API: true}, nil, []string{"serve"}, 2, "migrate, health"},
		"too many":        {app.Role{API: true}, nil, []string{"health", "now"}, 2, "migrate, health"},
		"bad environment": {app.Role{API: true}, []string{"PORT=x"}, []string{"migrate"}, 2, "PORT"},
		"bad to serve":    {app.Role{API: true}, []string{"PORT=x"}, nil, 2, "PORT"},
		"bad to check":    {app.Role{API: true}, []string{"PORT=x"}, []string{"health"}, 1, "PORT"},
		"worker of none":  {app.Role{Worker: true}, nil, nil, 2, "needs both"},
		"no port":         {app.Role{API: true}, nil, []string{"health"}, 1, "PORT is unset"},
		"nobody there":    {app.Role{API: true}, []string{"PORT=1"}, []string{"health"}, 1, "does not answer"},
		"worker alone":    {app.Role{Worker: true}, nil, []string{"health"}, 1, "REDIS_URL is unset"},
		"no Redis": {app.Role{Worker: true}, []string{"DATABASE_URL=postgres://h/x", "REDIS_URL=redis://:pw-never-shown@127.0.0.1:1",
			"SERVICE_ENCRYPTION_KEY=" + testKey}, []string{"health"}, 1, "REDIS_URL does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, stderr := mode(tc.role, tc.environ, tc.args...)
			require.Equal(t, tc.code, code)
			require.Empty(t, out)
			require.Contains(t, stderr, tc.want)
			require.NotContains(t, stderr, "pw-never-shown")
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}

// TestHealth starts the distributed deployment, asks each process for its
// health, and takes away what it hangs on.
func TestHealth(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	server := redistest.Run(t)
	port := strconv.Itoa(porttest.Free(t))
	environ := append(shared(t, cloud, url, server.URL), "PORT="+port)
	api := spawn(t, "serve", environ...)
	api.says(t, "listening on ")
	api1, worker1 := app.Role{API: true}, app.Role{Worker: true}
	code, _, stderr := mode(worker1, environ, "health")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "no worker on")
	w := spawn(t, "worker", environ...)
	w.says(t, "worker ready")
	eventually(t, 20*time.Second, "the worker shows a sign of life",
		func() bool { code, _, _ := mode(worker1, environ, "health"); return code == 0 })
	code, out, stderr := mode(api1, environ, "health")
	require.Zero(t, code, stderr)
	require.Equal(t, "ready\n", out)

	w.kill()
	eventually(t, 40*time.Second, "the killed worker is missed",
		func() bool { code, _, _ := mode(worker1, environ, "health"); return code == 1 })
	server.Down()
	code, _, stderr = mode(api1, environ, "health")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "answers 503")
}
