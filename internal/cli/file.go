package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

// writeFile writes a file as a whole or not at all.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	if err := atomicfile.Write(path, data, mode); err != nil {
		return fmt.Errorf("%s cannot be written: %w", filepath.Base(path), err)
	}
	return nil
}
