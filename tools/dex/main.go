// Command dex serves dex, a real OpenID Connect provider, for the tests of internal/platform/oidc:
//
//	dex ADDRESS REDIRECT_URI WEB
//
// It keeps everything in memory, knows one client and the people below, and ends when its input
// does; a line "ada staff" of it puts a person into other groups. WEB is the folder of dex's own
// pages. Its local passwords come without groups, so the people are a connector of their own behind
// dex's login form.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
)

// people are who can sign in, by user name; the password of each is the name and "-password".
func people() map[string]connector.Identity {
	return map[string]connector.Identity{
		"ada":   {UserID: "1", Username: "Ada Lovelace", Email: "ada@example.com", EmailVerified: true, Groups: []string{"admins", "staff"}},
		"grace": {UserID: "2", Username: "Grace Hopper", Email: "grace@example.com", EmailVerified: true, Groups: []string{"staff"}},
		"alan":  {UserID: "3", Username: "Alan Turing", Email: "alan@example.com"},
	}
}

type directory struct {
	mu     sync.Mutex
	people map[string]connector.Identity
}

// Open is called by dex.
func (d *directory) Open(string, logrus.FieldLogger) (connector.Connector, error) {
	return d, nil
}

// Prompt names the field of the login form.
func (*directory) Prompt() string { return "Username" }

// Login holds a password.
func (d *directory) Login(_ context.Context, s connector.Scopes, name, password string) (connector.Identity, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	who, known := d.people[name]
	if !known || password != name+"-password" {
		return connector.Identity{}, false, nil
	}
	if !s.Groups {
		who.Groups = nil
	}
	return who, true, nil
}

// move puts a person into other groups, as a line says.
func (d *directory) move(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	who := d.people[words[0]]
	who.Groups = words[1:]
	d.people[words[0]] = who
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "dex ADDRESS REDIRECT_URI WEB")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(address, redirect, web string) error {
	log := logrus.New()
	log.SetLevel(logrus.ErrorLevel)
	store := memory.New(log)
	if err := store.CreateClient(storage.Client{ID: "edgeposture", Secret: "dex-client-secret", Name: "Edgeposture",
		RedirectURIs: []string{redirect}}); err != nil {
		return fmt.Errorf("make the client: %w", err)
	}
	people := &directory{people: people()}
	server.ConnectorsConfig["directory"] = func() server.ConnectorConfig { return people }
	directory := storage.Connector{ID: "directory", Type: "directory", Name: "Directory", Config: []byte("{}")}
	if err := store.CreateConnector(directory); err != nil {
		return fmt.Errorf("make the connector: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dex, err := server.NewServer(ctx, server.Config{Issuer: "http://" + address + "/dex", Storage: store, SkipApprovalScreen: true,
		Web: server.WebConfig{Dir: web}, Logger: log, PrometheusRegistry: prometheus.NewRegistry()})
	if err != nil {
		return fmt.Errorf("start dex: %w", err)
	}
	listener := &http.Server{Addr: address, Handler: dex, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			people.move(lines.Text())
		}
		_ = listener.Close()
	}()
	if err := listener.ListenAndServe(); err != http.ErrServerClosed {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}
