// The conversation as it is read.
import { byId, el, icon } from './dom.js';
import { markdown } from './markdown.js';
import { t } from './text.js';

const shared = /^\(The visitor shared their phone number: (.{1,40})\)$/;

export class Thread {
  constructor() {
    this.root = byId('thread');
    this.scroller = byId('scroll');
    this.down = byId('down');
    this.stuck = true; // to the end
    let top = 0;
    this.scroller.addEventListener('scroll', () => {
      const { scrollHeight, scrollTop, clientHeight } = this.scroller;
      // What was added meanwhile is not the reader's way up.
      if (scrollHeight - scrollTop - clientHeight < 60) this.stuck = true;
      else if (scrollTop < top) this.stuck = false;
      top = scrollTop;
      this.down.hidden = this.stuck;
    }, { passive: true });
    this.down.addEventListener('click', () => this.toEnd());
    new ResizeObserver(() => this.keep()).observe(this.root);
    new ResizeObserver(() => this.keep()).observe(this.scroller);
    this.clear();
  }

  clear() {
    this.root.replaceChildren();
    this.draft = this.typing = this.sent = null;
    this.stuck = true;
    this.down.hidden = true;
  }

  keep() {
    if (this.stuck) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  toEnd() {
    this.stuck = true;
    this.down.hidden = true;
    this.keep();
  }

  // add puts something at the end, before the sign that more is coming.
  add(node) {
    if (this.typing) this.typing.before(node);
    else this.root.append(node);
    return node;
  }

  say(who, content) {
    const label = el('span', { class: who === 'user' || who === 'agent' ? 'hidden' : 'label' }, t(who === 'user' ? 'you' : who));
    return el('article', { class: 'say ' + who }, label, el('div', { class: 'words', dir: 'auto' }, content));
  }

  // sending shows what was not told back by the server yet.
  sending(text) {
    this.sent = this.add(this.say('user', text));
    this.sent.classList.add('pending');
    this.sent.text = text.trim();
    this.toEnd();
    return this.sent;
  }

  // unsent shows that it was refused, and why.
  unsent(node, why, retry) {
    if (this.sent === node) this.sent = null;
    node.classList.replace('pending', 'failed');
    node.append(el('p', { class: 'fate', role: 'alert' }, el('strong', null, t('notSent')), ' ', el('span', { dir: 'auto' }, why), ' ',
      el('button', { type: 'button', class: 'link', click: () => { node.remove(); retry(); } }, t('retry'))));
  }

  user(text) {
    const number = shared.exec(text);
    if (number) {
      this.root.querySelectorAll('.ask').forEach((n) => n.remove());
      const note = this.line(t('shared', number[1]));
      if (this.sent) this.sent.before(note);
    } else if (this.sent && this.sent.text === text) {
      this.sent.classList.remove('pending');
      this.sent = null;
    } else {
      const node = this.add(this.say('user', text));
      if (this.sent) this.sent.before(node);
    }
  }

  delta(text) {
    if (!this.draft) {
      this.draft = this.add(this.say('agent', ''));
      this.draft.classList.add('draft');
      this.draft.text = '';
      this.root.setAttribute('aria-busy', 'true');
    }
    this.draft.text += text;
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.draft?.querySelector('.words').replaceChildren(markdown(this.draft.text));
    });
  }

  // agent shows a whole answer, in the place of its pieces.
  agent(text) {
    this.endDraft();
    this.add(this.say('agent', markdown(text)));
  }

  human(text) {
    this.add(this.say('human', markdown(text)));
  }

  endDraft() {
    this.draft?.remove();
    this.draft = null;
    this.root.removeAttribute('aria-busy');
  }

  line(text) {
    return this.add(el('p', { class: 'line', dir: 'auto' }, el('span', null, text)));
  }

  error(text) {
    this.endDraft();
    this.add(el('div', { class: 'fault', role: 'alert' }, icon('M12 8v5M12 16.5v.01M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18'),
      el('p', null, el('strong', null, t('failed')), el('span', { dir: 'auto' }, text))));
  }

  // working shows or hides that an answer is on its way.
  working(on) {
    if (on === Boolean(this.typing)) return;
    if (!on) {
      this.typing.remove();
      this.typing = null;
      return;
    }
    this.typing = el('p', { class: 'typing' }, el('i'), el('i'), el('i'), el('span', { class: 'hidden' }, t('thinking')));
    this.root.append(this.typing);
  }

  // ask lets the visitor share a phone number.
  ask(share) {
    this.root.querySelectorAll('.ask').forEach((n) => n.remove());
    const input = el('input', { type: 'tel', placeholder: '+56912345678', 'aria-label': t('asksPhone'), autocomplete: 'off', maxlength: '200' });
    this.add(el('form', { class: 'ask', submit: (e) => { e.preventDefault(); share(input.value); } },
      el('p', null, t('asksPhone')), el('span', { class: 'with' }, input, el('button', { class: 'main', type: 'submit' }, t('share')))));
  }
}
