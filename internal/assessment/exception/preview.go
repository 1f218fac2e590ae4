package exception

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// sampled is the number of findings a preview shows.
const sampled = 20

// Preview says what an exception would hide. Attack paths are never hidden.
type Preview struct {
	Findings      int                      `json:"findings" doc:"Open findings that match."`
	BySeverity    map[posture.Severity]int `json:"bySeverity"`
	OnAttackPaths int                      `json:"onAttackPaths" doc:"How many attack paths hold one of them."`
	AttackPaths   []PathRef                `json:"attackPaths" doc:"Those paths; they stay in view, marked."`
	Sample        []posture.Finding        `json:"sample" doc:"The first 20, worst first."`
	Message       string                   `json:"message"`
}

// PathRef names an attack path.
type PathRef struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Severity posture.Severity `json:"severity"`
}

// NewPreview returns an empty preview.
func NewPreview() Preview {
	p := Preview{BySeverity: map[posture.Severity]int{}, AttackPaths: []PathRef{}, Sample: []posture.Finding{}}
	for _, v := range posture.Severities() {
		p.BySeverity[v] = 0
	}
	return p
}

// Add counts a matching finding. Findings must come worst first.
func (p *Preview) Add(f posture.Finding) {
	p.Findings++
	p.BySeverity[f.Severity]++
	if len(p.Sample) < sampled {
		p.Sample = append(p.Sample, f)
	}
}

// Close adds the attack paths that contain a counted finding, and the summary sentence.
func (p *Preview) Close(paths []posture.AttackPath) {
	for _, path := range paths {
		p.AttackPaths = append(p.AttackPaths, PathRef{ID: path.ID, Title: path.Title, Severity: path.Severity})
	}
	slices.SortFunc(p.AttackPaths, func(a, b PathRef) int { return strings.Compare(a.ID, b.ID) })
	// Two runs of an account may contain the same path.
	p.AttackPaths = slices.CompactFunc(p.AttackPaths, func(a, b PathRef) bool { return a.ID == b.ID })
	p.OnAttackPaths = len(p.AttackPaths)
	p.Message = p.sentence()
}

func (p *Preview) sentence() string {
	words := []string{"hides " + english.Plural(p.Findings, "finding", "")}
	for _, v := range []posture.Severity{posture.Critical, posture.High} {
		if n := p.BySeverity[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	if p.OnAttackPaths > 0 {
		words = append(words, "on "+english.Plural(p.OnAttackPaths, "attack path", ""))
	}
	return strings.Join(words, ", ")
}
