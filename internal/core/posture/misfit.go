package posture

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Misfit words an error of decoding JSON for whoever wrote it: a value of the wrong kind is named by the
// members that lead to it, as in "rules.days: expected a whole number of at most 18 digits", and by
// nothing of Go.
func Misfit(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	members := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(name string) bool {
		return name == "" || unicode.IsUpper(rune(name[0])) // an embedded struct is a step of Go's path only
	})
	message := "expected " + kindOf(wrong.Type)
	if len(members) > 0 {
		message = strings.Join(members, ".") + ": " + message
	}
	return errors.New(message)
}

func kindOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	default:
		return "a whole number of at most 18 digits"
	}
}
