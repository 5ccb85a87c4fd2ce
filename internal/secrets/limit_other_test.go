//go:build !unix

package secrets

import "errors"

func forbidWriting() error { return errors.ErrUnsupported }
