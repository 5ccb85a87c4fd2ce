// Tool calls: a sign in the conversation, and a card with what went over the
// wire. Cards stand beside the conversation or, where there is no room, in it.
import { byId, el, icon } from './dom.js';
import { t } from './text.js';

const shown = 100000; // characters of a text
const coloured = 4000; // pieces of a JSON text

export class Calls {
  // trace returns how the call of an id went over the wire.
  constructor(thread, trace) {
    Object.assign(this, { thread, trace, all: new Map() });
    this.cards = byId('cards');
    this.narrow = matchMedia('(max-width: 860px)');
    this.narrow.addEventListener('change', () => this.all.forEach((c) => this.place(c)));
  }

  clear() {
    this.all.clear();
    this.cards.replaceChildren();
    this.fresh = [];
    this.count();
  }

  count() {
    byId('count').hidden = !this.all.size;
    byId('count').textContent = this.all.size;
    byId('none').hidden = this.all.size > 0;
  }

  // turn begins: what it calls is open until the next.
  turn() {
    this.ended = true;
  }

  call(event) {
    if (this.ended) {
      for (const c of this.all.values()) if (c.byItself) c.card.open = false;
      this.fresh = [];
      this.ended = false;
    }
    const chip = el('button', { type: 'button', class: 'chip', 'data-state': 'running', click: () => this.show(event.id) },
      el('i', { class: 'dot' }), el('span', { class: 'tool' }, event.tool), el('span', { class: 'how' }, t('running')));
    const slot = this.thread.add(el('div', { class: 'slot' }, chip));
    const summary = el('summary', null, el('i', { class: 'dot' }), el('span', { class: 'tool' }, event.tool), el('span', { class: 'where' }),
      el('span', { class: 'how' }, t('running')), icon('M6 9l6 6 6-6'));
    const body = el('div', { class: 'details' });
    const card = el('details', { class: 'card', 'data-state': 'running', 'data-call': event.id }, summary, body);
    const c = { event, chip, slot, card, body, byItself: false, drawn: false };
    summary.addEventListener('click', () => {
      c.byItself = false;
      if (this.narrow.matches) this.thread.stuck = false; // to look at it, not at what comes after it
    });
    card.addEventListener('toggle', () => card.open && this.draw(c));
    this.all.set(event.id, c);
    this.place(c);
    this.count();
    this.fresh.push(c);
    this.openFresh();
    return c;
  }

  // openFresh opens the calls of the last turn, when it is clear which it is.
  openFresh() {
    clearTimeout(this.opening);
    this.opening = setTimeout(() => {
      if (this.narrow.matches) return;
      for (const c of this.fresh) {
        if (!c.result || c.card.open || c.closed) continue;
        c.byItself = c.closed = true;
        c.card.open = true;
      }
      this.fresh.at(-1)?.card.scrollIntoView({ block: 'nearest' });
    }, 150);
  }

  result(event) {
    const c = this.all.get(event.id);
    if (!c || c.result) return;
    c.result = event;
    const http = event.http;
    const state = event.is_error ? 'bad' : 'good';
    let how = t(event.is_error ? (http ? 'error' : 'refused') : 'done');
    if (http) how = `${http.status || t('noAnswer')} · ${http.duration_ms || '<1'} ms`;
    for (const node of [c.chip, c.card]) {
      node.dataset.state = state;
      node.querySelector('.how').textContent = how;
    }
    if (http) {
      const where = c.card.querySelector('.where');
      where.append(el('b', null, http.method), ' ', pathOf(http.url));
      where.title = http.url;
    }
    if (c.card.open) this.draw(c);
    this.openFresh();
  }

  show(id) {
    const c = this.all.get(id);
    c.byItself = false;
    c.card.open = true;
    c.card.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    c.card.querySelector('summary').focus({ preventScroll: true });
  }

  place(c) {
    c.chip.hidden = this.narrow.matches;
    if (this.narrow.matches) c.slot.append(c.card);
    else this.cards.append(c.card);
  }

  // draw fills a card that was opened.
  async draw(c) {
    if (c.drawn) return;
    c.drawn = Boolean(c.result);
    const parts = [part('arguments', json(c.event.written ?? JSON.stringify(c.event.arguments)))];
    if (c.result) parts.push(part('result', json(c.result.content)));
    if (c.result && !c.result.http) parts.splice(1, 0, el('p', { class: 'hint' }, t('nothingSentText')));
    c.body.replaceChildren(...parts);
    if (!c.result?.http) return;
    const wait = el('p', { class: 'hint' }, t('loading'));
    c.body.firstChild.after(wait);
    try {
      wait.replaceWith(...wire(await this.trace(c.event.id)));
    } catch (e) {
      c.drawn = e.status === 404;
      wait.textContent = e.status === 404 ? t('noTrace') : e.message || t('unreachable');
    }
  }
}

function pathOf(url) {
  const at = url.indexOf('/', url.indexOf('://') + 3);
  return at > 0 && url.includes('://') ? url.slice(at) : url;
}

function part(name, ...children) {
  return el('section', { class: 'part' }, el('h3', null, t(name)), ...children);
}

function wire({ request, response, duration_ms }) {
  const took = Math.round(duration_ms * 10) / 10;
  const copy = el('button', { type: 'button', class: 'link', click: () => copyText(curl(request), copy) }, t('copy'));
  const sent = part('request', el('p', { class: 'first' }, el('b', null, request.method), ' ', request.url), headers(request.headers, true), body(request));
  sent.firstChild.append(copy);
  const got = part('answer', el('p', { class: 'first' },
    el('b', { class: response.status >= 400 || !response.status ? 'bad' : 'good' }, String(response.status || t('noAnswer'))), ' ', el('span', { class: 'took' }, `${took} ms`)),
  response.error && el('p', { class: 'wrong' }, response.error), headers(response.headers, false), body(response));
  return [sent, got];
}

function headers(list, open) {
  if (!list.length) return null;
  const rows = list.map((h) => el('div', null, el('dt', null, h.name), el('dd', { dir: 'auto' }, h.value)));
  return el('details', { class: 'headers', open }, el('summary', null, icon('M9 6l6 6-6 6'), t('headers', list.length)), el('dl', null, ...rows));
}

function body(message) {
  if (!message.body) return null;
  return el('div', null, json(message.body), message.cut && el('p', { class: 'hint' }, t('cut')));
}

// json shows a text and, when it is JSON, its structure. Numbers and escapes stay
// as they were written.
function json(text) {
  const pre = el('pre', { tabindex: '0', dir: 'auto' });
  let valid = text.length <= shown;
  try {
    if (valid) JSON.parse(text);
  } catch {
    valid = false;
  }
  if (!valid) {
    pre.append(text.slice(0, shown));
    if (text.length > shown) pre.append(el('i', null, '\n' + t('more', text.length - shown)));
    return pre;
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) || [];
  let depth = 0, plain = '';
  const line = () => '\n' + '  '.repeat(Math.min(depth, 40));
  const flush = () => {
    pre.append(plain);
    plain = '';
  };
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token === '{' || token === '[') {
      depth++;
      plain += token + (next === '}' || next === ']' ? '' : line());
    } else if (token === '}' || token === ']') {
      depth--;
      plain += (tokens[i - 1] === '{' || tokens[i - 1] === '[' ? '' : line()) + token;
    } else if (token === ',') {
      plain += token + line();
    } else if (token === ':') {
      plain += ': ';
    } else if (i > coloured) {
      plain += token;
    } else {
      flush();
      pre.append(el('span', { class: token[0] !== '"' ? 'v' : next === ':' ? 'k' : 's' }, token));
    }
  });
  flush();
  return pre;
}

function curl({ method, url, headers: list, body: data }) {
  const quoted = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  const parts = [`curl -X ${method} ${quoted(url)}`, ...list.map((h) => `-H ${quoted(`${h.name}: ${h.value}`)}`)];
  if (data) parts.push(`--data-binary ${quoted(data)}`);
  return parts.join(' \\\n  ');
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t('copied');
    setTimeout(() => { button.textContent = t('copy'); }, 1500);
  } catch {
    // Without leave to, or on a plain http page of another machine.
  }
}
