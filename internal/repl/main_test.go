package repl

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

// childVariable makes the test binary run the loop on its own streams.
const childVariable = "REPL_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

// child is a program around Run, with the exit codes of one.
func child() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := Run(ctx, Options{
		IO: iox.System(), Session: newStub(), HistoryFile: os.Getenv("REPL_TEST_HISTORY"),
		ConversationFile: os.Getenv("REPL_TEST_CONVERSATION"), Resume: os.Getenv("REPL_TEST_RESUME") != "",
		JSON: os.Getenv("REPL_TEST_JSON") != "", Greeting: []string{"hello from acme"},
	}, &chat.Conversation{})
	switch {
	case ctx.Err() != nil:
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, "failed:", err)
		return 1
	}
	fmt.Println("left")
	return 0
}
