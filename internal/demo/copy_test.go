package demo

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	examples "github.com/vatio-dev/vatio/tools-examples"
)

// tree returns the mode and text of everything below root.
func tree(t *testing.T, root fs.FS, modes bool) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if modes {
			info, err := d.Info()
			if err != nil {
				return err
			}
			text = info.Mode().String() + "\n"
		} else if d.IsDir() {
			text = "drwxr-xr-x\n"
		} else {
			text = "-rw-r--r--\n"
		}
		if !d.IsDir() {
			data, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			text += string(data)
		}
		got[name] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCopy(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "new", "shop")
	if err := Copy(dst, AcmeStore); err != nil {
		t.Fatal(err)
	}
	embedded, err := fs.Sub(examples.FS, AcmeStore)
	if err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, embedded, false), tree(t, os.DirFS(dst), true)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("copy (-want +got):\n%s", diff)
	}
	for _, name := range []string{".gitignore", "vatio.yml", "identity.pub", "tools/check_stock.yml", "knowledge/policies/returns.md"} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s was not copied", name)
		}
	}

	before := tree(t, os.DirFS(dst), true)
	err = Copy(dst, AcmeStore)
	if want := `"` + filepath.Join(dst, ".gitignore") + `" exists already: choose an empty directory`; err == nil || err.Error() != want {
		t.Errorf("second copy: error is %v, want %s", err, want)
	}
	if diff := cmp.Diff(before, tree(t, os.DirFS(dst), true)); diff != "" {
		t.Errorf("second copy changed (-want +got):\n%s", diff)
	}
}

func TestCopyBesideOtherFiles(t *testing.T) {
	dst := t.TempDir()
	if err := os.WriteFile(filepath.Join(dst, "README.md"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Copy(dst, AcmeStore); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dst, "README.md")); err != nil || string(data) != "mine\n" {
		t.Errorf("README.md is %q, %v", data, err)
	}
}

func TestCopyRefuses(t *testing.T) {
	file := func(t *testing.T, dst, name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dst, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, example string
		prepare       func(t *testing.T, dst string)
		want          func(dst string) string
		left          []string
	}{
		{"an unknown example", "acme", nil, func(string) string { return `there is no example "acme": choose "acme-store", "records-agent"` }, nil},
		{"no example", "", nil, func(string) string { return `there is no example "": choose "acme-store", "records-agent"` }, nil},
		{"a path", "../acme-store", nil, func(string) string {
			return `there is no example "../acme-store": choose "acme-store", "records-agent"`
		}, nil},
		{"a file that is there", AcmeStore, func(t *testing.T, dst string) { file(t, dst, "vatio.yml") },
			func(dst string) string {
				return `"` + filepath.Join(dst, "vatio.yml") + `" exists already: choose an empty directory`
			}, []string{"vatio.yml"}},
		{"a file for a directory", AcmeStore, func(t *testing.T, dst string) { file(t, dst, "tools") },
			func(dst string) string {
				return `"` + filepath.Join(dst, "tools") + `" is in the way: it is no directory`
			}, []string{"tools"}},
		{"a directory for a file", AcmeStore, func(t *testing.T, dst string) {
			if err := os.Mkdir(filepath.Join(dst, "vatio.yml"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, func(dst string) string {
			return `"` + filepath.Join(dst, "vatio.yml") + `" is in the way: it is a directory`
		}, []string{"vatio.yml"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dst := t.TempDir()
			if tt.prepare != nil {
				tt.prepare(t, dst)
			}
			err := Copy(dst, tt.example)
			if err == nil || err.Error() != tt.want(dst) {
				t.Errorf("error is %v, want %s", err, tt.want(dst))
			}
			entries, err := os.ReadDir(dst)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if diff := cmp.Diff(tt.left, left); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
		})
	}
}
