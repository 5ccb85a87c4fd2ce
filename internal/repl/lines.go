package repl

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

// maxLine is the length of a message in bytes at most.
const maxLine = 1 << 20

// A skippedLine is a line that is too long to be a message.
type skippedLine struct{ number int }

func (e *skippedLine) Error() string {
	return fmt.Sprintf("line %d is longer than 1 MiB and was skipped: send less at once", e.number)
}

// A lineReader reads one message a line. On a terminal it writes a prompt.
type lineReader struct {
	l       *loop
	r       *bufio.Reader
	number  int
	pending chan lineRead // a read that was interrupted; nil: none
}

type lineRead struct {
	text string
	err  error
}

func newLineReader(l *loop) *lineReader {
	return &lineReader{l: l, r: bufio.NewReaderSize(l.IO.In, 64<<10)}
}

// read returns while a read of the stream still waits when ctx is done or an
// interrupt comes: a blocked read cannot be taken back, only be waited for
// again.
func (r *lineReader) read(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if r.l.IO.InTerminal {
		fmt.Fprintf(r.l.IO.Err, "%s > ", promptText(r.l.Session, 0))
	}
	if r.pending == nil {
		r.pending = make(chan lineRead, 1)
		go func(to chan<- lineRead) {
			text, err := r.line()
			to <- lineRead{text, err}
		}(r.pending)
	}
	select {
	case line := <-r.pending:
		r.pending = nil
		if line.err == io.EOF && r.l.IO.InTerminal {
			fmt.Fprintln(r.l.IO.Err)
		}
		return line.text, line.err
	case <-r.l.interrupts:
		fmt.Fprintln(r.l.IO.Err)
		return "", errEmptyInterrupted
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// line reads one line, the last of which may have no line break.
func (r *lineReader) line() (string, error) {
	r.number++
	var line []byte
	long := false
	for {
		piece, err := r.r.ReadSlice('\n')
		if !long {
			line = append(line, piece...)
			if long = len(line) > maxLine+2; long {
				line = nil
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(piece) == 0 && len(line) == 0 && !long:
			return "", io.EOF
		case err != nil && err != io.EOF:
			return "", fmt.Errorf("the input cannot be read: %w", err)
		}
		break
	}
	if r.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if long || len(line) > maxLine {
		return "", &skippedLine{r.number}
	}
	return strings.ToValidUTF8(string(line), "\uFFFD"), nil
}
