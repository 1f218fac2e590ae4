package httpapi

import (
	"context"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// CheckInfo is a check in API responses.
type CheckInfo struct {
	ID          string               `json:"id"`
	Title       string               `json:"title"`
	Category    posture.Category     `json:"category"`
	Severity    posture.Severity     `json:"severity"`
	Resource    posture.ResourceType `json:"resource"`
	Plans       []string             `json:"plans" doc:"Plans the check applies to; empty means any."`
	Needs       []string             `json:"needs" doc:"Reads without which the verdict is UNKNOWN."`
	Optional    []string             `json:"optional"`
	Permissions []string             `json:"permissions" doc:"Token permissions those reads need."`
	Why         string               `json:"why"`
	Fix         string               `json:"fix"`
	References  []string             `json:"references"`
	Controls    posture.Controls     `json:"controls"`
	AttackPaths []string             `json:"attackPaths"`
	Aliases     []string             `json:"aliases"`
	Remediable  bool                 `json:"remediable"`
	Remedy      *RemedyInfo          `json:"remedy,omitempty"`
}

// RemedyInfo describes what a remedy would do.
type RemedyInfo struct {
	Operation  string `json:"operation"`
	Risk       string `json:"risk"`
	Reversible bool   `json:"reversible"`
	Caution    string `json:"caution,omitempty"`
	// Inputs are what a person must choose before the service can make the change.
	Inputs []change.Input `json:"inputs"`
}

func (s *Server) info(c check.Check) CheckInfo {
	i := CheckInfo{ID: c.ID, Title: c.Title, Category: c.Category, Severity: c.Severity, Resource: c.Resource, Plans: notNil(c.Plans),
		Needs: names(c.Needs), Optional: names(c.Optional), Permissions: []string{}, Why: c.Why, Fix: c.Fix, References: notNil(c.References),
		Controls: c.Controls.Named(), AttackPaths: notNil(c.Paths), Aliases: notNil(c.Aliases), Remediable: c.Remedy != nil}
	seen := map[string]bool{}
	for _, n := range append(names(c.Needs), names(c.Optional)...) {
		for _, src := range s.o.Sources {
			if src.Name == n && !seen[src.Permission] {
				seen[src.Permission] = true
				i.Permissions = append(i.Permissions, src.Permission)
			}
		}
	}
	if r := c.Remedy; r != nil {
		i.Remedy = &RemedyInfo{Operation: r.Operation, Risk: r.Risk, Reversible: r.Reversible, Caution: r.Caution, Inputs: notNil(r.Inputs)}
	}
	return i
}

func names(ns []snapshot.Named) []string {
	out := make([]string, 0, len(ns))
	for _, n := range ns {
		out = append(out, n.Source())
	}
	return slices.Compact(out)
}

type listChecksOutput page[CheckInfo]

func listChecks(s *Server, _ context.Context, in *partInput) (*listChecksOutput, error) {
	out, err := partOf(s.o.Checks, in, s.info)
	return (*listChecksOutput)(out), err
}

type checkInput struct {
	ID string `path:"id" maxLength:"64"`
}

func getCheck(s *Server, _ context.Context, in *checkInput) (*answer[CheckInfo], error) {
	for _, c := range s.o.Checks {
		if c.ID == in.ID {
			return &answer[CheckInfo]{Body: s.info(c)}, nil
		}
	}
	return nil, posture.Problemf(posture.CodeNotFound, "There is no check %q; GET /api/checks lists all.", clip(in.ID))
}
