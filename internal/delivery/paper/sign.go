package paper

import "cmp"

// Sign is a word with a colour and a shape of its own.
type Sign string

// Signs of severities, results and controls.
const (
	Critical      Sign = "critical"
	High          Sign = "high"
	Medium        Sign = "medium"
	Low           Sign = "low"
	Informational Sign = "informational"
	Fail          Sign = "fail"
	Warning       Sign = "warning"
	Partial       Sign = "partial"
	Pass          Sign = "pass"
	Unknown       Sign = "unknown"
	None          Sign = "none"
)

// Word is the text of a sign.
func (s Sign) Word() string {
	words := map[Sign]string{Critical: "Critical", High: "High", Medium: "Medium", Low: "Low", Informational: "Info", Fail: "Fail",
		Warning: "Warning", Partial: "Partly met", Pass: "Pass", None: "Not applicable"}
	return cmp.Or(words[s], "Not assessed")
}

// ink holds the colours of the shape (fill), the word and the background (tint): those of the dashboard
// in its light theme.
type ink struct{ fill, word, tint int }

func (s Sign) ink() ink {
	inks := map[Sign]ink{
		Critical: {0x7a0b3c, 0x8f1044, 0xfbe6ee},
		High:     {0xc2410c, 0xa83a05, 0xfdebe1},
		Medium:   {0xc28700, 0x7d5300, 0xfdf3d7},
		Low:      {0x1f6fc0, 0x1d5fa8, 0xe4f0fb},
		Fail:     {0xc22f3d, 0xa3222f, 0xfbe9eb},
		Warning:  {0xb97f00, 0x7d5300, 0xfdf3d7},
		Partial:  {0xb97f00, 0x7d5300, 0xfdf3d7},
		Pass:     {0x1a7f56, 0x12653f, 0xe3f4ec},
		None:     {0xd9dee7, 0x566074, 0xf7f8fa},
		Unknown:  {0xaab3c2, 0x566074, 0xffffff},
	}
	return cmp.Or(inks[s], ink{0x8a94a3, 0x4f5b6b, 0xeceff3})
}
