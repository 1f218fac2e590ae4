package relational

import (
	"context"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"
)

// addAll inserts rows, at least one. conflict is what follows ON in the statement, or "". To an engine
// with arrays each column is sent as one array: a server takes longer to parse a list of rows than to
// store them.
func addAll[T any](ctx context.Context, e Engine, db queries, rows []T, conflict string) error {
	q := db.NewInsert().Model(&rows).Returning("NULL")
	if conflict != "" {
		q = q.On(conflict)
		conflict = " ON " + conflict
	}
	if !e.Arrays {
		_, err := q.Exec(ctx)
		return err
	}
	table := q.DB().Dialect().Tables().Get(reflect.TypeFor[T]())
	fields := slices.DeleteFunc(slices.Clone(table.Fields), func(f *schema.Field) bool { return f.AutoIncrement })
	names, arrays, values := make([]string, len(fields)), make([]string, len(fields)), make([]any, len(fields))
	for i, f := range fields {
		names[i], arrays[i] = string(f.SQLName), "?::"+arrayType(f)+"[]"
		values[i] = arrayOf(f, rows)
	}
	return ran(db.NewRaw("INSERT INTO "+string(table.SQLName)+" ("+strings.Join(names, ", ")+") SELECT * FROM unnest("+strings.Join(arrays,
		", ")+")"+conflict, values...).Exec(ctx))
}

func arrayType(f *schema.Field) string {
	switch f.IndirectType.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "bytea"
	case reflect.String:
		return "text"
	default:
		return "bigint"
	}
}

// quotedInArray escapes the characters that are special inside a quoted array element.
func quotedInArray() *strings.Replacer { return strings.NewReplacer(`\`, `\\`, `"`, `\"`) }

// arrayOf writes the values of a field as an array literal.
func arrayOf[T any](f *schema.Field, rows []T) string {
	quote := quotedInArray()
	b := []byte("{")
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		v := f.Value(reflect.ValueOf(&rows[i]).Elem())
		switch kind := v.Kind(); {
		case f.NullZero && v.IsZero(), kind == reflect.Slice && v.IsNil():
			b = append(b, "NULL"...)
		case kind == reflect.Bool:
			b = strconv.AppendBool(b, v.Bool())
		case kind == reflect.Slice:
			b = append(hex.AppendEncode(append(b, `"\\x`...), v.Bytes()), '"')
		case kind == reflect.String:
			b = append(append(append(b, '"'), quote.Replace(v.String())...), '"')
		default:
			b = strconv.AppendInt(b, v.Int(), 10)
		}
	}
	return string(append(b, '}'))
}
