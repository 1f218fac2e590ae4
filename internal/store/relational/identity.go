package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type personRow struct {
	bun.BaseModel `bun:"table:person"`

	ID           string `bun:"id,pk"`
	Name         string `bun:"name"`
	Email        string `bun:"email"`
	Issuer       string `bun:"issuer"`
	Subject      string `bun:"subject"`
	PasswordHash string `bun:"password_hash"`
	Grants       []byte `bun:"grants"` // []access.Grant as JSON
	Disabled     bool   `bun:"disabled"`
	CreatedAt    int64  `bun:"created_at"`
	SeenAt       int64  `bun:"seen_at"`
	InvitedUntil int64  `bun:"invited_until"`
}

func newPersonRow(u store.UserRow) (personRow, error) {
	grants, err := encoded("the roles of a person", u.Grants)
	return personRow{ID: clean(u.ID), Name: clean(u.Name), Email: clean(u.Email), Issuer: clean(u.Issuer), Subject: clean(u.Subject),
		PasswordHash: clean(u.PasswordHash), Grants: grants, Disabled: u.Disabled, CreatedAt: micros(u.CreatedAt), SeenAt: micros(u.SeenAt),
		InvitedUntil: micros(u.InvitedUntil)}, err
}

func (r personRow) user() (store.UserRow, error) {
	u := store.UserRow{ID: r.ID, Name: r.Name, Email: r.Email, Issuer: r.Issuer, Subject: r.Subject, PasswordHash: r.PasswordHash,
		Disabled: r.Disabled, CreatedAt: instant(r.CreatedAt), SeenAt: instant(r.SeenAt), InvitedUntil: instant(r.InvitedUntil)}
	if err := json.Unmarshal(r.Grants, &u.Grants); err != nil {
		return u, fmt.Errorf("decode the roles of %s: %w", r.ID, err)
	}
	return u, nil
}

func encoded(what string, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	return raw, nil
}

// personFree refuses a subject that another person has, and a new email address that another person has, also
// one of a provider: the audit log names people by it. The unique keys are the real guarantee for subjects and
// for people without one; new addresses are given out one after the other.
func personFree(ctx context.Context, tx bun.Tx, r personRow, email string) error {
	if r.Email != "" && r.Email != email {
		if err := oneAtATime(ctx, tx, "email"); err != nil {
			return err
		}
	}
	return unlessFound(ctx, tx.NewSelect().Model((*personRow)(nil)).Where("id <> ?", r.ID).
		Where("(? <> '' AND issuer = ? AND subject = ?) OR (? <> '' AND ? <> ? AND email = ?)", r.Subject, r.Issuer, r.Subject,
			r.Email, r.Email, email, r.Email), store.ErrNameTaken)
}

// oneAtATime waits until no other transaction is between this and its end.
func oneAtATime(ctx context.Context, tx bun.Tx, what string) error {
	return ran(tx.NewRaw(`INSERT INTO turn (name, begun_at) VALUES (?, 1)
		ON CONFLICT (name) DO UPDATE SET begun_at = turn.begun_at + 1`, what).Exec(ctx))
}

// oneLeft refuses what a transaction did to a person when nobody is left of whom one must be. Who has neither a
// provider, a password nor a passkey has an invitation at most, which ends.
func oneLeft(ctx context.Context, tx bun.Tx, was store.UserRow, one store.One) error {
	if one == nil || !one(was) {
		return nil
	}
	if err := oneAtATime(ctx, tx, "last person"); err != nil {
		return err
	}
	var rows []personRow
	if err := tx.NewSelect().Model(&rows).
		Where("subject <> '' OR password_hash <> '' OR id IN (SELECT user_id FROM passkey)").Scan(ctx); err != nil {
		return err
	}
	for _, row := range rows {
		if u, err := row.user(); err != nil || one(u) {
			return err
		}
	}
	return store.ErrLast
}

// AddUser implements store.Users.
func (s *Store) AddUser(ctx context.Context, u store.UserRow) error {
	row, err := newPersonRow(u)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "keep a person", func(tx bun.Tx) error {
		if err := personFree(ctx, tx, row, ""); err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
}

// ChangeUser implements store.Users.
func (s *Store) ChangeUser(ctx context.Context, was, u store.UserRow, one store.One) error {
	before, err := newPersonRow(was)
	if err != nil {
		return err
	}
	row, err := newPersonRow(u)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "change a person", func(tx bun.Tx) error {
		err := unchanged(ctx, tx.NewRaw("SELECT * FROM person WHERE id = ?"+s.engine.Lock, row.ID), before, func(r personRow) (personRow, error) {
			now, err := r.user()
			if err != nil {
				return r, err
			}
			now.SeenAt = was.SeenAt
			return newPersonRow(now)
		})
		if err != nil {
			return err
		}
		if err := personFree(ctx, tx, row, before.Email); err != nil {
			return err
		}
		err = execute(ctx, tx.NewUpdate().Model(&row).ExcludeColumn("created_at").WherePK(), store.ErrNotFound)
		if err != nil {
			return err
		}
		return oneLeft(ctx, tx, was, one)
	})
}

// User implements store.Users.
func (s *Store) User(ctx context.Context, id string) (store.UserRow, error) {
	return s.person(ctx, "id = ?", clean(id))
}

// UserBySubject implements store.Users.
func (s *Store) UserBySubject(ctx context.Context, issuer, subject string) (store.UserRow, error) {
	return s.person(ctx, "issuer = ? AND subject = ? AND subject <> ''", clean(issuer), clean(subject))
}

// UserByEmail implements store.Users.
func (s *Store) UserByEmail(ctx context.Context, email string) (store.UserRow, error) {
	return s.person(ctx, "email = ? AND email <> '' AND subject = ''", clean(email))
}

func (s *Store) person(ctx context.Context, where string, args ...any) (store.UserRow, error) {
	return decodedRow(ctx, s, "read a person", personRow.user, where, args...)
}

// Users implements store.Users.
func (s *Store) Users(ctx context.Context) ([]store.UserRow, error) {
	return decodedRows(ctx, s, "list the people", personRow.user, orderedBy("name", "id"))
}

// CountUsers implements store.Users.
func (s *Store) CountUsers(ctx context.Context) (all, withPassword int, err error) {
	err = s.read(ctx, "count the people", func(db bun.IDB) error {
		return db.NewRaw("SELECT count(*), count(CASE WHEN password_hash <> '' AND NOT disabled THEN 1 END) FROM person").
			Scan(ctx, &all, &withPassword)
	})
	return all, withPassword, err
}

// DeleteUser implements store.Users.
func (s *Store) DeleteUser(ctx context.Context, id string, one store.One) error {
	return s.inTx(ctx, "forget a person", func(tx bun.Tx) error {
		var row personRow
		if err := orNotFound(tx.NewRaw("DELETE FROM person WHERE id = ? RETURNING *", clean(id)).Scan(ctx, &row)); err != nil {
			return err
		}
		was, err := row.user()
		if err != nil {
			return err
		}
		if err := oneLeft(ctx, tx, was, one); err != nil {
			return err
		}
		if err := endSessionsOf(ctx, tx, id); err != nil {
			return err
		}
		if err := deletePasskeysOf(ctx, tx, id); err != nil {
			return err
		}
		var teams []teamRow
		if err := tx.NewSelect().Model(&teams).Scan(ctx); err != nil {
			return err
		}
		for _, row := range teams {
			team, err := row.team()
			if err != nil || !slices.Contains(team.Members, id) {
				continue
			}
			team.Members = slices.DeleteFunc(team.Members, func(m string) bool { return m == id })
			if row, err = newTeamRow(team); err != nil {
				return err
			}
			if _, err := tx.NewUpdate().Model(&row).WherePK().Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

type serviceTokenRow struct {
	bun.BaseModel `bun:"table:service_token"`

	ID        string `bun:"id,pk"`
	Name      string `bun:"name"`
	Hash      []byte `bun:"hash"`
	Access    []byte `bun:"access"` // access.Grant as JSON
	CreatedBy string `bun:"created_by"`
	CreatedAt int64  `bun:"created_at"`
	ExpiresAt int64  `bun:"expires_at"`
	UsedAt    int64  `bun:"used_at"`
}

func (r serviceTokenRow) token() (store.ServiceTokenRow, error) {
	t := store.ServiceTokenRow{ID: r.ID, Name: r.Name, Hash: r.Hash, CreatedBy: r.CreatedBy, CreatedAt: instant(r.CreatedAt),
		ExpiresAt: instant(r.ExpiresAt), UsedAt: instant(r.UsedAt)}
	if err := json.Unmarshal(r.Access, &t.Grant); err != nil {
		return t, fmt.Errorf("decode the role of the token %s: %w", r.ID, err)
	}
	return t, nil
}

// AddServiceToken implements store.ServiceTokens.
func (s *Store) AddServiceToken(ctx context.Context, t store.ServiceTokenRow) error {
	grant, err := encoded("the role of a token", t.Grant)
	if err != nil {
		return err
	}
	row := serviceTokenRow{ID: clean(t.ID), Name: clean(t.Name), Hash: t.Hash, Access: grant, CreatedBy: clean(t.CreatedBy),
		CreatedAt: micros(t.CreatedAt), ExpiresAt: micros(t.ExpiresAt), UsedAt: micros(t.UsedAt)}
	return s.inTx(ctx, "keep a token", func(tx bun.Tx) error {
		if err := unlessFound(ctx, tx.NewSelect().Model((*serviceTokenRow)(nil)).Where("name = ?", row.Name), store.ErrNameTaken); err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
}

// ServiceToken implements store.ServiceTokens.
func (s *Store) ServiceToken(ctx context.Context, id string) (store.ServiceTokenRow, error) {
	return s.serviceToken(ctx, "id = ?", clean(id))
}

// ServiceTokenByHash implements store.ServiceTokens.
func (s *Store) ServiceTokenByHash(ctx context.Context, hash []byte) (store.ServiceTokenRow, error) {
	return s.serviceToken(ctx, "hash = ?", hash)
}

func (s *Store) serviceToken(ctx context.Context, where string, arg any) (store.ServiceTokenRow, error) {
	return decodedRow(ctx, s, "read a token", serviceTokenRow.token, where, arg)
}

// UseServiceToken implements store.ServiceTokens.
func (s *Store) UseServiceToken(ctx context.Context, id string, at time.Time) error {
	return s.execute(ctx, "note the use of a token", nil,
		"UPDATE service_token SET used_at = ? WHERE id = ? AND used_at < ?", micros(at), clean(id), micros(at))
}

// ServiceTokens implements store.ServiceTokens.
func (s *Store) ServiceTokens(ctx context.Context) ([]store.ServiceTokenRow, error) {
	return decodedRows(ctx, s, "list the tokens", serviceTokenRow.token, orderedBy("name"))
}

// DeleteServiceToken implements store.ServiceTokens.
func (s *Store) DeleteServiceToken(ctx context.Context, id string) error {
	return s.execute(ctx, "revoke a token", store.ErrNotFound, "DELETE FROM service_token WHERE id = ?", clean(id))
}

type teamRow struct {
	bun.BaseModel `bun:"table:team"`

	ID        string `bun:"id,pk"`
	Name      string `bun:"name"`
	Members   []byte `bun:"members"` // ids as a JSON list
	CreatedAt int64  `bun:"created_at"`
}

func newTeamRow(t store.TeamRow) (teamRow, error) {
	members, err := encoded("the members of a team", t.Members)
	return teamRow{ID: clean(t.ID), Name: clean(t.Name), Members: members, CreatedAt: micros(t.CreatedAt)}, err
}

func (r teamRow) team() (store.TeamRow, error) {
	t := store.TeamRow{ID: r.ID, Name: r.Name, CreatedAt: instant(r.CreatedAt)}
	if err := json.Unmarshal(r.Members, &t.Members); err != nil {
		return t, fmt.Errorf("decode the members of the team %s: %w", r.ID, err)
	}
	return t, nil
}

// unchanged refuses a row that is no longer as it was before. again makes a stored row what the same values would
// be stored as, because engines differ in how they return them.
func unchanged[R any](ctx context.Context, found *bun.RawQuery, before R, again func(R) (R, error)) error {
	var there R
	if err := orNotFound(found.Scan(ctx, &there)); err != nil {
		return err
	}
	now, err := again(there)
	if err == nil && !reflect.DeepEqual(now, before) {
		err = store.ErrChanged
	}
	return err
}

// teamFree refuses a name that another team has. The unique key is the real guarantee.
func teamFree(ctx context.Context, tx bun.Tx, row teamRow) error {
	return unlessFound(ctx, tx.NewSelect().Model((*teamRow)(nil)).Where("name = ? AND id <> ?", row.Name, row.ID), store.ErrNameTaken)
}

// AddTeam implements store.Teams.
func (s *Store) AddTeam(ctx context.Context, t store.TeamRow) error {
	row, err := newTeamRow(t)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "keep a team", func(tx bun.Tx) error {
		if err := teamFree(ctx, tx, row); err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
}

// ChangeTeam implements store.Teams.
func (s *Store) ChangeTeam(ctx context.Context, was, t store.TeamRow) error {
	before, err := newTeamRow(was)
	if err != nil {
		return err
	}
	row, err := newTeamRow(t)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "change a team", func(tx bun.Tx) error {
		err := unchanged(ctx, tx.NewRaw("SELECT * FROM team WHERE id = ?"+s.engine.Lock, row.ID), before, func(r teamRow) (teamRow, error) {
			now, err := r.team()
			if err != nil {
				return r, err
			}
			return newTeamRow(now)
		})
		if err != nil {
			return err
		}
		if err := teamFree(ctx, tx, row); err != nil {
			return err
		}
		return execute(ctx, tx.NewUpdate().Model(&row).Column("name", "members").WherePK(), store.ErrNotFound)
	})
}

// Team implements store.Teams.
func (s *Store) Team(ctx context.Context, id string) (store.TeamRow, error) {
	return decodedRow(ctx, s, "read a team", teamRow.team, "id = ?", clean(id))
}

// Teams implements store.Teams.
func (s *Store) Teams(ctx context.Context) ([]store.TeamRow, error) {
	return decodedRows(ctx, s, "list the teams", teamRow.team, orderedBy("name"))
}

// DeleteTeam implements store.Teams.
func (s *Store) DeleteTeam(ctx context.Context, id string) error {
	return s.execute(ctx, "forget a team", store.ErrNotFound, "DELETE FROM team WHERE id = ?", clean(id))
}
