package ticket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// late is how long a request that broke off may still arrive.
const late = time.Minute

// turn is how long a worker holds a ticket exclusively: after a crash it stays untouched for that long.
// A worker stops a minute earlier.
const turn = 5 * time.Minute

// Keeper updates tickets to match their issues.
type Keeper struct {
	Tickets store.Tickets
	Now     func() time.Time
	Close   bool // close the ticket of a resolved issue
}

// Wish is the desired state of a ticket.
type Wish struct {
	IssueID string
	Is      issue.State // as returned by State.Wants
	Anew    bool        // make another one when the tracker no longer has the ticket
	// Text is called when the ticket is created.
	Text func(ctx context.Context) (Text, error)
}

// Step updates one ticket as far as possible now, and returns it. An *Error is a failure of the tracker
// and is stored on the ticket; any other error is the service's own.
func (k Keeper) Step(ctx context.Context, t Tracker, w Wish) (issue.Ticket, error) {
	now := k.Now().UTC().Truncate(time.Microsecond)
	row, err := k.Tickets.TakeTicket(ctx, w.IssueID, t.Kind(), now, now.Add(turn))
	if errors.Is(err, store.ErrNotClaimable) {
		return row.Ticket, &Error{Sure: true, Again: true, Wait: turn / 10, Reason: "Another worker has the ticket at this moment; wait.",
			Code: posture.CodeDelivery}
	}
	if err != nil {
		return row.Ticket, fmt.Errorf("take the ticket: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, turn-time.Minute)
	defer cancel()
	s := &step{k: k, t: t, w: w, row: row}
	err = s.run(within)
	failed, is := errors.AsType[*Error](err)
	switch {
	case err == nil:
		s.row.Problem = ""
	case is && ctx.Err() == nil:
		s.row.Problem = failed.Reason
	}
	// A worker that is being stopped gives the ticket back, so that the next one need not wait.
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if kept := s.keep(last, true); kept != nil {
		return s.row.Ticket, kept
	}
	if ctx.Err() != nil {
		return s.row.Ticket, ctx.Err()
	}
	return s.row.Ticket, err
}

// step is one turn on a ticket.
type step struct {
	k   Keeper
	t   Tracker
	w   Wish
	row store.TicketRow
}

func (s *step) now() time.Time { return s.k.Now().UTC().Truncate(time.Microsecond) }

// keep stores the ticket. It fails when the turn is lost, so that nothing more is sent.
func (s *step) keep(ctx context.Context, back bool) error {
	if err := s.k.Tickets.KeepTicket(ctx, s.row, s.now(), back); err != nil {
		return fmt.Errorf("keep how the ticket is: %w", err)
	}
	return nil
}

func (s *step) run(ctx context.Context) error {
	if s.row.Key == "" {
		if err := s.make(ctx); err != nil || s.row.Key == "" {
			return err
		}
	}
	err := s.look(ctx)
	if gone(err) && s.w.Anew { // now, and not only when it was looked at last
		err = s.anew(ctx, err)
	}
	if err != nil {
		return err
	}
	if err := s.tell(ctx); err != nil {
		return err
	}
	return s.act(ctx)
}

// look reads the ticket. One that was moved, because its address or repository has another name now, is
// looked for where the settings say.
func (s *step) look(ctx context.Context) error {
	away := address(s.row.Place) != address(s.t.Place())
	err := errElsewhere()
	var state issue.TicketState
	if !away {
		state, err = s.t.State(ctx, s.row.Key)
	}
	if away || moved(err) {
		found, wrong := s.t.Find(ctx, Marker(s.w.IssueID))
		if wrong != nil {
			return wrong
		}
		if found.Key != "" && (away || found.Key != s.row.Key) {
			s.row.Key, s.row.URL, s.row.Place, state, err = found.Key, found.URL, s.t.Place(), found.State, nil
		}
	}
	if e, is := errors.AsType[*Error](err); is && !e.Again {
		s.row.State, s.row.Gone = issue.TicketUnknown, gone(err)
	}
	if err != nil {
		return err
	}
	now := s.now()
	s.row.State, s.row.LastSyncedAt, s.row.Gone = state, &now, false
	return nil
}

// anew makes another ticket in place of one that the tracker no longer has. When none is made, the row
// keeps the old one, which may come back with a permission.
func (s *step) anew(ctx context.Context, why error) error {
	was := s.row
	s.row.Key, s.row.URL, s.row.Place, s.row.Gone, s.row.NoteAt, s.row.Closed = "", "", s.t.Place(), false, time.Time{}, false
	s.row.Acted = s.row.Notes
	err := s.make(ctx)
	switch {
	case s.row.Key != "":
		return s.look(ctx)
	case s.row.SentAt.IsZero():
		s.row = was
	}
	return cmp.Or(err, why)
}

// address is the part of a place that says which tracker it is.
func address(place string) string {
	out, _, _ := strings.Cut(place, " ")
	return out
}

// moved reports a redirect.
func moved(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && e.Status/100 == 3
}

// gone reports that the tracker does not have, or does not show, the ticket.
func gone(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

func errElsewhere() error {
	return refusedf("The ticket belongs to another address, repository or project than the settings name now; set those back, or link " +
		"another ticket.")
}

// make searches for the ticket, and creates it when there is none. After a request with an unknown
// outcome it waits until a search is sure to show the ticket.
func (s *step) make(ctx context.Context) error {
	if left := s.row.SentAt.Add(s.t.Settles()).Sub(s.now()); !s.row.SentAt.IsZero() && left > 0 {
		return &Error{Again: true, Wait: left, Code: posture.CodeDelivery, Reason: fmt.Sprintf("Nobody knows whether the ticket was made, "+
			"because %s broke off; it is looked for %.0f seconds later.", s.t.Kind(), s.t.Settles().Seconds())}
	}
	marker := Marker(s.w.IssueID)
	found, err := s.t.Find(ctx, marker)
	if err != nil {
		return err
	}
	if found.Key == "" {
		if !s.row.SentAt.IsZero() && !s.t.Covers(s.row.Place) {
			return errElsewhere()
		}
		s.row.SentAt = time.Time{}
		if s.w.Is != issue.Open {
			return nil // no open finding is left that a ticket would be about
		}
		if found, err = s.create(ctx, marker); err != nil {
			return err
		}
	}
	s.row.Key, s.row.URL, s.row.Place, s.row.State, s.row.SentAt, s.row.Told = found.Key, found.URL, s.t.Place(), found.State, time.Time{},
		issue.Open
	return s.keep(ctx, false)
}

func (s *step) create(ctx context.Context, marker string) (Ref, error) {
	text, err := s.w.Text(ctx)
	if err != nil {
		return Ref{}, err
	}
	if err := s.t.Prepare(ctx, marker); err != nil {
		return Ref{}, err
	}
	s.row.SentAt, s.row.Place = s.now(), s.t.Place()
	if err := s.keep(ctx, false); err != nil {
		return Ref{}, err
	}
	found, err := s.t.Create(ctx, marker, text)
	if e, is := errors.AsType[*Error](err); is && e.Sure {
		s.row.SentAt = time.Time{}
	}
	return found, err
}

// tell comments on the ticket when the issue was resolved or is back, once for each time.
func (s *step) tell(ctx context.Context) error {
	to := s.w.Is
	if !s.row.NoteAt.IsZero() { // it is unknown whether the last note arrived
		if left := s.row.NoteAt.Add(late).Sub(s.now()); left > 0 {
			return &Error{Again: true, Wait: left, Code: posture.CodeDelivery, Reason: fmt.Sprintf("Nobody knows whether the ticket got its "+
				"comment, because %s broke off; it is looked for %.0f seconds later.", s.t.Kind(), late.Seconds())}
		}
		there, err := s.t.Said(ctx, s.row.Key, s.mark(), s.row.NoteAt)
		if err != nil {
			return err
		}
		if there {
			s.row.Told = other(s.row.Told)
		} else {
			s.row.Notes--
		}
		s.row.NoteAt = time.Time{}
	}
	if to == "" || to == s.row.Told {
		return nil
	}
	s.row.Notes, s.row.NoteAt = s.row.Notes+1, s.now()
	if err := s.keep(ctx, false); err != nil {
		return err
	}
	if err := s.t.Say(ctx, s.row.Key, s.mark(), note(to, s.k.Close)); err != nil {
		if e, is := errors.AsType[*Error](err); is && e.Sure {
			s.row.Notes, s.row.NoteAt = s.row.Notes-1, time.Time{}
		}
		return err
	}
	s.row.Told, s.row.NoteAt = to, time.Time{}
	return s.keep(ctx, false)
}

// other is the state that a note reports after the one given.
func other(state issue.State) issue.State {
	if state == issue.Resolved {
		return issue.Open
	}
	return issue.Resolved
}

// mark identifies the latest note.
func (s *step) mark() string { return fmt.Sprintf("%s-note-%d", Marker(s.w.IssueID), s.row.Notes) }

// act closes the ticket of a resolved issue, and reopens one that we closed: once after each note, so
// that people who change it at the tracker have the last word.
func (s *step) act(ctx context.Context) error {
	if s.row.Acted == s.row.Notes {
		return nil
	}
	to := issue.TicketOpen
	switch {
	case s.row.Told == issue.Resolved:
		to = issue.TicketClosed
		if !s.k.Close || s.row.State == to {
			return s.acted(ctx) // an earlier attempt that broke off has closed it, or somebody else
		}
		s.row.Closed = true
	case s.row.State == to || !s.row.Closed:
		s.row.Closed = false
		return s.acted(ctx)
	}
	if err := s.keep(ctx, false); err != nil {
		return err
	}
	if err := s.t.Set(ctx, s.row.Key, to); err != nil {
		if e, is := errors.AsType[*Error](err); is && e.Sure && to == issue.TicketClosed {
			s.row.Closed = false
		}
		return err
	}
	s.row.State, s.row.Closed = to, to == issue.TicketClosed
	return s.acted(ctx)
}

func (s *step) acted(ctx context.Context) error {
	s.row.Acted = s.row.Notes
	return s.keep(ctx, false)
}
