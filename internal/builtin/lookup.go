package builtin

import (
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/knowledge"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	maxPassages = 5
	// maxText and maxTexts bound, in bytes, one passage and all of them: a
	// model has to read them again with every later answer.
	maxText  = 6000
	maxTexts = 20000
)

func knowledgeLookup(k Knowledge) builtin {
	b := define(chat.Tool{
		Name: chat.KnowledgeLookupTool,
		Description: "Searches the documents that the business wrote for its visitors and returns the passages that fit best, " +
			"each with its file and the headings it stands under. It finds words, in any of their forms, in English and Spanish.",
		WhenToUse: "The visitor asks about products, services, policies, prices, hours or anything else that the business may have written down. " +
			"Answer from the passages, and say so when they do not hold the answer.",
	}, `{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":1000,`+
		`"description":"The words to look for, in the language of the documents, such as: return policy for opened boxes"}},"required":["query"]}`)
	b.run = func(ctx context.Context, a arguments) chat.Outcome {
		var found []knowledge.Passage
		if k != nil {
			var err error
			if found, err = k.Search(ctx, a.text("query"), maxPassages); err != nil {
				return failure("The knowledge base could not be searched.", knowledgeUnavailable)
			}
		}
		return passages(found)
	}
	return b
}

func passages(found []knowledge.Passage) chat.Outcome {
	size, n := 0, 0
	for n < len(found) && (n == 0 || size+min(len(found[n].Text), maxText) <= maxTexts) {
		size += min(len(found[n].Text), maxText)
		n++
	}
	found = found[:n]

	message := "Found " + strconv.Itoa(n) + " passages."
	switch n {
	case 0:
		message = "Nothing was found. Other words may find it; else the knowledge base does not say."
	case 1:
		message = "Found 1 passage."
	}
	out := append(begin(message), `,"data":{"passages":[`...)
	for i, p := range found {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsondoc.AppendQuote(append(out, `{"file":`...), p.File)
		out = jsondoc.AppendQuote(append(out, `,"heading":`...), p.Heading)
		out = jsondoc.AppendQuote(append(out, `,"text":`...), shorten(p.Text))
		out = append(out, '}')
	}
	return chat.Outcome{Content: string(append(out, `]}}`...))}
}

// shorten cuts a text that is too long, between two characters, and says so.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "\n[…]"
}
