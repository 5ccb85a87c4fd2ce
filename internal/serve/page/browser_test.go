package page_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// TestBrowser drives the page in a browser, against a server whose model and
// backend are stubs.
func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, context.Context)
	}{
		{"conversation", testConversation},
		{"hostile text", testHostile},
		{"phone", testPhone},
		{"disconnect", testDisconnect},
		{"stop waiting", testStop},
		{"handoff", testHandoff},
		{"contact", testContact},
		{"app key", testAppKey},
		{"errors", testErrors},
		{"spanish", testSpanish},
		{"markdown", testMarkdown},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, browser) })
	}
}

// texts returns the text of each element of a selector, of which there must be one.
func texts(b *tab, selector string) []string {
	b.t.Helper()
	found := eval[[]string](b, `[...document.querySelectorAll(`+"`"+selector+"`"+`)].map((n) => n.innerText.trim())`)
	if len(found) == 0 {
		b.shoot("failure")
		b.t.Fatalf("there is no %s", selector)
	}
	return found
}

func testConversation(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url + "#key=" + localKey)
	same(t, s.url, eval[string](b, `location.href`))
	same(t, true, eval[bool](b, `JSON.parse(sessionStorage.vatio).key === '`+localKey+`'`))
	same(t, "text", eval[string](b, `document.activeElement.id`))
	b.shoot("empty")

	b.say("Is the Picker in stock?")
	same(t, []string{"Is the Picker in stock?"}, texts(b, ".say.user .words"))
	same(t, []string{"Product", "In stock", "Price"}, texts(b, ".say.agent th"))
	same(t, []string{"pick it up today, or", "have it sent:\n\nSantiago: tomorrow\n\nelsewhere: 3 days"}, texts(b, ".say.agent ol > li"))
	same(t, "acme · local · stub-1", eval[string](b, `document.querySelector('#about').innerText`))
	same(t, []string{"https://acme.example/catalogue?q=picker", "_blank", "noopener noreferrer"},
		eval[[]string](b, `(({href, target, rel}) => [href, target, rel])(document.querySelector('.say.agent a'))`))

	b.until("the call is shown", `document.querySelectorAll('.card[open] .part').length === 4`)
	same(t, []string{"Arguments", "Request\nCopy as curl", "Answer", "Given to the model"}, texts(b, ".card .part h3"))
	same(t, "{\n  \"product\": \"Picker\"\n}", texts(b, ".card .part pre")[0])
	wire := texts(b, ".card .part")
	for _, want := range []string{"/v2/products?name=Picker", "[redacted]", "es-CL"} {
		if !strings.Contains(wire[1], want) {
			t.Errorf("the request does not show %q:\n%s", want, wire[1])
		}
	}
	for _, want := range []string{"200", " ms", `"serial": 12345678901234567890,`} {
		if !strings.Contains(wire[2], want) {
			t.Errorf("the answer does not show %q:\n%s", want, wire[2])
		}
	}
	if strings.Contains(eval[string](b, `document.documentElement.textContent`), secretToken) {
		t.Error("a secret is shown")
	}
	b.shoot("conversation")
	b.dark(true)
	b.shoot("conversation-dark")
	same(t, "rgb(15, 21, 20)", eval[string](b, `getComputedStyle(document.body).backgroundColor`))
	b.dark(false)

	b.say("order 2 pickers")
	b.until("both calls are shown", `document.querySelectorAll('.card[open] .part').length === 8`)
	same(t, []string{"good", "good", "bad"}, eval[[]string](b, `[...document.querySelectorAll('#cards > .card')].map((c) => c.dataset.state)`))
	same(t, []bool{false, true, true}, eval[[]bool](b, `[...document.querySelectorAll('#cards > .card')].map((c) => c.open)`))
	b.shoot("two-calls")

	// By keyboard: a sign in the conversation opens its card.
	b.do(chromedp.Focus(css(".chip")), chromedp.KeyEvent(kb.Enter))
	same(t, true, eval[bool](b, `document.querySelector('#cards > .card').open && document.activeElement.closest('.card') === document.querySelector('#cards > .card')`))
	b.do(chromedp.KeyEvent("/"))
	same(t, []string{"text", ""}, eval[[]string](b, `[document.activeElement.id, document.activeElement.value]`))
	b.do(chromedp.SendKeys(css("#text"), "one"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierShift)), chromedp.SendKeys(css("#text"), "two"))
	same(t, "one\ntwo", eval[string](b, `document.querySelector('#text').value`))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("it is answered", `document.querySelectorAll('.say.user').length === 3 && `+quiet)
	same(t, "one\ntwo", texts(b, ".say.user .words")[2])

	// A page that is loaded again shows the same.
	said := texts(b, ".say, .chip")
	b.do(chromedp.Reload())
	b.until("all is there again", `document.querySelectorAll('.say.agent').length === 3 && document.querySelectorAll('#cards > .card').length === 3 && `+quiet)
	same(t, said, texts(b, ".say, .chip"))

	b.do(chromedp.Click(css("#new")))
	b.until("it is empty", `!document.querySelector('.say') && !document.querySelector('.card') && !document.querySelector('#empty').hidden`)
	b.say("hello")
	same(t, []string{"You said: hello"}, texts(b, ".say.agent .words"))
}

func testHostile(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url + "#key=" + localKey)
	b.say("hostile <img src=x onerror=alert(1)>")
	b.shoot("hostile")
	same(t, []string{}, eval[[]string](b, `[...document.querySelectorAll('#thread :is(img, script, iframe, svg, b, i, object, style, form)')].map((n) => n.outerHTML)`))
	same(t, []string{"https://tracker.example/p.png", "https://acme.example/a%22onmouseover=%22x"}, eval[[]string](b, `[...document.querySelectorAll('#thread a')].map((a) => a.href)`))
	same(t, []string{}, eval[[]string](b, `[...document.querySelectorAll('#thread *')].flatMap((n) => n.getAttributeNames()).filter((a) => a.startsWith('on') || a === 'style' || a === 'src')`))
	same(t, "acme · vatio", eval[string](b, `document.title`))
	for _, want := range []string{`<script>document.title='owned'</script>`, "[click](javascript:document.title='owned')", "<script>alert(2)</script>", "<iframe src=//evil.example>"} {
		if !strings.Contains(texts(b, ".say.agent .words")[0], want) {
			t.Errorf("it does not show %q", want)
		}
	}
	b.say("order 2")
	b.until("the answer is shown", `document.querySelectorAll('.card[open] .part').length === 8`)
	same(t, 0, eval[int](b, `document.querySelectorAll('.card img').length`))
	if html := eval[string](b, `document.documentElement.textContent`); strings.Contains(html, secretToken) {
		t.Error("a secret is shown")
	}

	b.say("long")
	b.say("arabic")
	const ended = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('#scroll'))`
	b.until("the end is shown", ended)
	eval[bool](b, `(document.querySelector('#scroll').scrollTop -= 400) > 0`)
	b.until("there is a way down", `!document.querySelector('#down').hidden`)
	top := eval[float64](b, `document.querySelector('#scroll').scrollTop`)
	s.elsewhere(t, eval[string](b, `JSON.parse(sessionStorage.vatio).conversation`), "arabic")
	b.until("it is heard", `[...document.querySelectorAll('.say.user .words')].filter((n) => n.innerText === 'arabic').length === 2 && `+quiet)
	same(t, top, eval[float64](b, `document.querySelector('#scroll').scrollTop`))
	b.do(chromedp.Click(css("#down")))
	b.until("the end is shown", ended)
	same(t, "rtl", eval[string](b, `getComputedStyle([...document.querySelectorAll('.say.agent .words')].at(-1)).direction`))
	for _, size := range [][2]int64{{1280, 800}, {390, 844}, {320, 560}} {
		b.size(size[0], size[1])
		same(t, []bool{true, true, true}, eval[[]bool](b, `[document.documentElement, document.querySelector('#scroll'), document.querySelector('.bar')].map((n) => n.scrollWidth <= n.clientWidth)`))
	}
	b.size(390, 844)
	b.shoot("long-phone")
	b.size(1280, 800)
	b.shoot("right-to-left")

	// The browser itself refuses what the page would never do.
	b.expect("This document requires 'Trusted")
	b.expect("Content Security Policy")
	for _, harm := range []string{`document.body.innerHTML = '<b>x</b>'`, `document.createElement('script').textContent = 'x'`, `document.createElement('script').src = 'x.js'`, `document.body.setAttribute('onclick', 'x()')`} {
		same(t, harm+": TypeError", harm+": "+eval[string](b, "(() => { try { "+harm+"; return 'done' } catch (e) { return e.name } })()"))
	}
	for harm, directive := range map[string]string{
		`document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/pixel' }))`: "img-src",
		`fetch('http://127.0.0.1:9/').catch(() => 0)`:                                           "connect-src",
		`document.body.setAttribute('style', 'color: red')`:                                     "style-src-attr",
	} {
		same(t, directive, eval[string](b, `new Promise((resolve) => { document.addEventListener('securitypolicyviolation', (e) => resolve(e.effectiveDirective), { once: true }); `+harm+` })`))
	}
}

func testPhone(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.size(390, 844)
	b.open(s.url + "#key=" + localKey)
	b.shoot("empty-phone")
	b.say("Is the Picker in stock?")
	same(t, []int{1, 0}, eval[[]int](b, `[document.querySelectorAll('.slot > .card').length, document.querySelectorAll('#cards > .card').length]`))
	same(t, false, eval[bool](b, `document.querySelector('.card').open`))
	b.shoot("phone")
	b.do(chromedp.Click(css(".card > summary")))
	b.until("the call is shown", `document.querySelectorAll('.card[open] .part').length === 4`)
	b.until("it is looked at", `document.querySelector('.card > summary').getBoundingClientRect().top > document.querySelector('.bar').getBoundingClientRect().bottom`)
	b.shoot("phone-call")
	b.dark(true)
	b.shoot("phone-call-dark")
	b.do(chromedp.Click(css("#who")))
	b.shoot("phone-who-dark")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("it is closed", `!document.querySelector('#visitor').open`)
	b.dark(false)
	b.size(320, 560)
	b.shoot("small")
	b.size(900, 700)
	b.until("the card moves beside", `document.querySelectorAll('#cards > .card').length === 1`)
	b.shoot("tablet")
}

func testDisconnect(t *testing.T, browser context.Context) {
	s, b := newSite(t, false), newTab(t, browser)
	b.expect("Failed to load resource")
	b.open(s.url + "#key=" + localKey)
	b.say("hello")
	goOn := s.model.hold()
	b.write("slowly")
	b.until("a piece is shown", `document.querySelector('.draft')?.innerText.includes('First half')`)
	b.shoot("streaming")
	s.wire.cut()
	b.until("it is noticed", `document.querySelector('#state').dataset.state === 'reconnecting'`)
	b.shoot("reconnecting")
	goOn()
	s.wire.mend()
	b.until("the rest is there", quiet+` && document.querySelectorAll('.say.agent').length === 2`)
	same(t, []string{"You said: hello", "First half and second half."}, texts(b, ".say.agent .words"))
	same(t, []string{"hello", "slowly"}, texts(b, ".say.user .words"))
	b.until("it is connected", `document.querySelector('#state').dataset.state === 'connected'`)

	// A message that is written while there is no network is said once.
	s.wire.cut()
	b.write("again")
	b.until("it waits", `document.querySelector('#state').dataset.state === 'reconnecting' && document.querySelector('.pending')`)
	s.wire.mend()
	b.until("it is answered", quiet+` && document.querySelectorAll('.say.agent').length === 3`)
	same(t, []string{"hello", "slowly", "again"}, texts(b, ".say.user .words"))
}

func testStop(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url + "#key=" + localKey)
	goOn := s.model.hold()
	defer goOn()
	b.write("slowly")
	b.until("a piece is shown", `document.querySelector('.draft')?.innerText.includes('First half')`)
	b.write("too early")
	same(t, "The agent is still answering. Wait, or press Esc.", texts(b, "#notice p")[0])
	same(t, "too early", eval[string](b, `document.querySelector('#text').value.trim()`))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("it is stopped", `document.querySelector('#state').dataset.state === 'stopped'`)
	b.shoot("stopped")
	same(t, []string{"You stopped waiting. The turn goes on without you.", "Listen again"}, texts(b, "#notice > *"))
	goOn()
	b.do(chromedp.Click(css("#notice button")))
	b.until("the answer is there", quiet+` && document.querySelector('.say.agent')`)
	same(t, []string{"First half and second half."}, texts(b, ".say.agent .words"))

	// What others said meanwhile comes before what is said next.
	goOn = s.model.hold()
	defer goOn()
	eval[string](b, `document.querySelector('#text').value = ''`)
	b.write("slowly")
	b.until("a piece is shown", `document.querySelector('.draft')?.innerText.includes('First half')`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("it is stopped", `document.querySelector('#state').dataset.state === 'stopped'`)
	goOn()
	id := eval[string](b, `JSON.parse(sessionStorage.vatio).conversation`)
	s.elsewhere(t, id, "one")
	s.elsewhere(t, id, "two")
	b.say("three")
	same(t, []string{"slowly", "slowly", "one", "two", "three"}, texts(b, ".say.user .words"))
	same(t, []string{"First half and second half.", "First half and second half.", "You said: one", "You said: two", "You said: three"}, texts(b, ".say.agent .words"))
	b.until("it is connected", `document.querySelector('#state').dataset.state === 'connected'`)
	s.elsewhere(t, id, "four")
	b.until("it is heard", `document.querySelectorAll('.say.agent').length === 6`)
	same(t, "four", texts(b, ".say.user .words")[5])
}

func testHandoff(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url + "#key=" + localKey)
	b.say("person please")
	b.until("it is handed over", `!document.querySelector('#handoff').hidden`)
	b.say("is anybody there?")
	b.do(chromedp.Click(css(`#handoff [value=human]`)))
	b.write("Good morning, this is Ana.")
	b.until("the person is heard", `document.querySelector('.say.human')`)
	same(t, []string{"Good morning, this is Ana."}, texts(b, ".say.human .words"))
	b.shoot("handoff")
	b.dark(true)
	b.shoot("handoff-dark")
	b.do(chromedp.Click(css("#resume")))
	b.until("the agent has it again", `document.querySelector('#handoff').hidden`)
	same(t, []string{"The conversation was handed to a person", "The agent has the conversation again"}, texts(b, ".line"))
	b.say("hello")
	same(t, []string{"A person will take over from here.", "You said: hello"}, texts(b, ".say.agent .words"))
}

func testContact(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.expect("400 (Bad Request)")
	b.open(s.url + "#key=" + localKey)
	b.do(chromedp.Click(css("#who")), chromedp.WaitVisible(css("#visitor-form")))
	b.do(chromedp.SetValue(css(`[name=user]`), "ana"), chromedp.SetValue(css(`[name=channel]`), "whatsapp"), chromedp.SetValue(css(`[name=name]`), "Ana"))
	b.shoot("who")
	b.do(chromedp.Click(css("#visitor-form [type=submit]")))
	b.until("it is closed", `!document.querySelector('#visitor').open`)
	same(t, "ana · whatsapp", texts(b, "#who-text")[0])
	b.say("call me")
	b.until("a number is asked for", `document.querySelector('.ask')`)
	b.shoot("asks-phone")
	b.do(chromedp.SendKeys(css(".ask input"), "12"), chromedp.Click(css(".ask button")))
	b.until("it is refused", `!document.querySelector('#notice').hidden`)
	if got := texts(b, "#notice p")[0]; !strings.Contains(got, "is no phone number") {
		t.Errorf("the notice says %q", got)
	}
	b.do(chromedp.SetValue(css(".ask input"), "+56 9 1234 5678"), chromedp.Click(css(".ask button")))
	b.until("it is told", `document.querySelector('.line')`)
	b.until("it is answered", quiet+` && document.querySelector('.say.agent')`)
	same(t, []string{"The visitor shared their phone number: +56912345678"}, texts(b, ".line"))
	same(t, 0, eval[int](b, `document.querySelectorAll('.ask').length`))
	same(t, []string{"Ana", "+56912345678", "whatsapp"}, eval[[]string](b, `(async () => {
		const v = JSON.parse(sessionStorage.vatio);
		const c = await (await fetch('v1/conversations/' + v.conversation, { headers: { Authorization: 'Bearer ' + v.key, 'X-Vatio-User': v.user } })).json();
		return [c.contact.name, c.contact.phone_number, c.channel];
	})()`))

	// The same number again, from the dialog.
	share := func() {
		b.do(chromedp.Click(css("#who")), chromedp.SetValue(css(`[name=phone_number]`), "+56 9 1234 5678"), chromedp.Click(css("#share")))
	}
	share()
	b.until("it is told again", quiet+` && document.querySelectorAll('.line').length === 2`)
	b.do(chromedp.Click(css("#new")))
	b.until("it is empty", `!document.querySelector('.say')`)
	share()
	b.until("it begins a conversation", quiet+` && document.querySelectorAll('.line').length === 1 && document.querySelector('.say.agent')`)

	// Another contact belongs to the same conversation, another user to another.
	b.do(chromedp.Click(css("#who")), chromedp.SetValue(css(`[name=email]`), "ana@acme.example"), chromedp.Click(css("#visitor-form [type=submit]")))
	b.until("it is closed", `!document.querySelector('#visitor').open`)
	same(t, true, eval[bool](b, `document.querySelectorAll('.say').length > 0`))
	b.do(chromedp.Click(css("#who")), chromedp.SetValue(css(`[name=user]`), "bruno"), chromedp.Click(css("#visitor-form [type=submit]")))
	b.until("it is another", `!document.querySelector('.say')`)
}

func testAppKey(t *testing.T, browser context.Context) {
	s, b := newSite(t, false), newTab(t, browser)
	b.expect("401 (Unauthorized)")
	b.open(s.url)
	b.until("the key is asked for", `document.querySelector('#visitor').open`)
	b.shoot("key")
	b.do(chromedp.Click(css("#visitor-form [type=submit]")))
	same(t, []string{"Enter an app key."}, texts(b, "#visitor-wrong"))
	b.do(chromedp.SendKeys(css(`[name=key]`), "vatio_wrong"), chromedp.SendKeys(css(`[name=user]`), "\r"))
	b.until("it is closed", `!document.querySelector('#visitor').open`)
	b.write("hello")
	b.until("it is refused", `document.querySelector('.fate') && document.querySelector('#visitor').open`)
	b.shoot("refused")
	b.do(chromedp.SetValue(css(`[name=key]`), s.key), chromedp.Click(css("#visitor-form [type=submit]")), chromedp.Click(css(".fate button")))
	b.until("it is answered", quiet+` && document.querySelector('.say.agent')`)
	same(t, []string{"hello"}, texts(b, ".say.user .words"))

	// A token cannot do what apps do.
	b.do(chromedp.Click(css("#who")), chromedp.Click(css(`[name=mode][value=token]`)))
	same(t, true, eval[bool](b, `document.querySelector('#for-apps').hidden && !document.querySelector('#mode-token').hidden`))
	b.shoot("token")
	b.do(chromedp.Click(css("#visitor-form [type=submit]")))
	same(t, []string{"Enter a token."}, texts(b, "#visitor-wrong"))
	b.do(chromedp.SendKeys(css("[name=token]"), s.token), chromedp.Click(css("#visitor-form [type=submit]")))
	b.until("it is another conversation", `!document.querySelector('.say')`)
	same(t, []string{"token"}, texts(b, "#who-text"))
	b.say("person")
	b.until("it is handed over", `!document.querySelector('#handoff').hidden`)
	same(t, true, eval[bool](b, `document.querySelector('#resume').hidden && document.querySelector('#handoff .choice').hidden`))
	same(t, false, eval[bool](b, `document.documentElement.textContent.includes('`+s.token+`')`))
}

func testErrors(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url)
	same(t, "Who is talking?", texts(b, "#empty h2")[0])
	b.shoot("no-key")
	b.open(s.url + "#key=" + localKey)
	b.until("it may begin", `document.querySelector('#empty h2').innerText === 'Say something to the agent'`)
	b.say("fail")
	same(t, []string{"The turn failed\nthe provider answered HTTP 529, overloaded: try again"}, texts(b, ".fault p"))
	b.say("wrong argument")
	b.until("the call is shown", `document.querySelectorAll('.card[open] .part').length === 2`)
	same(t, []string{"Nothing was sent for this call."}, texts(b, ".card .hint"))
	same(t, []string{"refused"}, texts(b, ".card > summary .how"))
	b.shoot("errors")
}

func testSpanish(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.reads("es-CL")
	b.open(s.url + "#key=" + localKey)
	b.say("hola")
	same(t, []string{"es", "Nueva conversación", "Escribe un mensaje", "Llamadas"},
		eval[[]string](b, `[document.documentElement.lang, document.querySelector('#new').innerText.trim(), document.querySelector('#text').placeholder, document.querySelector('#wire-title').innerText.trim()]`))
	b.shoot("spanish")
}

// testMarkdown renders texts and compares the nodes, written as tags.
func testMarkdown(t *testing.T, browser context.Context) {
	s, b := newSite(t, true), newTab(t, browser)
	b.open(s.url + "#key=" + localKey)
	render := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return eval[string](b, `(async () => {
			const { markdown } = await import('./markdown.js');
			const write = (n) => n.nodeType === 3 ? n.data : '<' + n.localName + (n.className ? '.' + n.className : '') + (n.href ? ' ' + n.href : '') + '>' + [...n.childNodes].map(write).join('') + (n.localName === 'br' || n.localName === 'hr' ? '' : '</>');
			return [...markdown(`+string(quoted)+`).childNodes].map(write).join('');
		})()`)
	}
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one\ntwo\n\nthree", "<p>one<br>two</><p>three</>"},
		{"**a** *b* _c_ __d__ ~~e~~ `f`", "<p><strong>a</> <em>b</> <em>c</> <strong>d</> <s>e</> <code>f</></>"},
		{"**a *b* c**", "<p><strong>a <em>b</> c</></>"},
		{"*a **b** c*", "<p><em>a <strong>b</> c</></>"},
		{"2 * 3 * 4 and snake_case_name and 5*6", "<p>2 * 3 * 4 and snake_case_name and 5*6</>"},
		{"**open and *never closed", "<p>**open and *never closed</>"},
		{`\*not\* \\ \a`, `<p>*not* \ \a</>`},
		{"``a ` b`` and ` c `", "<p><code>a ` b</> and <code>c</></>"},
		{"# One\n### Three ###\n#hash", "<p.h>One</><p.h>Three</><p>#hash</>"},
		{"- a\n- b\n  - c\n  - d\n- e", "<ul><li><p>a</></><li><p>b</><ul><li><p>c</></><li><p>d</></></></><li><p>e</></></>"},
		{"3. a\n4. b\n\nafter", "<ol><li><p>a</></><li><p>b</></></><p>after</>"},
		{"- a\n\n- b\n\n  more of b\n1. c", "<ul><li><p>a</></><li><p>b</><p>more of b</></></><ol><li><p>c</></></>"},
		{"> a\n> > b\nc", "<blockquote><p>a</><blockquote><p>b</></></><p>c</>"},
		{"```go\na < b\n\n  **c**\n```\nafter", "<pre><code>a < b\n\n  **c**</></><p>after</>"},
		{"~~~\nnever closed", "<pre><code>never closed</></>"},
		{"a\n\n---\n***\nb", "<p>a</><hr><hr><p>b</>"},
		{"|a|b|\n|-|-:|\n|1|2 \\| 3|\n|4|", "<div.table><table><thead><tr><th>a</><th>b</></></><tbody><tr><td>1</><td>2 | 3</></><tr><td>4</><td></></></></></>"},
		{"a | b\nc", "<p>a | b<br>c</>"},
		{"Found 2.\n\nname      price\nPicker    149990\nMini      89990", "<p>Found 2.</><pre.columns>name      price\nPicker    149990\nMini      89990</>"},
		{"[a](https://x.example/b \"c\") <b>&amp;</b>", "<p><a https://x.example/b>a</> <b>&amp;</b></>"},
		{"see https://x.example/a_b_c?d=1. (http://y.example/e)", "<p>see <a https://x.example/a_b_c?d=1>https://x.example/a_b_c?d=1</>. (<a http://y.example/e>http://y.example/e</>)</>"},
		{"[mail](mailto:a@x.example) xhttps://x.example", "<p><a mailto:a@x.example>mail</> xhttps://x.example</>"},
		{"[a](javascript:1) [b](JaVaScRiPt&colon;1) [c](\x01javascript:1) [d](/e) [f](//g.example)", "<p>[a](javascript:1) [b](JaVaScRiPt&colon;1) [c](\x01javascript:1) [d](/e) [f](//g.example)</>"},
		{"![i](https://x.example/i.png) [**b**](https://x.example/) [no](", "<p><a https://x.example/i.png>i</> <a https://x.example/><strong>b</></> [no](</>"},
	} {
		if diff := cmp.Diff(c.want, render(c.text)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.text, diff)
		}
	}
	// Nothing of this takes long, nor is anything of it lost.
	for _, piece := range []string{"[", "*a ", "**", "_a", "`", "[a](", "![", "> ", "- ", "#", "|", "~~a", "\\", "h", "https://", "[a](x) ", "* * ", "1. ", "  ", "` `` "} {
		text := strings.Repeat(piece, 59000/len(piece))
		if got := len(render(text)); got == 0 && strings.TrimSpace(text) != "" {
			t.Errorf("of many %q nothing is shown", piece)
		}
	}
	if got := render(strings.Repeat("**a** ", 20000)); !strings.HasPrefix(got, "<p.plain>**a** ") {
		t.Errorf("a long text is shown as %.40s", got)
	}
}
