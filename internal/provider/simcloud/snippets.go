package simcloud

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
)

const (
	permSnippets  = "Zone: Snippets Read"
	canarySnippet = "leakcanary-snippet-code"
)

// snippet is one snippet of a zone, see https://developers.cloudflare.com/api/resources/snippets/.
type snippet struct {
	name, code string
	idle       bool // its rule is disabled
}

func (z *zone) makeSnippets() {
	if z.plan == "free" || z.acct.spec.Plain {
		return
	}
	z.addSnippet("security_headers", "// "+canarySnippet+
		"\nexport default {\n  async fetch(request) {\n    const response = await fetch(request);\n    return new Response(response.body, "+
		"response);\n  },\n};\n")
	// A suspicious name alone proves nothing, and a short literal is not a secret.
	z.addSnippet("redirect", "const tokenHeader = \"x-token\";\nexport default { fetch: (r) => fetch(r) };\n")
}

func (z *zone) addSnippet(name, code string) {
	z.snippets = append(z.snippets, snippet{name: name, code: code})
}

func listSnippets(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	out := []obj{}
	for _, s := range c.zone.snippets {
		out = append(out, obj{"snippet_name": s.name, "created_on": c.cloud.ago(120 * day), "modified_on": c.cloud.ago(30 * day)})
	}
	return listOf(c, out)
}

// readSnippet returns the code as a multipart form with one file, not as an envelope.
func readSnippet(c *call) answer {
	for _, s := range c.zone.snippets {
		if s.name != c.id("snippet_name") {
			continue
		}
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.SetBoundary("edgeposture-" + hexID(0, s.name)) // cannot fail: hexadecimal digits are a valid boundary
		head := textproto.MIMEHeader{}
		head.Set("Content-Disposition", `form-data; name="main.js"; filename="main.js"`)
		head.Set("Content-Type", "application/javascript+module")
		part, err := form.CreatePart(head)
		if err == nil {
			_, err = part.Write([]byte(s.code))
		}
		if err != nil || form.Close() != nil {
			return refuse(http.StatusInternalServerError, 10002, "Internal server error")
		}
		return answer{status: http.StatusOK, file: body.Bytes(), fileType: form.FormDataContentType()}
	}
	return refuse(http.StatusNotFound, 1551, "snippet not found")
}
