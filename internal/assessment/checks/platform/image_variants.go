package platform

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsVariants = "https://developers.cloudflare.com/images/manage-images/create-variants/"

// unsigned finds variants that serve full-size images without the signature that the images
// require. The switch is meant for small variants: previews of images that require payment or a
// login.
func unsigned() check.Check {
	return check.Check{
		ID: "CFL-IMAGES-001", Title: "Large variants of images keep the demand for signatures",
		Category: "storage", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A variant with Always allow public access serves every image of Cloudflare Images without a signature, those that " +
			"require signed URLs as well.",
		Fix: "Turn off Always allow public access for the variant, and make a small variant for previews.",
		Words: posture.Words{
			Problem:   "Image variants of this account serve private images to anyone",
			Impact:    "Anyone who has the address of a preview puts the name of the variant into it and gets the private image.",
			Breaks:    "Pages that show private images in this variant without a signed URL.",
			Dashboard: "Images › Hosted images › Delivery › the variant › Edit › Always allow public access: Off.",
		},
		References: []string{docsVariants, "https://developers.cloudflare.com/images/manage-images/serve-images/serve-private-images/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Private images take a signature in every large form."),
			check.Supports("soc2 CC6.1", "The signature that images demand is not passed by."),
			check.Supports("nist PR.AA-05", "Access to images follows from a grant."),
		},
		Needs:    []snapshot.Named{snapshot.ImageVariants},
		Evaluate: evaluateUnsigned,
	}
}

func unsignedGood(b *snapshot.Builder) { variants(variant(false, "none", 1366, 768))(b) }

func variant(open bool, metadata string, width, height int) snapshot.ImageVariant {
	return snapshot.ImageVariant{ID: "hero", Unsigned: open, Metadata: metadata, Width: width, Height: height}
}

func variants(all ...snapshot.ImageVariant) func(*snapshot.Builder) {
	return put(snapshot.ImageVariants, all)
}

func unsignedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "as the image demands", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "open, large", Want: posture.Fail, Resource: goodtest.Account, Edit: variants(variant(true, "none", 1366, 768))},
		{Name: "open, wide", Want: posture.Fail, Edit: variants(variant(true, "none", 401, 100))},
		{Name: "open, of a size that is not told", Want: posture.Fail, Edit: variants(variant(true, "none", 200, 0))},
		{Name: "open, a preview", Want: posture.Pass, Edit: variants(variant(true, "none", 400, 400))},
		{Name: "open, beside one that is not", Want: posture.Fail,
			Edit: variants(snapshot.ImageVariant{ID: "a", Width: 2000, Height: 2000}, variant(true, "none", 2000, 2000))},
		{Name: "no variant", Want: posture.NotApplicable, Edit: variants()},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ImageVariants.Source(), snapshot.NotEntitled, "", "")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ImageVariants)},
	}
}

// previewPixels is the maximum side length of a preview image.
const previewPixels = 400

func evaluateUnsigned(v *check.View) check.Outcome {
	var t check.Tally
	for _, x := range check.Read(v, snapshot.ImageVariants) {
		small := x.Width > 0 && x.Height > 0 && x.Width <= previewPixels && x.Height <= previewPixels
		if !x.Unsigned || small {
			t.Pass()
			continue
		}
		t.Fail(x.ID, x.ID, check.Evidence(snapshot.ImageVariants, "/"+x.ID+"/never_require_signed_urls",
			"true, "+strconv.Itoa(x.Width)+" by "+strconv.Itoa(x.Height), "false, or a preview"))
	}
	return t.Done(v, check.Said{None: "the account has no variant of images", Fail: "These variants serve images without a signature",
		Pass: "No large variant serves images that demand a signature without one."})
}

// stripped finds variants that keep the camera's metadata.
func stripped() check.Check {
	return check.Check{
		ID: "CFL-IMAGES-002", Title: "Variants of images drop the camera's metadata",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Photos hold the place and time they were taken at, and the serial number of the camera. A variant that keeps metadata " +
			"serves them with each image.",
		Fix: "Set the metadata of the variant to strip all, or to keep the copyright notice.",
		Words: posture.Words{
			Problem:   "Image variants of this account serve the metadata of photos",
			Impact:    "Anyone reads from an uploaded photo where its author lives or works.",
			Breaks:    "Nothing that shows images; programs that read metadata from these addresses get none.",
			Dashboard: "Images › Hosted images › Delivery › the variant › Edit › Metadata: strip all metadata.",
		},
		References: []string{docsVariants},
		Controls: check.Controls{
			check.Supports("nist PR.DS-01", "What images reveal beyond the picture is removed."),
		},
		Needs:    []snapshot.Named{snapshot.ImageVariants},
		Evaluate: evaluateStripped,
	}
}

func strippedGood(b *snapshot.Builder) { unsignedGood(b) }

func strippedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "none", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the copyright", Want: posture.Pass, Edit: variants(variant(false, "copyright", 10, 10))},
		{Name: "all of it", Want: posture.Fail, Resource: goodtest.Account, Edit: variants(variant(false, "keep", 10, 10))},
		{Name: "all of it, in a preview", Want: posture.Fail, Edit: variants(variant(true, "keep", 10, 10))},
		{Name: "not told", Want: posture.Unknown, Edit: variants(variant(false, "", 10, 10))},
		{Name: "a word nobody knows", Want: posture.Unknown, Edit: variants(variant(false, "some", 10, 10))},
		{Name: "no variant", Want: posture.NotApplicable, Edit: variants()},
	}
}

func evaluateStripped(v *check.View) check.Outcome {
	var t check.Tally
	for _, x := range check.Read(v, snapshot.ImageVariants) {
		switch x.Metadata {
		case "none", "copyright":
			t.Pass()
		case "keep":
			t.Fail(x.ID, x.ID, check.Evidence(snapshot.ImageVariants, "/"+x.ID+"/metadata", "keep", "none or copyright"))
		default:
			t.Unknown("Cloudflare does not tell what metadata the variant " + x.ID + " keeps")
		}
	}
	return t.Done(v, check.Said{None: "the account has no variant of images", Fail: "These variants serve all metadata of an image",
		Pass: "No variant serves the metadata of the camera."})
}
