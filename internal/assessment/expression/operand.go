package expression

import (
	"fmt"
	"strconv"
	"strings"
)

func (p *parser) field(t token) (Operand, error) {
	if strings.HasSuffix(t.raw, ".") || strings.Contains(t.raw, "..") {
		return nil, fmt.Errorf("at byte %d: %q is not a field name", t.at, t.raw)
	}
	index, err := p.index()
	return Field{Name: t.raw, Index: index}, err
}

// index reads the brackets after a field or a function.
func (p *parser) index() (out []string, err error) {
	for p.is("[") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		switch {
		case p.tok.kind == text:
			out = append(out, p.tok.raw)
		case p.tok.kind == number:
			out = append(out, strconv.FormatInt(p.tok.num, 10))
		case p.is("*"):
			out = append(out, "*")
		default:
			return nil, p.unexpected("an index")
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.take("]"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *parser) call(t token) (Operand, error) {
	takes, known := arityOf(t.raw)
	if !known {
		return nil, fmt.Errorf("at byte %d: %q is not a known function", t.at, t.raw)
	}
	if err := p.take("("); err != nil {
		return nil, err
	}
	c := Call{Name: t.raw}
	for !p.is(")") {
		if len(c.Args) > 0 {
			if err := p.take(","); err != nil {
				return nil, err
			}
		}
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, a)
	}
	if n := len(c.Args); n < takes.least || takes.most > 0 && n > takes.most {
		return nil, fmt.Errorf("at byte %d: %s does not take %d arguments", t.at, t.raw, n)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	index, err := p.index()
	for _, at := range index {
		if at != "*" { // a star only means that the function is applied to each value
			c = Call{Name: "element", Args: []Operand{c, Text(at)}}
		}
	}
	return c, err
}

// argument reads a value, or a whole condition as any() and all() take it.
func (p *parser) argument() (Operand, error) {
	if p.is("not") || p.is("(") {
		return p.nested(nil)
	}
	o, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.is(",") || p.is(")") {
		return o, nil
	}
	return p.nested(o)
}

// nested reads a condition; left is an operand that was already read as its start.
func (p *parser) nested(left Operand) (Operand, error) {
	if left == nil {
		e, err := p.or()
		return Nested{e}, err
	}
	e, err := p.tail(left)
	if err != nil {
		return nil, err
	}
	if !p.is("and") && !p.is("or") && !p.is("xor") {
		return Nested{e}, nil
	}
	// A longer condition without parentheses: keep all of its parts, so that Fields sees them. How
	// they are joined does not matter, because nothing evaluates the inside of a function.
	if err := p.advance(); err != nil {
		return nil, err
	}
	more, err := p.or()
	if err != nil {
		return nil, err
	}
	return Nested{And{[]Expr{e, more}}}, nil
}

func (p *parser) set() (Operand, error) {
	if err := p.take("{"); err != nil {
		return nil, err
	}
	out := Set{}
	for !p.is("}") {
		if p.is(",") && len(out) > 0 { // the provider separates values by blanks; some exports write commas
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		o, err := p.item()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	if len(out) == 0 {
		return nil, p.unexpected("a value of the set")
	}
	return out, p.advance()
}

// item reads a value of a set, or a range of two.
func (p *parser) item() (Operand, error) {
	lo := p.tok
	if lo.kind != text && lo.kind != number && lo.kind != address {
		return nil, p.unexpected("a value of the set")
	}
	o, err := p.operand()
	if err != nil || !p.is("..") {
		return o, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	hi := p.tok
	switch {
	case lo.kind == number && hi.kind == number && lo.num <= hi.num:
		return Numbers{Lo: lo.num, Hi: hi.num}, p.advance()
	case lo.kind == address && hi.kind == address && lo.addr.Lo.BitLen() == hi.addr.Hi.BitLen() && lo.addr.Lo.Compare(hi.addr.Hi) <= 0:
		return Addresses{Lo: lo.addr.Lo, Hi: hi.addr.Hi}, p.advance()
	}
	return nil, p.unexpected("the end of the range")
}
