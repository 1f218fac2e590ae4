// Package access says who may do what: roles, and the accounts for which each is granted.
package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Role is a set of permissions. Each role includes those before it.
type Role string

// The roles: read; accept risks, assign and comment; run, schedule and deliver; plan, apply and
// roll back; manage permissions.
const (
	Viewer        Role = "viewer"
	Analyst       Role = "analyst"
	Operator      Role = "operator"
	Remediator    Role = "remediator"
	Administrator Role = "administrator"
)

// Roles lists the roles, least powerful first.
func Roles() []Role { return []Role{Viewer, Analyst, Operator, Remediator, Administrator} }

// Includes reports whether the role includes everything another one may do.
func (r Role) Includes(other Role) bool {
	have, need := slices.Index(Roles(), r), slices.Index(Roles(), other)
	return have >= 0 && need >= 0 && have >= need
}

// Grant assigns a role for all accounts, or for those with one of the ids or labels.
type Grant struct {
	Role     Role     `json:"role" enum:"viewer,analyst,operator,remediator,administrator"`
	Accounts []string `json:"accounts,omitempty" maxItems:"1000" doc:"Registered account ids. Without ids and labels: all, new ones too."`
	Labels   []string `json:"labels,omitempty" maxItems:"100" doc:"Accounts with one of these labels."`
}

// Everywhere reports whether the grant is for all accounts.
func (g Grant) Everywhere() bool { return len(g.Accounts)+len(g.Labels) == 0 }

// String formats the grant as in the audit log.
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

// Kind is the kind of a caller.
type Kind string

// The kinds: Nobody is an unknown caller; Root runs the service, by its API key or on its own
// machine; User is a person; Service is a program with a service token.
const (
	Nobody  Kind = ""
	Root    Kind = "root"
	User    Kind = "user"
	Service Kind = "service"
)

// Principal is a caller. The zero value is nobody.
type Principal struct {
	Kind   Kind
	ID     string
	Name   string
	Grants []Grant
}

// Party is a principal as records name it, without its credentials.
type Party struct {
	Kind  Kind   `json:"kind" enum:"root,user,service"`
	ID    string `json:"id,omitempty" doc:"Of the person or of the service token; root has none."`
	Actor string `json:"actor" doc:"As the audit log names them."`
}

// Scope returns the accounts on which a principal has a role.
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

// Role returns the highest role the principal has anywhere; "" for none.
func (p Principal) Role() (highest Role) {
	for _, r := range Roles() {
		if !p.Scope(r).Empty() {
			highest = r
		}
	}
	return highest
}

// Scope is a set of accounts: all, or those with one of the ids or labels.
type Scope struct {
	All              bool
	Accounts, Labels []string
}

// Empty reports whether the scope can contain no account at all.
func (s Scope) Empty() bool { return !s.All && len(s.Accounts)+len(s.Labels) == 0 }

// Holds reports whether an account is in the scope.
func (s Scope) Holds(id string, labels []string) bool {
	return s.All || slices.Contains(s.Accounts, id) || slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(s.Labels, l) })
}
