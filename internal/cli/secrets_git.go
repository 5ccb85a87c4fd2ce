package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vatio-dev/vatio/internal/secrets"
)

// noticeUnmerged says so when git has left the secrets unmerged. With the
// attributes that init writes git puts no marks of a conflict into the file: it
// keeps one side, which opens as if nothing were missing.
func (a *app) noticeUnmerged(ctx context.Context, root string) {
	if !unmerged(ctx, root) {
		return
	}
	fmt.Fprintf(a.Err, `vatio: git could not merge %[1]s: what stands there is one side, and the other's changes are missing
   keep one side (git checkout --ours %[1]s, or --theirs), set what the other side had changed again, and git add it
`, secrets.FileName)
}

// unmerged asks git, where a merge of any kind is going on.
func unmerged(ctx context.Context, root string) bool {
	dir := gitDir(root)
	if dir == "" {
		return false
	}
	for _, name := range []string{"MERGE_HEAD", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, "git", "ls-files", "--unmerged", "--", secrets.FileName)
		cmd.Dir = root
		out, err := cmd.Output()
		return err == nil && len(out) > 0
	}
	return false
}

// gitDir returns the directory in which git keeps what belongs to the working
// tree around root, "" where there is none.
func gitDir(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".git")
		switch info, err := os.Stat(path); {
		case err == nil && info.IsDir():
			return path
		case err == nil && info.Mode().IsRegular(): // of a worktree or a submodule
			text, err := os.ReadFile(path)
			target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if err != nil || !ok {
				return ""
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return target
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
