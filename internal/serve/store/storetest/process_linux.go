package storetest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// attributes are those of a process that ends with the test binary, whatever
// ends that.
func attributes(uid, gid int) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if uid >= 0 {
		a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return a
}

// startProcess starts a process from a thread that lives as long as the test
// binary: the kernel counts the thread as the parent.
func startProcess(c *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		started <- c.Start()
		select {}
	}()
	return <-started
}
