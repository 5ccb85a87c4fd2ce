package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// An Event is one server-sent event. Data is valid until the next one.
type Event struct {
	Name string // "" where the server gives none
	Data []byte
}

// Events yields the events of the answer (WHATWG HTML, section 9.2.6), those
// without data left out, until the stream ends, says [DONE], or End is called. A body that is
// one JSON document is one event. An error is a *Fault, and the last.
func (x *Exchange) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if x.body == nil {
			return
		}
		limited := &io.LimitedReader{R: reader{x}, N: maxStream}
		s := &stream{r: bufio.NewReaderSize(limited, 16<<10)}
		for {
			e, err := s.next()
			switch {
			case limited.N <= 0 && !x.finished:
				yield(Event{}, x.tooLarge())
				return
			case err == nil && string(bytes.TrimSpace(e.Data)) == "[DONE]":
				x.drain(s.r)
				return
			case err == nil:
				if !yield(e, nil) {
					return
				}
				if x.ended {
					x.drain(s.r)
					return
				}
			case err == io.EOF, x.finished:
				return
			default:
				yield(Event{}, x.broken(err))
				return
			}
		}
	}
}

// drain reads what follows the end of a stream, so that the connection can be
// used again.
func (x *Exchange) drain(r io.Reader) {
	x.endIn(aftermath)
	_, _ = io.Copy(io.Discard, r)
}

// broken says why a stream cannot be read on.
func (x *Exchange) broken(err error) *Fault {
	switch {
	case errors.Is(err, errLarge):
		return x.tooLarge()
	case context.Cause(x.ctx) == errSilent:
		return x.client.fault("%s fell silent in the middle of its answer, for %s: ask again", x.client.who(), x.client.silence)
	}
	f := x.Cut()
	f.Again = true
	return f
}

func (x *Exchange) tooLarge() *Fault {
	return x.client.fault("the answer of %s is too large and was cut off: ask for less", x.client.who())
}

var errLarge = errors.New("event too large")

// A stream reads server-sent events.
type stream struct {
	r     *bufio.Reader
	begun bool
	cr    bool // the line before ended in CR: a LF that follows belongs to it
	line  []byte
	data  []byte
}

// next returns the next event that has data. The last one may lack the line
// break behind it when what it says is whole.
func (s *stream) next() (Event, error) {
	if !s.begun {
		s.begun = true
		if document, err := s.document(); document != nil || err != nil {
			return Event{Data: document}, err
		}
	}
	e := Event{}
	s.data = s.data[:0]
	some := false
	for {
		line, err := s.readLine()
		if err != nil && (err != io.EOF || len(line) == 0) {
			if err == io.EOF && some && whole(s.data) {
				return Event{Name: e.Name, Data: s.data}, nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if some && len(bytes.TrimSpace(s.data)) > 0 {
				e.Data = s.data
				return e, nil
			}
			e, s.data, some = Event{}, s.data[:0], false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.Name = string(value)
		case "data":
			if some {
				s.data = append(s.data, '\n')
			}
			if len(s.data)+len(value) > 2*MaxAnswer {
				return Event{}, errLarge
			}
			s.data, some = append(s.data, value...), true
		}
	}
}

// whole reports whether data can be a whole event.
func whole(data []byte) bool {
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		return true
	}
	_, err := jsondoc.Parse(bytes.Clone(data))
	return err == nil
}

// document returns the whole body when it is no stream but one JSON object.
func (s *stream) document() ([]byte, error) {
	if mark, _ := s.r.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = s.r.Discard(3)
	}
	for n := 1; ; n++ {
		head, _ := s.r.Peek(n)
		if len(head) < n {
			return nil, nil
		}
		switch head[n-1] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return io.ReadAll(s.r)
		default:
			return nil, nil
		}
	}
}

// readLine returns a line without its end, which is LF, CR or CRLF. At the end
// of the stream the error is io.EOF, with the line that was not ended.
func (s *stream) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		buffered, err := s.r.Peek(max(1, s.r.Buffered()))
		if len(buffered) == 0 {
			return s.line, err
		}
		if s.cr {
			s.cr = false
			if buffered[0] == '\n' {
				_, _ = s.r.Discard(1)
				continue
			}
		}
		i := bytes.IndexByte(buffered, '\n')
		if cr := bytes.IndexByte(buffered[:max(i, 0)], '\r'); cr >= 0 {
			i = cr
		} else if i < 0 {
			i = bytes.IndexByte(buffered, '\r')
		}
		if i >= 0 {
			s.cr = buffered[i] == '\r'
			s.line = append(s.line, buffered[:i]...)
			_, _ = s.r.Discard(i + 1)
			return s.line, nil
		}
		if len(s.line)+len(buffered) > 2*MaxAnswer {
			return nil, errLarge
		}
		s.line = append(s.line, buffered...)
		_, _ = s.r.Discard(len(buffered))
	}
}
