package simcloud

import (
	"fmt"
	"slices"
)

// record is one DNS record, see
// https://developers.cloudflare.com/api/resources/dns/subresources/records/.
type record struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	Content    string   `json:"content"`
	Proxiable  bool     `json:"proxiable"`
	Proxied    bool     `json:"proxied"`
	TTL        int      `json:"ttl"`
	Priority   *int     `json:"priority,omitempty"`
	Data       any      `json:"data,omitempty"`
	Settings   obj      `json:"settings"`
	Meta       obj      `json:"meta"`
	Comment    *string  `json:"comment"`
	Tags       []string `json:"tags"`
	CreatedOn  string   `json:"created_on"`
	ModifiedOn string   `json:"modified_on"`
}

// Addresses differ by purpose, so that a planted record never shares a network with the origin of a
// proxied one unless the plant intends it: proxied origins, mail hosts, and direct records each
// have one /24 per zone. They look public because addresses of the documentation ranges would be
// findings themselves.
func (z *zone) originIP(host int) string { return z.ip(45, 64, host) }
func (z *zone) mailIP(host int) string   { return z.ip(185, 0, host) }
func (z *zone) directIP(host int) string { return z.ip(91, 0, host) }

func (z *zone) ip(first, second, host int) string {
	return fmt.Sprintf("%d.%d.%d.%d", first, second+z.index>>8&63, z.index&255, host)
}

func (z *zone) originIPv6(host int) string {
	return fmt.Sprintf("2a01:4f8:%x::%x", 0x100+z.index, host)
}

// add appends a record and returns its position.
func (z *zone) add(kind, name, content string, proxied bool) int {
	cl := z.acct.cloud
	proxiable := kind == "A" || kind == "AAAA" || kind == "CNAME"
	ttl := 3600
	if proxied {
		ttl = 1
	}
	z.records = append(z.records, record{
		ID: z.next("record").hex32(), Name: name, Type: kind, Content: content, Proxiable: proxiable, Proxied: proxied,
		TTL: ttl, Settings: obj{}, Meta: obj{}, Tags: []string{}, CreatedOn: cl.ago(700 * day), ModifiedOn: cl.ago(90 * day),
	})
	return len(z.records) - 1
}

func (z *zone) text(name, content string) int { return z.add("TXT", name, `"`+content+`"`, false) }

func (z *zone) caa(tag, value string) {
	i := z.add("CAA", z.name, fmt.Sprintf(`0 %s %q`, tag, value), false)
	z.records[i].Data = obj{"flags": 0, "tag": tag, "value": value}
}

const (
	spfText   = "v=spf1 mx -all"
	dmarcText = "v=DMARC1; p=reject; sp=reject; pct=100; rua=mailto:dmarc@%s"
)

// makeRecords adds the records every zone has, then fillers.
func (z *zone) makeRecords() {
	n := z.name
	z.add("A", n, z.originIP(10), true)
	z.add("AAAA", n, z.originIPv6(10), true)
	z.add("CNAME", "www."+n, n, true)
	z.add("A", "api."+n, z.originIP(11), true)
	z.add("A", "mail."+n, z.mailIP(25), false) // exempt: an MX points to it
	priority := 10
	mx := z.add("MX", n, "mail."+n, false)
	z.records[mx].Priority = &priority
	z.text(n, spfText)
	z.text("_dmarc."+n, fmt.Sprintf(dmarcText, n))
	z.caa("issue", "letsencrypt.org")
	z.caa("issue", "pki.goog")
	z.caa("iodef", "mailto:security@"+n)
	z.text("s1._domainkey."+n, goodKey())
	for _, h := range z.acct.hosts {
		if h.zone == z.index {
			z.add("CNAME", h.hostname, h.tunnelID+".cfargotunnel.com", true)
		}
	}
	want := count(z.acct.spec.RecordsPerZone, 24)
	if want >= len(z.records)+4 {
		z.voice()
	}
	z.fill(want)
	if z.acct.cloud.opts.Hostile {
		z.hostileComments()
	}
}

// voice adds a service record; its direct target is exempt, as mail hosts are.
func (z *zone) voice() {
	z.add("A", "sip."+z.name, z.mailIP(60), false)
	i := z.add("SRV", "_sip._tcp."+z.name, "0 5060 sip."+z.name, false)
	z.records[i].Data = obj{"port": 5060, "priority": 10, "target": "sip." + z.name, "weight": 0}
}

// fill adds harmless records until the zone has the requested number.
func (z *zone) fill(want int) {
	hosts := []string{"app", "static", "img", "blog", "docs", "status", "portal", "cdn", "eu", "us"}
	for k := 0; len(z.records) < want; k++ {
		name := fmt.Sprintf("%s%d.%s", hosts[k%len(hosts)], k/len(hosts)+1, z.name)
		switch k % 5 {
		case 0, 2:
			z.add("A", name, z.originIP(12+k%200), true)
		case 1:
			z.add("CNAME", name, "www."+z.name, true)
		case 3:
			z.text(name, "site-verification="+z.next("text").hex32())
		default:
			z.add("AAAA", name, z.originIPv6(12+k%200), true)
		}
		z.fillers++
	}
}

// plant replaces a filler by a record and returns it, so that zones keep their size as long as
// fillers remain.
func (z *zone) plant(kind, name, content string, proxied bool) *record {
	i := z.add(kind, name, content, proxied)
	if z.fillers == 0 {
		return &z.records[i]
	}
	at := z.fillerStart() + z.fillers - 1
	z.records[at] = z.records[i]
	z.records = z.records[:i]
	z.fillers--
	return &z.records[at]
}

// fillerStart returns the index of the first filler: every record before it is fixed.
func (z *zone) fillerStart() int {
	return slices.IndexFunc(z.records, func(r record) bool { return r.Name == "app1."+z.name })
}

// find returns the first record of a type and name.
func (z *zone) find(kind, name string) *record {
	i := slices.IndexFunc(z.records, func(r record) bool { return r.Type == kind && r.Name == name })
	if i < 0 {
		return nil
	}
	return &z.records[i]
}

// drop removes the records a condition accepts.
func (z *zone) drop(gone func(record) bool) {
	z.records = slices.DeleteFunc(z.records, gone)
}
