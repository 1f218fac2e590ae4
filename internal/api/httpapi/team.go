package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// maxTeams bounds the number of teams.
const maxTeams = 1000

// Team is a group of people who own issues together, in API responses.
type Team struct {
	ID        string    `json:"id"`
	Name      string    `json:"name" doc:"What an issue names as its owner."`
	Members   []string  `json:"members" doc:"Ids of people."`
	Revision  string    `json:"revision" doc:"Another one whenever the name or the members change."`
	CreatedAt time.Time `json:"createdAt"`
}

func teamOf(t store.TeamRow) Team {
	return Team{ID: t.ID, Name: t.Name, Members: notNil(t.Members), Revision: revisionOf("%q %q", t.Name, t.Members), CreatedAt: t.CreatedAt}
}

type teamsOutput page[Team]

func listTeams(s *Server, ctx context.Context, in *partInput) (*teamsOutput, error) {
	all, err := s.o.Store.Teams(ctx)
	if err != nil {
		return nil, err
	}
	out, err := partOf(all, in, teamOf)
	return (*teamsOutput)(out), err
}

type postTeamInput struct {
	OnceHeader
	Body struct {
		Name    string   `json:"name" minLength:"1" maxLength:"100" doc:"A name of its own."`
		Members []string `json:"members,omitempty" maxItems:"1000" doc:"Ids of people."`
	}
}

func postTeam(s *Server, ctx context.Context, in *postTeamInput) (*object[Team], error) {
	all, err := s.o.Store.Teams(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the teams: %w", err)
	}
	if len(all) >= maxTeams {
		return nil, posture.Problemf(posture.CodeConflict, "There are %d teams, which is the most there may be; delete one that nobody needs.",
			maxTeams)
	}
	row := store.TeamRow{ID: s.o.NewID(), CreatedAt: s.now()}
	if err := s.describeTeam(ctx, &row, &in.Body.Name, &in.Body.Members); err != nil {
		return nil, err
	}
	if err := s.o.Store.AddTeam(ctx, row); err != nil {
		return nil, teamTaken(err, row.Name)
	}
	about(ctx, "teams", row.ID)
	return &object[Team]{Status: http.StatusCreated, Location: "/api/teams/" + row.ID, Body: teamOf(row)}, nil
}

// describeTeam validates the fields that are not nil and applies them to t, which must not be stored after
// an error.
func (s *Server) describeTeam(ctx context.Context, t *store.TeamRow, name *string, members *[]string) error {
	if name != nil {
		t.Name = strings.TrimSpace(*name)
		if err := shown("body.name", t.Name); err != nil {
			return err
		}
	}
	if members != nil {
		t.Members = slices.Compact(slices.Sorted(slices.Values(*members)))
		for _, id := range t.Members {
			if _, err := s.o.Store.User(ctx, id); errors.Is(err, store.ErrNotFound) {
				return posture.Invalid("body.members", "there is no person with this id; GET /api/users lists them", clip(id))
			} else if err != nil {
				return fmt.Errorf("look up a person: %w", err)
			}
		}
	}
	return nil
}

func teamTaken(err error, name string) error {
	if errors.Is(err, store.ErrNameTaken) {
		return posture.Problemf(posture.CodeConflict, "There is a team %q; choose another name.", clip(name))
	}
	return fmt.Errorf("keep the team: %w", err)
}

func (s *Server) team(ctx context.Context, ref string) (store.TeamRow, error) {
	return byID(ctx, ref, "team", "/api/teams", s.o.Store.Team)
}

func getTeam(s *Server, ctx context.Context, in *idInput) (*object[Team], error) {
	t, err := s.team(ctx, in.ID)
	return &object[Team]{Status: http.StatusOK, Body: teamOf(t)}, err
}

type patchTeamInput struct {
	ID   string `path:"id"`
	Body struct {
		Name    *string   `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Members *[]string `json:"members,omitempty" maxItems:"1000" doc:"Replaces them."`
		Revised
	}
}

func patchTeam(s *Server, ctx context.Context, in *patchTeamInput) (*object[Team], error) {
	for range 10 { // another administrator may have been faster
		was, err := s.team(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !in.Body.still(teamOf(was).Revision) {
			break
		}
		t := was
		if err := s.describeTeam(ctx, &t, in.Body.Name, in.Body.Members); err != nil {
			return nil, err
		}
		err = s.o.Store.ChangeTeam(ctx, was, t)
		switch {
		case err == nil:
			return &object[Team]{Status: http.StatusOK, Body: teamOf(t)}, nil
		case errors.Is(err, store.ErrNotFound):
			return nil, orMissing(err, "team", t.ID, "/api/teams")
		case !errors.Is(err, store.ErrChanged):
			return nil, teamTaken(err, t.Name)
		}
	}
	return nil, posture.Problemf(posture.CodeConflict, "The team was changed meanwhile; read it again and repeat the change.")
}
