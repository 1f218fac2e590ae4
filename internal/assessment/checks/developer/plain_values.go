package developer

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// plainValues sorts the properties that were recorded while plain variables were read: no value
// ever gets here.
type plainValues struct {
	plain                  int
	secrets, doubts        []string
	secretRows, doubtsRows []posture.Evidence
}

// add judges one variable; label names it for people, pointer is its place in the section.
func (p *plainValues) add(b snapshot.Binding, label string, source snapshot.Named, pointer string) {
	p.plain++
	named := b.SecretName || credential.SecretName(b.Name)
	place, want := "a "+b.Type+" binding", "a secret binding"
	if source == snapshot.Containers {
		place, want = "an environment variable", "a secret of the Worker"
	}
	row := func(observed string) posture.Evidence {
		return check.Evidence(source, pointer, fmt.Sprintf("%s of %d bytes in %s", observed, b.Length, place), want)
	}
	switch {
	case b.Kind != "":
		p.secrets, p.secretRows = append(p.secrets, label+" ("+b.Kind+")"), append(p.secretRows, row(b.Kind))
	case named && b.HighEntropy:
		p.secrets, p.secretRows = append(p.secrets, label), append(p.secretRows, row("a random value"))
	case named:
		p.doubts, p.doubtsRows = append(p.doubts, label), append(p.doubtsRows, row("a value that is not random"))
	}
}
