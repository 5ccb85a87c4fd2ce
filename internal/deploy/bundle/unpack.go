package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/vatio-dev/vatio/pkg/workspace"
)

// maxTar is how many bytes a tar within the limits has at most: for each file a
// header and its padding, and as much again for the header of a long name.
const maxTar = MaxSize + MaxFiles*(512+512+512+maxPath+512+512) + 64<<10

// runFault returns why a path is not part of a layer although its name is fine:
// who runs an agent, not who made it, decides what it may reach.
func runFault(path string) string {
	switch fold(path) {
	case workspace.DeploymentName, "compose.yaml":
		return "this file says how an agent is run and is not part of a deployment"
	}
	return ""
}

// Unpack returns the files of a layer, by path. A layer that holds anything but
// regular files, names that are no plain paths or clash on some file system, or
// more than the limits allow, is refused as a whole; no more memory is taken
// than for one that is not.
func Unpack(layer []byte) ([]File, error) {
	packed := bytes.NewReader(layer)
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return nil, errors.New("the layer is not gzip")
	}
	unzipped.Multistream(false)
	limited := &io.LimitedReader{R: unzipped, N: maxTar + 1}
	files, err := untar(tar.NewReader(limited))
	if err == nil {
		// What stands behind the end of the tar belongs to the checksum.
		if _, err = io.Copy(io.Discard, limited); err != nil {
			err = errors.New("the layer is damaged")
		}
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("the layer unpacks to more than %d bytes", maxTar)
	case err != nil:
		return nil, err
	case packed.Len() > 0:
		return nil, fmt.Errorf("the layer has %d bytes behind its end", packed.Len())
	}
	slices.SortFunc(files, byPath)
	return files, nil
}

func untar(r *tar.Reader) ([]File, error) {
	var files []File
	var seen names
	size := int64(0)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, errors.New("the layer is damaged, or not a tar")
		}
		fault := entryFault(h)
		if fault == "" {
			fault = seen.add(h.Name)
		}
		if fault == "" {
			fault = runFault(h.Name)
		}
		size += max(h.Size, 0)
		switch {
		case fault != "":
			return nil, &RefusedError{[]Refusal{{h.Name, 0, fault}}}
		case len(files) == MaxFiles:
			return nil, &RefusedError{[]Refusal{{Reason: fmt.Sprintf("the layer has more than %d files", MaxFiles)}}}
		case h.Size < 0 || h.Size > MaxFileSize:
			return nil, &RefusedError{[]Refusal{{h.Name, 0, fmt.Sprintf("the file has %d bytes (at most %d)", h.Size, MaxFileSize)}}}
		case size > MaxSize:
			return nil, &RefusedError{[]Refusal{{Reason: fmt.Sprintf("the files of the layer have more than %d bytes together", MaxSize)}}}
		}
		// A header may claim more than follows: memory grows with what is there.
		var data bytes.Buffer
		if n, err := io.Copy(&data, io.LimitReader(r, h.Size)); err != nil || n != h.Size {
			return nil, errors.New("the layer is damaged: it ends within a file")
		}
		files = append(files, File{h.Name, data.Bytes()})
	}
}

// entryFault returns why an entry is no plain file, "" if it is one.
func entryFault(h *tar.Header) string {
	switch h.Typeflag {
	case tar.TypeReg:
	case tar.TypeSymlink, tar.TypeLink:
		return "this is a link: a deployment has regular files only"
	case tar.TypeDir:
		return "this is a directory: a deployment has regular files only"
	default:
		return "this is not a regular file"
	}
	if h.Linkname != "" {
		return "this is a link: a deployment has regular files only"
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return "this is a sparse file: a deployment has regular files only"
		}
	}
	return ""
}
