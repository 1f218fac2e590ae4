package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// How long login waits for the browser, and how often it polls.
const (
	loginWithin = 10 * time.Minute
	loginEvery  = 2 * time.Second
)

func (p *program) login() *cobra.Command {
	return &cobra.Command{Use: "login", Short: "Sign in to a service with a browser", Args: cobra.NoArgs,
		Example: examples("login --server https://edgeposture.example.com"),
		Long: "Sign in to a service with a browser; later commands act as you.\n\n" +
			"The link that is shown may be opened on any machine. The session ends after 12\n" +
			"hours without use and after 7 days; it is kept in a file that only you can read.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.server == "" {
				return usage("login needs the address of the service; name it with --server or EDGEPOSTURE_SERVER")
			}
			return p.signIn(cmd.Context())
		}}
}

func (p *program) logout() *cobra.Command {
	return &cobra.Command{Use: "logout", Short: "End the session of login", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, err := p.credentials()
			if err != nil {
				return err
			}
			if p.server == "" || kept[p.server] == "" {
				return usage("there is no session to end; name the service with --server")
			}
			p.credential = secret.New(kept[p.server])
			ended := p.remote(cmd.Context(), func(ctx context.Context, s *session) error {
				_, err := s.api.Ask(ctx, http.MethodDelete, "/api/session", nil, nil)
				return err
			})
			delete(kept, p.server)
			if err := p.keep(kept); err != nil {
				return err
			}
			if signedOut(ended) {
				return nil // it had already ended
			}
			return ended
		}}
}

// signIn creates a secret, asks the user to admit it in the browser, and stores it.
func (p *program) signIn(ctx context.Context) error {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return fmt.Errorf("read randomness: %w", err)
	}
	credential := "epc_" + base64.RawURLEncoding.EncodeToString(raw)
	sum := sha256.Sum256([]byte(credential))
	hash := base64.RawURLEncoding.EncodeToString(sum[:])
	host, _ := os.Hostname() // only for display
	link := strings.TrimSuffix(p.server, "/") + "/command-line#" +
		url.Values{"hash": {hash}, "name": {cmp.Or(host, "a machine without a name")}}.Encode()
	p.say("open this link, check that it shows %s, and let the command line in:\n\n  %s\n", shownCode(hash), link)
	p.openBrowser(ctx, link)
	waiting, cancel := context.WithTimeout(ctx, loginWithin)
	defer cancel()
	p.credential = secret.New(credential)
	return p.remote(ctx, func(ctx context.Context, s *session) error {
		for {
			raw, err := s.api.Ask(waiting, http.MethodGet, "/api/session", nil, nil)
			if err == nil {
				return p.signedIn(raw, credential)
			}
			if !signedOut(err) {
				return err
			}
			if clock.Sleep(waiting, loginEvery) != nil {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return ending(exitError, "nobody let the command line in within %d minutes; run login again", int(loginWithin.Minutes()))
			}
		}
	})
}

// signedIn stores the session.
func (p *program) signedIn(raw json.RawMessage, credential string) error {
	var id struct{ Actor string }
	if err := json.Unmarshal(raw, &id); err != nil {
		return fmt.Errorf("read who signed in: %w", err)
	}
	kept, err := p.credentials()
	if err != nil {
		return err
	}
	kept[p.server] = credential
	if err := p.keep(kept); err != nil {
		return err
	}
	p.say("signed in as %s", clean(id.Actor))
	return nil
}

// signedOut reports whether the service refused the caller as unauthorized.
func signedOut(err error) bool {
	problem, is := errors.AsType[*posture.Problem](err)
	return is && problem.Code == posture.CodeUnauthorized
}

// shownCode returns the code that people compare: the first eight characters of the hash.
func shownCode(hash string) string { return hash[:4] + " " + hash[4:8] }

// openBrowser tries to open the link, which is printed in any case.
func (p *program) openBrowser(ctx context.Context, link string) {
	name := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if name == "" && !p.tool.Desktop {
		return
	}
	name = cmp.Or(name, "xdg-open")
	if program, err := exec.LookPath(name); err == nil {
		if cmd := exec.CommandContext(context.WithoutCancel(ctx), program, link); cmd.Start() == nil { //nolint:gosec // one of the three above
			go func() { _ = cmd.Wait() }()
		}
	}
}

// credentialsFile returns the file that holds the sessions of login, by service address.
func (p *program) credentialsFile() (string, error) {
	if dir, is := p.tool.Flag("config-dir"); is {
		return filepath.Join(dir, "credentials.json"), nil
	}
	home, err := os.UserConfigDir()
	if err != nil {
		return "", ending(exitUsage, "there is no directory for the settings of this user (%s); set EDGEPOSTURE_CONFIG_DIR", err)
	}
	return filepath.Join(home, "edgeposture", "credentials.json"), nil
}

func (p *program) credentials() (map[string]string, error) {
	kept := map[string]string{}
	path, err := p.credentialsFile()
	if err != nil {
		return kept, nil //nolint:nilerr // where there is no such directory nobody has signed in
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	raw, err := readFile(path, maxSecret)
	if err != nil {
		return kept, err
	}
	if json.Unmarshal(raw, &kept) != nil {
		return kept, ending(exitUsage, "%s is not what login wrote; delete it and sign in again", path)
	}
	return kept, nil
}

// keep replaces the file, which only this user can read.
func (p *program) keep(all map[string]string) error {
	path, err := p.credentialsFile()
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write the session: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of the session: %w", err)
	}
	next := path + ".new"
	if err := os.WriteFile(next, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	return nil
}
