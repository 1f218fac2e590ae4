package siem

import "github.com/edgeposture/edgeposture/internal/core/posture"

// These types hold what Elastic's cloud security posture pages read beyond ECS (the fields of its
// findings package).
type postureResource struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	SubType string `json:"sub_type"`
}

type postureResult struct {
	Evaluation string            `json:"evaluation"`
	Evidence   []postureObserved `json:"evidence"`
	Expected   []postureExpected `json:"expected"`
}

type postureObserved struct {
	Source   string `json:"source"`
	Pointer  string `json:"pointer,omitempty"`
	Observed string `json:"observed"`
}

type postureExpected struct {
	Source   string `json:"source"`
	Pointer  string `json:"pointer,omitempty"`
	Expected string `json:"expected"`
}

type postureBenchmark struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rule    string `json:"rule_number"`
	Type    string `json:"posture_type"`
}

type dataStream struct {
	Type      string `json:"type"`
	Dataset   string `json:"dataset"`
	Namespace string `json:"namespace"`
}

func (p part) describePosture(r *room, b *body) {
	f := p.finding
	b.Event.Dataset = postureDataset
	b.DataStream = &dataStream{Type: "logs", Dataset: postureDataset, Namespace: p.opts.Namespace}
	b.Resource = &postureResource{ID: r.ident(f.Resource.UID()), Name: r.text(orElse(f.Resource.Name, f.Resource.ID)),
		Type: string(f.Resource.Type), SubType: "cloudflare-" + string(f.Resource.Type)}
	b.Result = &postureResult{
		Evaluation: evaluation(f.Result),
		Evidence: fill(r, f.Evidence, func(e posture.Evidence) postureObserved {
			return postureObserved{Source: r.ident(e.Source), Pointer: r.text(e.Pointer), Observed: r.text(e.Observed)}
		}),
		Expected: fill(r, f.Evidence, func(e posture.Evidence) postureExpected {
			return postureExpected{Source: r.ident(e.Source), Pointer: r.text(e.Pointer), Expected: r.text(e.Expected)}
		}),
	}
	b.Rule.Benchmark = &postureBenchmark{ID: "edgeposture", Name: product, Version: r.ident(p.doc.Assessment.CatalogueVersion),
		Rule: r.ident(f.CheckID), Type: "cspm"}
	b.Rule.Section, b.Rule.Tags, b.Rule.Remediation = string(f.Category), []string{"Cloudflare", string(f.Category)}, r.text(f.Fix)
}

// evaluation is the posture pages' word for a result; results without one are not written.
func evaluation(r posture.Result) string {
	if r == posture.Pass {
		return "passed"
	}
	return "failed"
}
