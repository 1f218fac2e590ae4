package snapshot

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// Containers holds the containers that scripts start.
const Containers Key[[]Container] = "account/containers"

// Container is an application that runs beside scripts. Keys is the number of people who may open a
// shell in it, SSH whether a shell can be opened at all: it can unless the provider says no.
// Variables are kept like those of scripts: never their value.
type Container struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Image     string    `json:"image,omitempty"`
	Keys      int       `json:"authorized_keys"`
	SSH       *bool     `json:"wrangler_ssh,omitempty"`
	Variables []Binding `json:"variables"`
}

// SortKey orders containers by id.
func (c Container) SortKey() string { return c.ID }

type containerWire struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Config struct {
		Image string `json:"image"`
		Keys  []struct {
			Name string `json:"name"`
		} `json:"authorized_keys"`
		SSH *struct {
			Enabled *bool `json:"enabled"`
		} `json:"wrangler_ssh"`
		Variables []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"environment_variables"`
	} `json:"configuration"`
}

// containers lists the containers that scripts start. The values of variables are judged here, in
// memory, and discarded; of people's keys only the number is kept
// (developers.cloudflare.com/api/resources/containers/subresources/applications/methods/list/).
func containers() Source {
	secrets := credential.New()
	return list(Containers, Source{
		Path: "/accounts/{account_id}/containers/applications", Paging: Paging{Kind: ByCursor, Size: 100, CursorParam: "page_token"},
		Permission: "Account: Containers Read", After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"id":"c1","name":"encoder","configuration":{"image":"registry.cloudflare.com/acc/encoder:1","authorized_keys":[` +
			`{"name":"drop","public_key":"drop"}],"environment_variables":[{"name":"REGION","value":"drop"}],` +
			`"wrangler_ssh":{"enabled":false}},"instances":1,"version":1}]`,
	}, func(w containerWire) Container {
		c := Container{ID: w.ID, Name: w.Name, Image: w.Config.Image, Keys: len(w.Config.Keys), Variables: []Binding{}}
		if w.Config.SSH != nil {
			c.SSH = w.Config.SSH.Enabled
		}
		for _, v := range w.Config.Variables {
			b := Binding{Name: v.Name, Type: "environment variable"}
			judgeValue(secrets, &b, v.Value)
			c.Variables = append(c.Variables, b)
		}
		slices.SortFunc(c.Variables, func(a, b Binding) int { return strings.Compare(a.Name, b.Name) })
		return c
	})
}
