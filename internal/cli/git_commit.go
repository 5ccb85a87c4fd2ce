package cli

import (
	"cmp"
	"context"
	"os/exec"
	"os/user"
	"strings"
)

// A commit is what git says of the files of a workspace. It is empty outside of a
// repository, and where git is not installed.
type commit struct {
	hash, branch string
	dirty        bool // a file of the workspace differs from the commit
}

func commitOf(ctx context.Context, root string) commit {
	git := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if gitDir(root) == "" {
		return commit{}
	}
	c := commit{hash: git("rev-parse", "--verify", "--quiet", "HEAD")}
	if c.hash != "" {
		c.branch = git("branch", "--show-current")
		c.dirty = git("--no-optional-locks", "status", "--porcelain", "--", ".") != ""
	}
	return c
}

// author says who deploys: as git would write it, else the user of the system.
func (a *app) author(ctx context.Context, root string) string {
	config := func(key string) string {
		cmd := exec.CommandContext(ctx, "git", "config", "--get", key)
		cmd.Dir = root
		out, _ := cmd.Output()
		return strings.TrimSpace(string(out))
	}
	name, email := cmp.Or(a.Getenv("GIT_AUTHOR_NAME"), config("user.name")), cmp.Or(a.Getenv("GIT_AUTHOR_EMAIL"), config("user.email"))
	switch {
	case name != "" && email != "":
		return name + " <" + email + ">"
	case name != "" || email != "":
		return name + email
	}
	if u, err := user.Current(); err == nil {
		return cmp.Or(a.Getenv("USER"), u.Username)
	}
	return a.Getenv("USER")
}
