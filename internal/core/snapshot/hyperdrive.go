package snapshot

import (
	"slices"
	"strings"
)

// Hyperdrive holds the database connections of scripts.
const Hyperdrive Key[[]Database] = "account/hyperdrive"

// Database is a connection of scripts to an external database. Through means that the provider
// reaches it over a tunnel or a private network.
type Database struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Host    string `json:"host,omitempty"`
	Scheme  string `json:"scheme,omitempty"`
	Through bool   `json:"through"`
	SSLMode string `json:"sslmode,omitempty"`
	// Administrator is the user of the connection when its name is an administrator's; other names
	// are not kept.
	Administrator string `json:"administrator,omitempty"`
	// UserTold says whether a user was named.
	UserTold bool `json:"user_told,omitempty"`
}

// SortKey orders connections by id.
func (d Database) SortKey() string { return d.ID }

type hyperdriveWire struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Origin struct {
		Host      string `json:"host"`
		Scheme    string `json:"scheme"`
		User      string `json:"user"`
		ClientID  string `json:"access_client_id"`
		ServiceID string `json:"service_id"`
	} `json:"origin"`
	MTLS struct {
		Mode string `json:"sslmode"`
	} `json:"mtls"`
}

// hyperdrive lists the database connections of scripts; without scripts they are unused
// (developers.cloudflare.com/api/resources/hyperdrive/subresources/configs/methods/list/).
func hyperdrive() Source {
	return list(Hyperdrive, Source{
		Path: "/accounts/{account_id}/hyperdrive/configs", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Account: Hyperdrive Read",
		After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"id":"h1","name":"orders","origin":{"host":"db.acme.example","port":5432,"scheme":"postgres","user":"drop",` +
			`"database":"drop","access_client_id":"drop.access"},"mtls":{"sslmode":"verify-full","ca_certificate_id":"drop"},` +
			`"caching":{"disabled":false}}]`,
	}, func(w hyperdriveWire) Database {
		return Database{ID: w.ID, Name: w.Name, Host: w.Origin.Host, Scheme: w.Origin.Scheme,
			Through: w.Origin.ClientID != "" || w.Origin.ServiceID != "", SSLMode: w.MTLS.Mode,
			Administrator: administrator(w.Origin.User), UserTold: w.Origin.User != ""}
	})
}

// administrator returns the user name if databases or their hosting services use it for a user with
// every permission.
func administrator(user string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(user)), "@") // user@server, as Azure writes it
	if slices.Contains([]string{"postgres", "root", "sa", "admin", "administrator", "superuser", "mysql", "doadmin", "avnadmin", "rdsadmin",
		"dbadmin", "dbmasteruser", "cloudsqlsuperuser", "neondb_owner"}, name) || strings.HasPrefix(name, "postgres.") {
		return name
	}
	return ""
}
