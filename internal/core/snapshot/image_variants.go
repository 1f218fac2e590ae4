package snapshot

import (
	"maps"
	"slices"
)

// ImageVariants holds the variants in which images are served.
const ImageVariants Key[[]ImageVariant] = "account/image_variants"

// ImageVariant is a variant in which images are served. Unsigned says that it is served without a
// signature even if the image requires one; Metadata says how much of the image's metadata is kept.
type ImageVariant struct {
	ID       string `json:"id"`
	Unsigned bool   `json:"never_require_signed_urls"`
	Metadata string `json:"metadata,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
}

// SortKey orders variants by name.
func (v ImageVariant) SortKey() string { return v.ID }

type imageVariantWire struct {
	ID       string `json:"id"`
	Unsigned bool   `json:"neverRequireSignedURLs"`
	Options  struct {
		Metadata string  `json:"metadata"`
		Width    float64 `json:"width"`
		Height   float64 `json:"height"`
	} `json:"options"`
}

type imageVariantsWire struct {
	Variants map[string]*imageVariantWire `json:"variants"`
}

// imageVariants reads the variants in which images are served
// (developers.cloudflare.com/api/resources/images/subresources/v1/subresources/variants/methods/list/).
func imageVariants() Source {
	return nested(ImageVariants, Source{
		Path: "/accounts/{account_id}/images/v1/variants", Permission: "Account: Cloudflare Images Read",
		Example: `{"variants":{"hero":{"id":"hero","options":{"fit":"scale-down","height":768,"metadata":"none","width":1366},` +
			`"neverRequireSignedURLs":false}}}`,
	}, func(p imageVariantsWire) (out []imageVariantWire) {
		for _, id := range slices.Sorted(maps.Keys(p.Variants)) {
			if v := p.Variants[id]; v != nil {
				v.ID = id
				out = append(out, *v)
			}
		}
		return out
	}, func(w imageVariantWire) ImageVariant {
		return ImageVariant{ID: w.ID, Unsigned: w.Unsigned,
			Metadata: w.Options.Metadata, Width: int(w.Options.Width), Height: int(w.Options.Height)}
	})
}
