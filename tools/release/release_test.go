// Package release looks into what `make release-dry-run` made.
package release

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const dist = "../../dist"

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run make release-dry-run", err)
	}
	return b
}

// unpack gives the files of an archive.
func unpack(t *testing.T, name string) map[string][]byte {
	t.Helper()
	raw, out := read(t, filepath.Join(dist, name)), map[string][]byte{}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if out[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	g, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func archives(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			found, err := filepath.Glob(filepath.Join(dist, "edgeposture_*_"+os+"_"+arch+".*"))
			if err != nil || len(found) != 1 {
				t.Fatalf("archives for %s/%s: %v %v", os, arch, found, err)
			}
			out[os+"/"+arch] = filepath.Base(found[0])
		}
	}
	return out
}

// TestArchives: six platforms, each with one program of that platform and its papers, and checksums that are right.
func TestArchives(t *testing.T) {
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, filepath.Join(dist, "SHA256SUMS")))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for platform, name := range archives(t) {
		files := unpack(t, name)
		program := "edgeposture"
		if strings.HasPrefix(platform, "windows") {
			program += ".exe"
		}
		want := slices.Sorted(slices.Values([]string{"CHANGELOG.md", "LICENSE", "README.md", program, "licences.txt"}))
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("%s holds %v", name, got)
		}
		info, err := buildinfo.Read(bytes.NewReader(files[program]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		setting := map[string]string{}
		for _, s := range info.Settings {
			setting[s.Key] = s.Value
		}
		if setting["GOOS"]+"/"+setting["GOARCH"] != platform || setting["CGO_ENABLED"] != "0" || setting["-trimpath"] != "true" {
			t.Errorf("%s: built as %v", name, setting)
		}
		sum := sha256.Sum256(read(t, filepath.Join(dist, name)))
		if sums[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: its checksum is not in SHA256SUMS", name)
		}
		if mb := float64(len(files[program])) / 1e6; mb > 75 {
			t.Errorf("%s: the program has %.1f MB, at most 75 are promised (docs/deploy.md)", name, mb)
		}
		t.Logf("%-42s %6.1f MB, program %6.1f MB", name, float64(len(read(t, filepath.Join(dist, name))))/1e6, float64(len(files[program]))/1e6)
	}
}

// TestSBOM: the document names every module that is linked and every package of the dashboard.
func TestSBOM(t *testing.T) {
	var doc struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Purl string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(dist, "edgeposture.cdx.json")), &doc); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range doc.Components {
		purl, _, _ := strings.Cut(c.Purl, "?")
		known[strings.ReplaceAll(purl, "%40", "@")] = true
	}
	info, err := buildinfo.Read(bytes.NewReader(unpack(t, archives(t)["linux/amd64"])["edgeposture"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if !known["pkg:golang/"+m.Path+"@"+m.Version] {
			t.Errorf("module %s %s is not named", m.Path, m.Version)
		}
	}
	var lock struct {
		Packages map[string]struct {
			Version                    string
			Dev, Optional, DevOptional bool
		}
	}
	if err := json.Unmarshal(read(t, "../../web/package-lock.json"), &lock); err != nil {
		t.Fatal(err)
	}
	packages := 0
	for path, p := range lock.Packages {
		_, name, ok := strings.Cut(path, "node_modules/")
		if !ok || p.Dev || p.DevOptional || p.Optional {
			continue
		}
		packages++
		if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
			name = name[i+len("node_modules/"):]
		}
		if !known["pkg:npm/"+name+"@"+p.Version] {
			t.Errorf("package %s %s is not named", name, p.Version)
		}
	}
	t.Logf("%s %s: %d components for %d modules and %d packages", doc.BOMFormat, doc.SpecVersion, len(doc.Components), len(info.Deps),
		packages)
}

// TestStart: the program for this machine runs from an empty folder, says its version and serves.
func TestStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "edgeposture")
	name := archives(t)[runtime.GOOS+"/"+runtime.GOARCH]
	if err := os.WriteFile(program, unpack(t, name)["edgeposture"], 0o700); err != nil {
		t.Fatal(err)
	}
	version := strings.Split(name, "_")[1]
	out, err := exec.CommandContext(t.Context(), program, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), version) {
		t.Errorf("version: %s %v, want %s", out, err, version)
	}
	cmd := exec.CommandContext(t.Context(), program, "serve")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"HOME=" + t.TempDir(), "DATA_DIR=data"}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = cmd.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	listening := regexp.MustCompile(`listening on (http://\S+?)["\s]`)
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text() + " "); m != nil {
			t.Logf("seconds to %q: %.2f", m[0], time.Since(began).Seconds())
			r, err := http.Get(m[1] + "/")
			if err != nil || r.StatusCode != http.StatusOK {
				t.Fatal(fmt.Errorf("the dashboard: %v %w", r, err))
			}
			_ = r.Body.Close()
			return
		}
	}
	t.Fatal("it ended without listening")
}
