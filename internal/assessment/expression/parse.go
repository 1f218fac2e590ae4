package expression

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Limits of the parser. The provider accepts 4,096 characters; conditions that are put together from several rules are longer.
const (
	maxLength = 64 << 10
	maxDepth  = 100
)

// Parse parses an expression. Precedence, strongest first: not, and, xor, or.
func Parse(in string) (Expr, error) {
	return whole(in, (*parser).or)
}

// ParseValue parses an operand on its own, such as the target of a redirect.
func ParseValue(in string) (Operand, error) {
	return whole(in, (*parser).operand)
}

// whole reads a text from its start to its end.
func whole[T any](in string, read func(*parser) (T, error)) (none T, err error) {
	if len(in) > maxLength {
		return none, errors.New("the expression is too long")
	}
	p := &parser{lex: lexer{in: in}}
	if err := p.advance(); err != nil {
		return none, err
	}
	out, err := read(p)
	if err != nil {
		return none, err
	}
	if p.tok.kind != end {
		return none, p.unexpected("the end")
	}
	return out, nil
}

// arity is how many arguments a function takes; most 0 means any number.
type arity struct{ least, most int }

// arityOf returns how many arguments a function allowed in rule expressions takes
// (developers.cloudflare.com/ruleset-engine/rules-language/functions/).
func arityOf(function string) (takes arity, known bool) {
	switch function {
	case "all", "any", "decode_base64", "len", "lower", "md5", "sha256", "to_string", "upper":
		return arity{1, 1}, true
	case "cidr6", "ends_with", "has_key", "has_value", "join", "remove_bytes", "starts_with":
		return arity{2, 2}, true
	case "bit_slice", "regex_replace":
		return arity{3, 3}, true
	case "concat", "is_jwt_present", "is_jwt_valid":
		return arity{1, 0}, true
	case "lookup_json_integer", "lookup_json_string", "remove_query_args":
		return arity{2, 0}, true
	case "encode_base64", "url_decode":
		return arity{1, 2}, true
	case "cidr", "split", "substring":
		return arity{2, 3}, true
	case "uuidv4":
		return arity{0, 1}, true
	case "wildcard_replace":
		return arity{3, 4}, true
	case "is_timed_hmac_valid_v0":
		return arity{4, 6}, true
	}
	return arity{}, false
}

type parser struct {
	lex   lexer
	tok   token
	depth int
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) is(raw string) bool {
	return (p.tok.kind == punct || p.tok.kind == word) && p.tok.raw == raw
}

func (p *parser) take(raw string) error {
	if !p.is(raw) {
		return p.unexpected(strconv.Quote(raw))
	}
	return p.advance()
}

func (p *parser) unexpected(wanted string) error {
	if p.tok.kind == end {
		return fmt.Errorf("the expression ends where %s should be", wanted)
	}
	return fmt.Errorf("at byte %d: %s should be here", p.tok.at, wanted)
}

func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return errors.New("the expression is nested too deeply")
	}
	return nil
}

// chain reads terms joined by one operator; a single one stays as it is.
func (p *parser) chain(op string, term func() (Expr, error), join func([]Expr) Expr) (Expr, error) {
	first, err := term()
	if err != nil || !p.is(op) {
		return first, err
	}
	out := []Expr{first}
	for p.is(op) {
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := term()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return join(out), nil
}

func (p *parser) or() (Expr, error) {
	return p.chain("or", p.xor, func(terms []Expr) Expr { return Or{terms} })
}

func (p *parser) xor() (Expr, error) {
	return p.chain("xor", p.and, func(terms []Expr) Expr { return Xor{terms} })
}

func (p *parser) and() (Expr, error) {
	return p.chain("and", p.unary, func(terms []Expr) Expr { return And{terms} })
}

func (p *parser) unary() (Expr, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch {
	case p.is("not"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		return Not{x}, nil
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.or()
		if err != nil {
			return nil, err
		}
		return e, p.take(")")
	case p.is("true"), p.is("false"):
		v := p.tok.raw == "true"
		return Literal(v), p.advance()
	default:
		return p.test()
	}
}

func (p *parser) test() (Expr, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	return p.tail(left)
}

// tail reads the rest of a test after its left operand, if there is any.
func (p *parser) tail(left Operand) (Expr, error) {
	switch left.(type) {
	case Field, Call:
	default:
		return nil, p.unexpected("a field or function before this")
	}
	op := Op("")
	switch {
	case p.is("strict"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.is("wildcard") {
			return nil, p.unexpected(`"wildcard"`)
		}
		op = StrictWildcard
	case p.tok.kind == word || p.tok.kind == punct:
		if o := Op(p.tok.raw); slices.Contains([]Op{Eq, Ne, Lt, Le, Gt, Ge, Contains, Matches, Wildcard, In}, o) {
			op = o
		}
	}
	if op == "" {
		return Flag{left}, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	return Test{Left: left, Op: op, Right: right}, fits(op, right)
}

// fits rejects a right side that the comparison cannot have, so that no judgement is based on a
// misreading.
func fits(op Op, right Operand) error {
	ok := false
	switch right.(type) {
	case Set, List:
		ok = op == In
	case Text:
		ok = op != In
	case Number, Bool, Addresses:
		ok = op == Eq || op == Ne || op == Lt || op == Le || op == Gt || op == Ge
	case Field, Call:
		ok = op == Eq || op == Ne
	}
	if !ok {
		return fmt.Errorf("%q cannot be used with such a value", string(op))
	}
	return nil
}

func (p *parser) operand() (Operand, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.tok
	switch {
	case t.kind == text:
		return Text(t.raw), p.advance()
	case t.kind == number:
		return Number(t.num), p.advance()
	case t.kind == address:
		return t.addr, p.advance()
	case t.kind == list:
		return List(t.raw), p.advance()
	case p.is("true"), p.is("false"):
		return Bool(t.raw == "true"), p.advance()
	case p.is("{"):
		return p.set()
	case t.kind == word && !reserved(t.raw):
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.is("(") {
			return p.call(t)
		}
		return p.field(t)
	}
	return nil, p.unexpected("a value")
}

func reserved(w string) bool {
	return slices.Contains([]string{"and", "or", "xor", "not", "eq", "ne", "lt", "le", "gt", "ge", "contains", "matches", "wildcard",
		"strict", "in"}, w)
}
