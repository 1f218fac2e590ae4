package snapshot

import (
	"encoding/json"
	"slices"
)

// PagesPreviews holds the previews of a Pages project whose settings do not say whether there are
// any; the list ends with the first page that has one in service.
const PagesPreviews Key[[]PagesPreview] = "pages/previews" // scope: name of the project

// PagesPreview is a deployment for another branch than production. It answers at a hostname of its
// own until it is deleted.
type PagesPreview struct {
	ID     string `json:"id"`
	Served bool   `json:"served"` // it was built
}

// SortKey orders previews by id.
func (p PagesPreview) SortKey() string { return p.ID }

type pagesPreviewWire struct {
	ID      string `json:"id"`
	Skipped bool   `json:"is_skipped"`
	Stage   struct {
		Status string `json:"status"`
	} `json:"latest_stage"`
}

// pagesPreviews lists the previews of projects that build none now, and of projects that are
// uploaded
// (developers.cloudflare.com/api/resources/pages/subresources/projects/subresources/deployments/methods/list/).
func pagesPreviews() Source {
	return list(PagesPreviews, Source{
		Path:   "/accounts/{account_id}/pages/projects/{item}/deployments?env=preview",
		Paging: Paging{Kind: ByPage, Size: 25}, Volatile: true, Permission: permissionPages, Parent: PagesProjects.Source(),
		Items: idsOf(PagesProjects, func(p PagesProject) bool { return !p.BuildsPreviews() }),
		Enough: func(_ *Known, _ SourceScope, pages []json.RawMessage) bool {
			var all []PagesPreview
			return json.Unmarshal(pages[len(pages)-1], &all) == nil && slices.ContainsFunc(all, func(p PagesPreview) bool { return p.Served })
		},
		Example: `[{"id":"v1","environment":"preview","is_skipped":false,"latest_stage":{"name":"deploy","status":"success"},` +
			`"env_vars":{"REGION":{"type":"plain_text","value":"drop"}},"deployment_trigger":{"metadata":{"commit_message":"drop"}}}]`,
	}, func(w pagesPreviewWire) PagesPreview {
		return PagesPreview{ID: w.ID, Served: !w.Skipped && !slices.Contains([]string{"skipped", "failure", "canceled"}, w.Stage.Status)}
	})
}
