// Package access says who may do what: roles, and the accounts that each is given for.
package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Role is what somebody may do. Each includes those before it.
type Role string

// The roles: to read; to accept risks, to assign and to comment; to run, to schedule and to deliver; to plan, apply and roll back; and
// to say who may do what.
const (
	Viewer        Role = "viewer"
	Analyst       Role = "analyst"
	Operator      Role = "operator"
	Remediator    Role = "remediator"
	Administrator Role = "administrator"
)

// Roles lists them, the least first.
func Roles() []Role { return []Role{Viewer, Analyst, Operator, Remediator, Administrator} }

// Includes reports whether who has the role may do what another one may.
func (r Role) Includes(other Role) bool {
	have, need := slices.Index(Roles(), r), slices.Index(Roles(), other)
	return have >= 0 && need >= 0 && have >= need
}

// Grant gives a role for all accounts, or for those with an id or a label.
type Grant struct {
	Role     Role     `json:"role" enum:"viewer,analyst,operator,remediator,administrator"`
	Accounts []string `json:"accounts,omitempty" maxItems:"1000" doc:"Ids of registered accounts. Without accounts and labels the role holds for all there are and will be."`
	Labels   []string `json:"labels,omitempty" maxItems:"100" doc:"Accounts with one of these labels."`
}

// Everywhere reports whether the grant is for all accounts.
func (g Grant) Everywhere() bool { return len(g.Accounts)+len(g.Labels) == 0 }

// String says the grant as the audit log does.
func (g Grant) String() string {
	if g.Everywhere() {
		return string(g.Role) + " for all accounts"
	}
	var of []string
	if len(g.Accounts) > 0 {
		of = append(of, "accounts "+strings.Join(g.Accounts, ", "))
	}
	if len(g.Labels) > 0 {
		of = append(of, "accounts labelled "+strings.Join(g.Labels, ", "))
	}
	return string(g.Role) + " for " + strings.Join(of, " and ")
}

// Validate reports what is wrong with a grant, as a sentence without its final dot.
func (g Grant) Validate() error {
	if !slices.Contains(Roles(), g.Role) {
		return fmt.Errorf("there is no role %q; use viewer, analyst, operator, remediator or administrator", g.Role)
	}
	if slices.Contains(g.Accounts, "") || slices.Contains(g.Labels, "") {
		return errors.New("an account or a label is empty")
	}
	return nil
}

// Kind is what a caller is.
type Kind string

// The kinds: nobody, because who calls is not known; who runs the service, by its API key or on its own machine; a person; and a
// program with a service token.
const (
	Nobody  Kind = ""
	Root    Kind = "root"
	User    Kind = "user"
	Service Kind = "service"
)

// Principal is somebody who calls. The zero value is nobody.
type Principal struct {
	Kind   Kind
	ID     string
	Name   string
	Grants []Grant
}

// Party is somebody as records name them, with nothing of what they signed in with.
type Party struct {
	Kind  Kind   `json:"kind" enum:"root,user,service"`
	ID    string `json:"id,omitempty" doc:"Of the person or of the service token; root has none."`
	Actor string `json:"actor" doc:"As the audit log names them."`
}

// Scope tells on which accounts a principal has a role.
func (p Principal) Scope(needed Role) Scope {
	if p.Kind == Root {
		return Scope{All: true}
	}
	var s Scope
	for _, g := range p.Grants {
		if g.Role.Includes(needed) {
			s.All = s.All || g.Everywhere()
			s.Accounts, s.Labels = append(s.Accounts, g.Accounts...), append(s.Labels, g.Labels...)
		}
	}
	return s
}

// Role is the highest that the principal has anywhere; "" when it has none.
func (p Principal) Role() (highest Role) {
	for _, r := range Roles() {
		if !p.Scope(r).Empty() {
			highest = r
		}
	}
	return highest
}

// Scope is a choice of accounts: all, or those with an id or a label.
type Scope struct {
	All              bool
	Accounts, Labels []string
}

// Empty reports whether the scope is of no account, whichever there are.
func (s Scope) Empty() bool { return !s.All && len(s.Accounts)+len(s.Labels) == 0 }

// Holds reports whether an account is in it.
func (s Scope) Holds(id string, labels []string) bool {
	return s.All || slices.Contains(s.Accounts, id) || slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(s.Labels, l) })
}
