package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// window keeps up to maxItems+1 bytes from an offset on, and fails with errFull once it is full.
type window struct {
	skip int64
	kept []byte
}

var errFull = errors.New("the window is full")

// Write skips to the offset, then keeps bytes until the window is full.
func (w *window) Write(p []byte) (int, error) {
	n := len(p)
	if w.skip >= int64(len(p)) {
		w.skip -= int64(len(p))
		return n, nil
	}
	p = p[w.skip:]
	w.skip = 0
	room := maxItems + 1 - len(w.kept)
	if len(p) >= room {
		w.kept = append(w.kept, p[:room]...)
		return n, errFull
	}
	w.kept = append(w.kept, p...)
	return n, nil
}

func getReport(ctx context.Context, c *client.Client, in reportIn) (answer, error) {
	if in.Offset < 0 || in.Offset > 0 && in.AssessmentID == "" {
		return answer{}, posture.Invalid("offset", "offset is the nextOffset of an answer before, sent with the assessmentId of that answer", nil)
	}
	id, err := chosen(ctx, c, in.AssessmentID, in.Account)
	if err != nil {
		return answer{}, err
	}
	w := &window{skip: in.Offset}
	_, err = c.Download(ctx, in.Format, id, "", nil, w)
	if err != nil && !errors.Is(err, errFull) {
		return answer{}, err
	}
	more := errors.Is(err, errFull)
	text, cut := whole(w.kept)
	out := map[string]any{"assessmentId": id, "format": in.Format, "offset": in.Offset, "text": text}
	if more || cut {
		out["nextOffset"] = in.Offset + int64(len(text))
		return answer{fmt.Sprintf("%d bytes of the %s report of assessment %s from byte %d; call again with nextOffset for the rest.", len(text),
			in.Format, id, in.Offset), out}, nil
	}
	return answer{fmt.Sprintf("The %s report of assessment %s ends here.", in.Format, id), out}, nil
}

// whole returns the longest prefix, on a character boundary, that takes at most maxItems bytes as
// JSON, and whether anything follows it.
func whole(b []byte) (string, bool) {
	end := len(b)
	for {
		for end > 0 && end < len(b) && !utf8.RuneStart(b[end]) {
			end--
		}
		raw, err := json.Marshal(string(b[:end]))
		if err != nil || end == 0 {
			return "", len(b) > 0
		}
		need := size(raw)
		if need <= maxItems {
			return string(b[:end]), end < len(b)
		}
		end = min(end-1, end*maxItems/need)
	}
}
