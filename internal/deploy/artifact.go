package deploy

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// The media types of a deployment.
const (
	ArtifactType = "application/vnd.vatio.workspace.v1"
	ConfigType   = "application/vnd.vatio.workspace.config.v1+json"
	LayerType    = "application/vnd.vatio.workspace.layer.v1.tar+gzip"
)

// layerName is what `oras pull` calls the layer.
const layerName = "workspace.tar.gz"

const (
	annotationBranch  = "io.vatio.git.branch"
	annotationDirty   = "io.vatio.git.dirty"
	annotationVersion = "io.vatio.version"
)

// The largest blobs that are stored or read, in bytes.
const (
	maxManifest = 1 << 20
	maxConfig   = 16 << 20
	maxLayer    = 16 << 20
)

// Artifact is what a push stores.
type Artifact struct {
	// Config describes the workspace, Layer holds its files.
	Config, Layer []byte
	// Created is when it was made, kept to the second; zero is now.
	Created time.Time
	// GitCommit and GitBranch are empty outside a repository; Dirty is a working
	// tree that differs from the commit.
	GitCommit, GitBranch string
	Dirty                bool
	Author               string
	// Version is that of the vatio that made it.
	Version string
}

// Deployment is one artifact in a store. Its texts were written by whoever pushed
// it; control characters are taken out.
type Deployment struct {
	// Digest names the deployment: the manifest's, as "sha256:…".
	Digest string
	// ConfigDigest and LayerDigest are the same for the same workspace, whoever
	// pushed it and when.
	ConfigDigest, LayerDigest string
	Created                   time.Time
	GitCommit, GitBranch      string
	Dirty                     bool
	Author                    string
	Version                   string
	// Size is that of the configuration and the layer, in bytes as stored.
	Size int64
}

// manifest is a verified manifest of a deployment.
type manifest struct {
	desc          ocispec.Descriptor // as an entry of an index, without annotations
	raw           []byte
	config, layer ocispec.Descriptor
	deployment    Deployment
}

func describe(mediaType string, data []byte) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
}

// newManifest renders the manifest of an artifact: the same artifact gives the
// same bytes.
func newManifest(a Artifact) (*manifest, error) {
	annotations := map[string]string{
		ocispec.AnnotationCreated: a.Created.UTC().Format(time.RFC3339),
	}
	for key, value := range map[string]string{
		ocispec.AnnotationRevision: a.GitCommit,
		ocispec.AnnotationAuthors:  a.Author,
		annotationBranch:           a.GitBranch,
		annotationVersion:          a.Version,
	} {
		if value != "" {
			annotations[key] = value
		}
	}
	if a.Dirty {
		annotations[annotationDirty] = "true"
	}
	layer := describe(LayerType, a.Layer)
	// Other tools save a layer as a file only if it has a name.
	layer.Annotations = map[string]string{ocispec.AnnotationTitle: layerName}
	raw, err := json.Marshal(ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: ArtifactType,
		Config:       describe(ConfigType, a.Config),
		Layers:       []ocispec.Descriptor{layer},
		Annotations:  annotations,
	})
	if err != nil {
		return nil, err
	}
	return parseManifest(raw)
}

// foreignError says that a manifest is no deployment.
type foreignError struct{ what string }

func (e *foreignError) Error() string { return "this is no vatio deployment: " + e.what }

// parseManifest reads a manifest whose digest the caller has verified.
func parseManifest(raw []byte) (*manifest, error) {
	if len(raw) > maxManifest {
		return nil, &foreignError{fmt.Sprintf("its manifest has %d bytes (at most %d)", len(raw), maxManifest)}
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, &foreignError{"its manifest is not JSON"}
	}
	foreign := func(format string, args ...any) (*manifest, error) {
		return nil, &foreignError{fmt.Sprintf(format, args...)}
	}
	switch {
	case m.MediaType != ocispec.MediaTypeImageManifest && m.MediaType != "":
		return foreign("its media type is %q", legible(m.MediaType))
	case m.ArtifactType != ArtifactType && strings.HasPrefix(m.ArtifactType, "application/vnd.vatio.workspace."):
		return foreign("its type is %q, which a newer vatio writes", legible(m.ArtifactType))
	case m.ArtifactType != ArtifactType:
		kind := m.ArtifactType
		if kind == "" {
			kind = m.Config.MediaType
		}
		return foreign("its type is %q", legible(kind))
	case m.Config.MediaType != ConfigType:
		return foreign("it has a configuration of media type %q", legible(m.Config.MediaType))
	case len(m.Layers) != 1:
		return foreign("it has %d layers (always 1)", len(m.Layers))
	case m.Layers[0].MediaType != LayerType:
		return foreign("it has a layer of media type %q", legible(m.Layers[0].MediaType))
	}
	for _, part := range []struct {
		desc ocispec.Descriptor
		name string
		max  int64
	}{{m.Config, "configuration", maxConfig}, {m.Layers[0], "layer", maxLayer}} {
		if checkDigest(part.desc.Digest.String()) != nil {
			return foreign("it has a %s without a sha256 digest", part.name)
		}
		if part.desc.Size < 0 || part.desc.Size > part.max {
			return foreign("it has a %s of %d bytes (at most %d)", part.name, part.desc.Size, part.max)
		}
	}
	desc := describe(ocispec.MediaTypeImageManifest, raw)
	desc.ArtifactType = ArtifactType
	// A date that cannot be read is left zero: it is there for people only.
	created, _ := time.Parse(time.RFC3339, m.Annotations[ocispec.AnnotationCreated])
	return &manifest{
		desc:   desc,
		raw:    raw,
		config: m.Config,
		layer:  m.Layers[0],
		deployment: Deployment{
			Digest:       desc.Digest.String(),
			ConfigDigest: m.Config.Digest.String(),
			LayerDigest:  m.Layers[0].Digest.String(),
			Created:      created.UTC(),
			GitCommit:    legible(m.Annotations[ocispec.AnnotationRevision]),
			GitBranch:    legible(m.Annotations[annotationBranch]),
			Dirty:        m.Annotations[annotationDirty] == "true",
			Author:       legible(m.Annotations[ocispec.AnnotationAuthors]),
			Version:      legible(m.Annotations[annotationVersion]),
			Size:         m.Config.Size + m.Layers[0].Size,
		},
	}, nil
}

// legible is a text of unknown origin, fit to be printed on one line.
func legible(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
