package charts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/stretchr/testify/require"
)

// stages parses the Dockerfile as BuildKit does.
func stages(t *testing.T) ([]instructions.Stage, []instructions.ArgCommand) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "Dockerfile"))
	require.NoError(t, err)
	got, err := parser.Parse(bytes.NewReader(raw))
	require.NoError(t, err)
	require.Empty(t, got.Warnings)
	var warnings []string
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		warnings = append(warnings,
			rule+": "+message)
	}})
	all, args, err := instructions.Parse(got.AST, lint)
	require.NoError(t, err)
	require.Empty(t, warnings)
	return all, args
}

// of gives the instructions of one type in a stage.
func of[T any](s instructions.Stage) []T {
	var out []T
	for _, c := range s.Commands {
		if v, ok := c.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

func imageEnvironment(t *testing.T) map[string]string {
	t.Helper()
	all, _ := stages(t)
	out := map[string]string{}
	for _, e := range of[*instructions.EnvCommand](all[len(all)-1]) {
		for _, kv := range e.Env {
			out[kv.Key] = kv.Value
		}
	}
	return out
}

func TestImage(t *testing.T) {
	all, args := stages(t)
	require.Len(t, all, 3)
	bases := map[string]string{}
	for _, a := range args {
		for _, kv := range a.Args {
			bases[kv.Key] = kv.ValueString()
		}
	}
	for i, want := range []string{"NODE_IMAGE", "GO_IMAGE", "BASE_IMAGE"} {
		require.Equal(t, "${"+want+"}", all[i].BaseName, "a release could not name the base by digest")
		require.Regexp(t, `^[a-z0-9./-]+:[a-z0-9.-]+$`, bases[want])
		require.NotContains(t, bases[want], "latest")
	}
	for _, s := range all[:2] {
		require.Equal(t, "$BUILDPLATFORM", s.Platform, "%s would be emulated when the image is for another processor", s.Name)
	}
	last := all[2]
	require.Empty(t, last.Platform)
	require.Contains(t, bases["BASE_IMAGE"], "distroless/static")
	require.Empty(t, of[*instructions.RunCommand](last), "there is no shell to run it")
	user := of[*instructions.UserCommand](last)
	require.Equal(t, "65532:65532", user[len(user)-1].User, "Kubernetes cannot see that a name is not root")
	require.Equal(t, []string{"/data"}, of[*instructions.VolumeCommand](last)[0].Volumes)
	require.Equal(t, []string{"/usr/local/bin/edgeposture"}, []string(of[*instructions.EntrypointCommand](last)[0].CmdLine))
	require.Equal(t, []string{"serve"}, []string(of[*instructions.CmdCommand](last)[0].CmdLine))
	require.Equal(t, []string{"CMD", "/usr/local/bin/edgeposture", "serve", "health"},
		of[*instructions.HealthCheckCommand](last)[0].Health.Test)
	for _, c := range of[*instructions.CopyCommand](last) {
		require.Equal(t, "build", c.From)
	}
	require.NotContains(t, imageEnvironment(t), "HOST", "workers would refuse to start without a key for the API")
	labels := map[string]string{}
	for _, l := range of[*instructions.LabelCommand](last)[0].Labels {
		labels[l.Key] = l.Value
	}
	for _, l := range []string{"title", "description", "licenses", "source", "version", "revision", "created"} {
		require.NotEmpty(t, labels["org.opencontainers.image."+l], l)
	}
}

// TestImageBuildsWhatIsStarted compares the program the image is built with and
// what the chart and compose.yaml start.
func TestImageBuildsWhatIsStarted(t *testing.T) {
	all, _ := stages(t)
	var built string
	for _, r := range of[*instructions.RunCommand](all[1]) {
		built += strings.Join(strings.Fields(strings.Join(r.CmdLine, " ")), " ")
	}
	require.Contains(t, built, `CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} `+
		`go build -trimpath -tags=grpcnotrace -ldflags="-s -w -X github.com/edgeposture/edgeposture/internal/app.release=${VERSION}" `+
		`-o /out/bin/edgeposture ./cmd/edgeposture`)
	started := map[string]bool{}
	for name, p := range pods(t, render(t, "{}")) {
		if c := p.Spec.Containers[0]; strings.HasPrefix(c.Image, "ghcr.io/edgeposture/edgeposture:") {
			require.Equal(t, "/usr/local/bin/edgeposture", c.Command[0], name)
			started[slices.Concat(c.Command, c.Args)[1]] = true
			require.EqualValues(t, 65532, *p.Spec.SecurityContext.RunAsUser, name)
		}
	}
	for _, s := range loaded(t).Services {
		if strings.HasPrefix(s.Image, "edgeposture") && len(s.Command) > 0 {
			started[s.Command[0]] = true
		}
	}
	require.Equal(t, map[string]bool{"serve": true, "worker": true, "migrate": true}, started)
}
