package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// decodeInto decodes a result; null counts as nothing. The provider returns some numbers and
// booleans as strings, and some strings as numbers, so such values are converted where that is
// unambiguous.
func decodeInto(raw json.RawMessage, into any, name string) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	err := json.Unmarshal(raw, into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		target := reflect.ValueOf(into).Elem()
		target.SetZero()
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return fmt.Errorf("decode %s: %w", name, err)
		}
		conformed, encodeErr := json.Marshal(conform(value, target.Type()))
		if encodeErr != nil {
			return fmt.Errorf("decode %s: %w", name, encodeErr)
		}
		err = json.Unmarshal(conformed, into)
	}
	if err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

// conform converts primitives to the type they are decoded into.
func conform(value any, typ reflect.Type) any {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		switch typ.Kind() {
		case reflect.Map:
			for name := range v {
				v[name] = conform(v[name], typ.Elem())
			}
		case reflect.Struct:
			for _, f := range reflect.VisibleFields(typ) {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); v[name] != nil {
					v[name] = conform(v[name], f.Type)
				}
			}
		default: // a type mismatch, which the decoder reports
		}
	case []any:
		for i := 0; i < len(v) && typ.Kind() == reflect.Slice; i++ {
			v[i] = conform(v[i], typ.Elem())
		}
	case string:
		return conformText(v, typ.Kind())
	case json.Number:
		if f, err := v.Float64(); typ.Kind() == reflect.Int && err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int64(f)
		}
		if typ.Kind() == reflect.String {
			return v.String()
		}
	case bool:
		if typ.Kind() == reflect.String {
			return strconv.FormatBool(v)
		}
	}
	return value
}

func conformText(text string, kind reflect.Kind) any {
	switch kind {
	case reflect.Int, reflect.Int64, reflect.Float64:
		if f, err := strconv.ParseFloat(text, 64); err == nil && (kind == reflect.Float64 || f == math.Trunc(f) && math.Abs(f) < 1<<53) {
			return f
		}
	case reflect.Bool:
		if text == "true" || text == "false" {
			return text == "true"
		}
	default:
	}
	return text
}
