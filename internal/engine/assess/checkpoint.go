package assess

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// pages stores the pages of one unfinished read among the sections of the job.
type pages struct {
	c             *collector
	source, scope string
}

func (p *pages) name(n int) string { return p.source + "#" + strconv.Itoa(n) }

// Load returns a page that an earlier attempt has read.
func (p *pages) Load(n int) (part cloudflare.Part, ok bool) {
	s, ok := p.c.resumed[sectionKey{p.name(n), p.scope}]
	ok = ok && json.Unmarshal(s.Value, &part) == nil
	return part, ok
}

// Save stores a page and returns when it is durable.
func (p *pages) Save(_ context.Context, n int, part cloudflare.Part) error {
	value, err := json.Marshal(part)
	if err != nil {
		return fmt.Errorf("keep a page: %w", err)
	}
	return p.c.keep(snapshot.Section{Source: p.name(n), Scope: p.scope, Status: snapshot.OK, Value: value})
}

// keep waits until the section is durable.
func (c *collector) keep(s snapshot.Section) error {
	l := landing{section: s, stored: make(chan error, 1)}
	select {
	case c.landed <- l:
		return <-l.stored
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// write commits sections in groups: whatever landed during the last commit shares the next.
func (c *collector) write(ctx context.Context) {
	for l := range c.landed {
		group := []landing{l}
	gather:
		for len(group) < cap(c.slots) {
			select {
			case more, open := <-c.landed:
				if !open {
					break gather
				}
				group = append(group, more)
			default:
				break gather
			}
		}
		sections := make([]snapshot.Section, 0, len(group))
		for _, g := range group {
			sections = append(sections, g.section)
		}
		err := c.store.PutSections(ctx, c.jobID, c.attempt, sections)
		for _, g := range group {
			g.stored <- err
		}
	}
}
