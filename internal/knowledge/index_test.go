package knowledge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	returns  = "# Returns\n\nYou may send goods back within thirty days.\n"
	shipping = "# Shipping\n\nParcels are shipped on Mondays.\n"
	refunds  = "# Devolución\n\nEl cliente tiene treinta días.\n"
)

var ignoreScore = cmpopts.IgnoreFields(Passage{}, "Score")

func TestSearch(t *testing.T) {
	root := workspace(t,
		"knowledge/shop/returns.md", returns,
		"knowledge/shop/es/devolucion.md", refunds,
		"knowledge/shop/deep/er/shipping.md", shipping,
		"knowledge/other/private.md", "# Returns of others\n",
		"knowledge/shop/.hidden.md", "# Returns hidden\n",
		"knowledge/shop/returns.txt", "returns\n",
		"knowledge/shop/empty.md", "",
	)
	x := open(t, Options{Root: root, Bases: []string{"shop"}, CacheDir: filepath.Join(root, ".vatio")})
	en := Passage{Base: "shop", File: "knowledge/shop/returns.md", Heading: "Returns", Text: "You may send goods back within thirty days."}
	es := Passage{Base: "shop", File: "knowledge/shop/es/devolucion.md", Heading: "Devolución", Text: "El cliente tiene treinta días."}
	ship := Passage{Base: "shop", File: "knowledge/shop/deep/er/shipping.md", Heading: "Shipping", Text: "Parcels are shipped on Mondays."}
	for _, tt := range []struct {
		query string
		want  []Passage
	}{
		{"return", []Passage{en}},
		{"RETURNED?", []Passage{en}},
		{"devoluciones", []Passage{es}},
		{"devolucion", []Passage{es}},
		{"dia de los clientes", []Passage{es}},
		{"ship", []Passage{ship}},
		{"is the parcel being shipped", []Passage{ship}},
		{"nothing like this exists", nil},
		{"", nil},
		{"\xff\x00\"", nil},
		{"parcel devoluciones", []Passage{es, ship}},
	} {
		got := search(t, x, tt.query, 0)
		if diff := cmp.Diff(tt.want, got, ignoreScore, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.query, diff)
		}
		for _, p := range got {
			if p.Score <= 0 {
				t.Errorf("%q: score %v of %s", tt.query, p.Score, p.File)
			}
		}
	}
	if got := x.Problems(); len(got) > 0 {
		t.Errorf("problems: %v", got)
	}
}

func TestEqualScoresComeByFileAndPlace(t *testing.T) {
	root := workspace(t)
	var want []string
	for i := range 12 {
		name := fmt.Sprintf("knowledge/a/f%02d.md", (i*5)%12)
		write(t, root, name, "# x\n\nsame words\n\n# x\n\nsame words\n", old)
		want = append(want, fmt.Sprintf("knowledge/a/f%02d.md", i), fmt.Sprintf("knowledge/a/f%02d.md", i))
	}
	x := open(t, Options{Root: root, Bases: []string{"a"}})
	var got []string
	for _, p := range search(t, x, "same", 100) {
		got = append(got, p.File)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	root := workspace(t,
		"knowledge/a/good.md", returns,
		"knowledge/a/latin.md", "devoluci\xf3n\n",
		"knowledge/a/large.md", strings.Repeat("returns ", maxFile/8+1),
		"knowledge/a/limit.md", strings.Repeat("limited ", maxFile/8),
		"shared/inside.md", "# Linked\n\ninside\n",
		"knowledge/file", "",
	)
	outside := workspace(t, "secret.md", "# Secret\n")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	link("../../shared/inside.md", "knowledge/a/inside.md")
	link(filepath.Join(outside, "secret.md"), "knowledge/a/outside.md")
	link("../../../"+filepath.Base(outside)+"/secret.md", "knowledge/a/up.md")
	link("../../shared", "knowledge/a/dir")
	link("nowhere.md", "knowledge/a/broken.md")
	link("loop.md", "knowledge/a/loop.md")
	link("nowhere.txt", "knowledge/a/broken.txt")
	want := []Problem{
		{"knowledge/a/broken.md", "the link leads out of the workspace or nowhere"},
		{"knowledge/a/dir", "links to directories are not followed"},
		{"knowledge/a/large.md", "the file is larger than 1 MiB"},
		{"knowledge/a/latin.md", "the file is not UTF-8"},
		{"knowledge/a/loop.md", "the link leads out of the workspace or nowhere"},
		{"knowledge/a/outside.md", "the link leads out of the workspace or nowhere"},
		{"knowledge/a/up.md", "the link leads out of the workspace or nowhere"},
		{"knowledge/file", "the knowledge base is no directory"},
		{"knowledge/gone", "the knowledge base does not exist"},
	}
	o := Options{Root: root, Bases: []string{"gone", "a", "file", "a"}, CacheDir: filepath.Join(root, "cache")}
	for _, when := range []string{"made", "from the cache"} {
		x := open(t, o)
		if diff := cmp.Diff(want, x.Problems()); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s", when, diff)
		}
		for query, found := range map[string]int{"inside": 1, "secret": 0, "good": 1, "limited": 1} {
			if got := min(1, len(search(t, x, query, 1))); got != found {
				t.Errorf("%s: %q found %d, want %d", when, query, got, found)
			}
		}
		x.Close()
	}
}

func TestOpenRefusesBases(t *testing.T) {
	for _, base := range []string{"..", "../x", "/etc", "", "."} {
		_, err := Open(context.Background(), Options{Root: t.TempDir(), Bases: []string{base}})
		if diff := cmp.Diff(fmt.Sprintf("%q is no name of a knowledge base", base), fmt.Sprint(err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestChanges checks that an index brought up to date finds what one made
// anew finds, with the same scores in the same order.
func TestChanges(t *testing.T) {
	root, cache := workspace(t), t.TempDir()
	corpus(t, root, "a", 60, 7)
	o := Options{Root: root, Bases: []string{"a"}, CacheDir: cache}
	x := open(t, o)
	later := func(n int) time.Time { return old.Add(time.Duration(n) * time.Hour) }
	steps := []struct {
		name    string
		changes bool
		do      func()
	}{
		{"nothing", false, func() {}},
		{"edit", true, func() { write(t, root, "knowledge/a/03/article-0003.md", returns, later(1)) }},
		{"edit of the same size", true, func() {
			write(t, root, "knowledge/a/03/article-0003.md", strings.Replace(returns, "thirty", "twenty", 1), later(2))
		}},
		{"touch", true, func() {
			write(t, root, "knowledge/a/03/article-0003.md", strings.Replace(returns, "thirty", "twenty", 1), later(3))
		}},
		{"delete", true, func() { remove(t, root, "knowledge/a/10/article-0010.md") }},
		{"add", true, func() {
			write(t, root, "knowledge/a/00/aaa.md", shipping, old)
			write(t, root, "knowledge/a/20/between.md", refunds, old)
			write(t, root, "knowledge/a/zzz.md", shipping, old)
		}},
		{"add one that does not fit", true, func() {
			write(t, root, "knowledge/a/20/big.md", strings.Repeat("# Orders\n\nshipped\n\n", 400), old)
		}},
		{"rename", true, func() {
			if err := os.Rename(filepath.Join(root, "knowledge/a/zzz.md"), filepath.Join(root, "knowledge/a/25/moved.md")); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file that is no text any more", true, func() { write(t, root, "knowledge/a/25/moved.md", "\xff\xfe", later(4)) }},
		{"and is again", true, func() { write(t, root, "knowledge/a/25/moved.md", refunds, later(5)) }},
		{"most of them", true, func() {
			for i := 11; i < 50; i++ {
				remove(t, root, fmt.Sprintf("knowledge/a/%02d/article-%04d.md", i, i))
			}
		}},
		{"all of them", true, func() {
			if err := os.RemoveAll(filepath.Join(root, "knowledge/a")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(root, "knowledge/a"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"the first again", true, func() { write(t, root, "knowledge/a/x.md", returns, old) }},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			changed, err := x.Refresh(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if changed != step.changes {
				t.Errorf("changed is %v", changed)
			}
			anew := open(t, Options{Root: root, Bases: []string{"a"}})
			reopened := open(t, o)
			for _, query := range []string{"orders shipped", "devolución del cliente", "thirty", "twenty", "days días", "babedu", "parcel"} {
				want := search(t, anew, query, 50)
				if diff := cmp.Diff(want, search(t, x, query, 50)); diff != "" {
					t.Errorf("%q, refreshed (-want +got):\n%s", query, diff)
				}
				if diff := cmp.Diff(want, search(t, reopened, query, 50)); diff != "" {
					t.Errorf("%q, reopened (-want +got):\n%s", query, diff)
				}
			}
			if diff := cmp.Diff(anew.Problems(), x.Problems(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if changed, err := reopened.Refresh(context.Background()); changed || err != nil {
				t.Errorf("refreshed again: %v, %v", changed, err)
			}
			reopened.Close()
			anew.Close()
		})
	}
	if diff := cmp.Diff([]string{cacheName, lockName}, names(t, cache)); diff != "" {
		t.Errorf("left in the cache (-want +got):\n%s", diff)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A second edit within the same tick of the file system's clock changes
// neither size nor time.
func TestYoungFilesAreComparedByContent(t *testing.T) {
	root := workspace(t)
	now := time.Now()
	write(t, root, "knowledge/a/x.md", "first\n", now)
	o := Options{Root: root, Bases: []string{"a"}, CacheDir: t.TempDir()}
	x := open(t, o)
	write(t, root, "knowledge/a/x.md", "other\n", now)
	if changed, err := x.Refresh(context.Background()); !changed || err != nil {
		t.Errorf("refresh: %v, %v", changed, err)
	}
	for _, y := range []*Index{x, open(t, o)} {
		if len(search(t, y, "other", 1)) != 1 || len(search(t, y, "first", 1)) != 0 {
			t.Error("the first content is still found")
		}
	}
}

func TestDamagedCache(t *testing.T) {
	root := workspace(t)
	corpus(t, root, "a", 40, 3)
	for _, tt := range []struct {
		name   string
		damage func(b []byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"no database", func([]byte) []byte { return []byte(strings.Repeat("what is this? ", 1000)) }},
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }},
		{"last byte missing", func(b []byte) []byte { return b[:len(b)-1] }},
		{"zeros from the second page", func(b []byte) []byte { clear(b[4096:]); return b }},
		{"noise after the first pages", func(b []byte) []byte {
			for i := 8 * 4096; i < len(b); i++ {
				b[i] = byte(i * 7)
			}
			return b
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			o := Options{Root: root, Bases: []string{"a"}, CacheDir: cache}
			x := open(t, o)
			want := search(t, x, "orders devoluciones", 5)
			x.Close()
			path := filepath.Join(cache, cacheName)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tt.damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				x := open(t, o)
				if diff := cmp.Diff(want, search(t, x, "orders devoluciones", 5)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if x.db.path != path {
					t.Errorf("the index is in %q", x.db.path)
				}
				x.Close()
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		cache := t.TempDir()
		if err := os.Mkdir(filepath.Join(cache, cacheName), 0o755); err != nil {
			t.Fatal(err)
		}
		x := open(t, Options{Root: root, Bases: []string{"a"}, CacheDir: cache})
		if len(search(t, x, "orders", 5)) != 5 {
			t.Error("nothing found")
		}
	})
}

func TestCacheThatCannotBeWritten(t *testing.T) {
	root := workspace(t, "knowledge/a/x.md", returns, ".vatio", "a file where the directory would be")
	x := open(t, Options{Root: root, Bases: []string{"a"}, CacheDir: filepath.Join(root, ".vatio")})
	if got := len(search(t, x, "returns", 5)); got != 1 {
		t.Errorf("found %d", got)
	}
	write(t, root, "knowledge/a/y.md", returns, old)
	if changed, err := x.Refresh(context.Background()); !changed || err != nil {
		t.Errorf("refresh: %v, %v", changed, err)
	}
	if got := len(search(t, x, "returns", 5)); got != 2 {
		t.Errorf("found %d", got)
	}
	if changed, err := x.Refresh(context.Background()); changed || err != nil {
		t.Errorf("refresh of nothing: %v, %v", changed, err)
	}
}

func TestCachePathWithOddCharacters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not allowed in file names")
	}
	root := workspace(t, "knowledge/a/x.md", returns)
	cache := filepath.Join(root, "a b?mode=rw&x#y%20[z]*'é")
	o := Options{Root: root, Bases: []string{"a"}, CacheDir: cache}
	for range 2 {
		x := open(t, o)
		if got := len(search(t, x, "returns", 5)); got != 1 || x.db.path != filepath.Join(cache, cacheName) {
			t.Errorf("found %d in %q", got, x.db.path)
		}
		x.Close()
	}
	if diff := cmp.Diff([]string{cacheName, lockName}, names(t, cache)); diff != "" {
		t.Errorf("left in the cache (-want +got):\n%s", diff)
	}
}

func TestReadersKeepTheirSnapshot(t *testing.T) {
	root := workspace(t, "knowledge/a/x.md", returns)
	o := Options{Root: root, Bases: []string{"a"}, CacheDir: t.TempDir()}
	first := open(t, o)
	write(t, root, "knowledge/a/y.md", returns, old)
	second := open(t, o)
	if a, b := len(search(t, first, "returns", 5)), len(search(t, second, "returns", 5)); a != 1 || b != 2 {
		t.Errorf("found %d and %d", a, b)
	}
}

func TestProgress(t *testing.T) {
	root := workspace(t)
	corpus(t, root, "a", 5, 1)
	var got []string
	o := Options{Root: root, Bases: []string{"a"}, CacheDir: t.TempDir(), Progress: func(done, total int) {
		got = append(got, fmt.Sprintf("%d/%d", done, total))
	}}
	open(t, o)
	open(t, o)
	if diff := cmp.Diff([]string{"1/5", "2/5", "3/5", "4/5", "5/5"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCancelled(t *testing.T) {
	root, cache := workspace(t), t.TempDir()
	corpus(t, root, "a", 300, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Open(ctx, Options{Root: root, Bases: []string{"a"}, CacheDir: cache, Progress: func(done, _ int) {
		if done == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{lockName}, names(t, cache)); diff != "" {
		t.Errorf("left in the cache (-want +got):\n%s", diff)
	}
}

func TestClosed(t *testing.T) {
	x := open(t, Options{Root: workspace(t)})
	x.Close()
	_, err := x.Search(context.Background(), "word", 1)
	if diff := cmp.Diff("the knowledge index is closed", fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConcurrentUse(t *testing.T) {
	root := workspace(t)
	corpus(t, root, "a", 30, 5)
	x := open(t, Options{Root: root, Bases: []string{"a"}, CacheDir: t.TempDir()})
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for n := range 20 {
				if i == 0 && n%5 == 0 {
					write(t, root, "knowledge/a/x.md", returns, old.Add(time.Duration(n)*time.Hour))
					if _, err := x.Refresh(context.Background()); err != nil {
						t.Error(err)
					}
				}
				if found, err := x.Search(context.Background(), "orders pedidos", 5); err != nil || len(found) != 5 {
					t.Errorf("found %d, error %v", len(found), err)
				}
				x.Problems()
			}
		})
	}
	running.Wait()
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"returns", `"`, `"" OR`, "a AND NOT b", "NEAR(a b, 3)", "heading:x", "^x*", "'; DROP TABLE words; --",
		"\x00", "\xff\xfe", "x\u0301", "日本語", "-", "{a b}:c", "a\"b", strings.Repeat("word ", 5000), strings.Repeat("x", 100000)} {
		f.Add(q)
	}
	root := f.TempDir()
	write(f, root, "knowledge/a/x.md", returns+refunds, old)
	x := open(f, Options{Root: root, Bases: []string{"a"}})
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := x.Search(context.Background(), query, 5); err != nil {
			t.Error(err)
		}
	})
}
