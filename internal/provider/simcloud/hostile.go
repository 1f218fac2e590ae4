package simcloud

// hostileTexts returns free texts that break careless exports and pages: markup, spreadsheet
// formulas, markdown, direction overrides and control characters.
func hostileTexts() []string {
	return []string{
		`<img src=x onerror=alert(1)>`,
		`=HYPERLINK("javascript:alert(1)","open")`,
		`[report](javascript:alert(1)) **bold** | cell |`,
		"+cmd|' -C calc'!A0",
		"line one\r\nSet-Cookie: a=b\x1b[31m red \u202etxt.exe",
		`"><script>alert(document.domain)</script>{{7*7}}${7*7}`,
		"@SUM(1+1)\t\x00\x07 end",
	}
}

// hostileComments spreads the texts over the comments of a zone's records.
func (z *zone) hostileComments() {
	texts := hostileTexts()
	for i := range z.records {
		z.records[i].Comment = &texts[i%len(texts)]
	}
}
