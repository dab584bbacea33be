package sandboxlocal

import (
	"errors"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

func asError[T error](err error, target *T) bool { return errors.As(err, target) }
