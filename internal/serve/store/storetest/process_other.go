//go:build !linux

package storetest

import (
	"os/exec"
	"syscall"
)

func attributes(int, int) *syscall.SysProcAttr { return nil }

func startProcess(c *exec.Cmd) error { return c.Start() }
