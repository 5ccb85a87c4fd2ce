import { Client } from './api.js';
import { Calls } from './calls.js';
import { Conversation } from './conversation.js';
import { byId, el } from './dom.js';
import { t, translate } from './text.js';
import { Thread } from './thread.js';
import { Sheet, Visitor } from './visitor.js';

translate();
const dev = document.documentElement.dataset.dev === 'true';
const visitor = new Visitor();
visitor.takeKey();
const client = new Client(() => visitor.headers());
const thread = new Thread();
const calls = new Calls(thread, (id) => conversation.call(id));
const sheet = new Sheet(visitor, { save: change, share: (entered) => change(entered, true) });
const text = byId('text');
let conversation = fresh();
let handedOff = false;
let asked = false; // for a phone number

// fresh makes a conversation that begins with its first message.
function fresh() {
  const made = new Conversation(client, {
    event: (e) => made === conversation && hear(e),
    state: (name, problem) => made === conversation && state(name, problem),
    lost: (problem) => made === conversation && lost(problem),
  });
  return made;
}

function begin() {
  conversation.leave();
  conversation = fresh();
  visitor.conversation = '';
  visitor.keep();
  clear();
}

function clear() {
  thread.clear();
  calls.clear();
  handedOff = asked = false;
  byId('about').textContent = '';
  document.title = 'vatio';
  notice('');
  arrange();
  toText();
}

// open reads a conversation that was begun before.
async function open(id) {
  conversation.leave();
  conversation = fresh();
  conversation.id = id;
  clear();
  conversation.follow();
}

function hear(event) {
  switch (event.type) {
    case 'start':
      byId('about').replaceChildren(el('b', null, event.workspace), ` · ${event.environment} · ${event.model}`);
      byId('about').title = event.tools.join(', ');
      document.title = `${event.workspace} · vatio`;
      break;
    case 'user':
      calls.turn();
      thread.user(event.text);
      break;
    case 'agent_delta':
      thread.delta(event.text);
      break;
    case 'agent':
      thread.agent(event.text);
      break;
    case 'tool_call':
      thread.endDraft();
      asked = asked || event.tool === 'request_contact_info';
      calls.call(event);
      break;
    case 'tool_result':
      if (event.tool === 'request_contact_info' && event.is_error) asked = false;
      calls.result(event);
      break;
    case 'human':
      thread.human(event.text);
      break;
    case 'handoff':
      if (!handedOff) thread.line(t('handedOver'));
      handedOff = true;
      break;
    case 'resume':
      if (handedOff) thread.line(t('handedBack'));
      handedOff = false;
      byId('handoff').querySelector('[value=visitor]').checked = true;
      break;
    case 'error':
      thread.error(event.message);
      break;
    case 'turn_end':
      thread.endDraft();
      if (asked && visitor.app) thread.ask((number) => share(number));
      asked = false;
      break;
  }
  arrange();
}

// lost is a conversation that nothing more is to be had of.
function lost(problem) {
  if (problem.status === 404) {
    begin();
    notice(t('lost'));
  } else {
    state('idle');
    notice(problem.message, [t('retry'), () => conversation.follow()]);
    if (problem.status === 401) enter(problem);
  }
}

function state(name, problem) {
  byId('state').dataset.state = name;
  byId('state-text').textContent = name === 'idle' ? '' : t(name);
  if (name === 'stopped') notice(t('stoppedText'), [t('listen'), () => conversation.follow()]);
  else if (problem) notice(reason(problem), [t('retry'), () => dispatchEvent(new Event('online'))]);
  if (name === 'stopped' || problem) byId('notice').dataset.of = 'state';
  else if (byId('notice').dataset.of) notice('');
  arrange();
}

// notice shows what somebody should know now; "" shows nothing.
function notice(message, ...buttons) {
  delete byId('notice').dataset.of;
  byId('notice').hidden = !message;
  byId('notice').replaceChildren(el('p', { dir: 'auto' }, message),
    ...buttons.map(([label, then]) => el('button', { type: 'button', class: 'quiet', click: then }, label)));
}

// arrange shows what can be done now.
function arrange() {
  const waiting = conversation.running;
  const reading = Boolean(conversation.reading);
  const asHuman = handedOff && document.querySelector('[name=as]:checked').value === 'human';
  thread.working(waiting && !handedOff && reading && !thread.draft);
  byId('stop').hidden = !(waiting && reading);
  byId('send').hidden = waiting && reading;
  byId('handoff').hidden = !handedOff;
  byId('resume').hidden = byId('handoff').querySelector('.choice').hidden = !visitor.app;
  text.placeholder = t(asHuman ? 'placeholderHuman' : 'placeholder');
  byId('composer').classList.toggle('as-human', asHuman);
  byId('who-text').textContent = !visitor.known ? t('anonymous') : visitor.app ? `${visitor.user} · ${visitor.channel}` : t('byToken');
  byId('new').disabled = !conversation.id && !thread.root.children.length;
  empty();
}

function empty() {
  const box = byId('empty');
  box.hidden = thread.root.children.length > 0;
  if (box.hidden) return;
  if (!visitor.known) {
    box.replaceChildren(el('h2', null, t('keyTitle')), el('p', null, t(dev ? 'keyDev' : 'keyWeb')),
      el('button', { type: 'button', class: 'main', click: () => enter() }, t('keyButton')));
  } else {
    box.replaceChildren(el('h2', null, t('emptyTitle')), el('p', null, t(calls.narrow.matches ? 'emptyTextNarrow' : 'emptyText')));
  }
}

// enter asks who is talking, again where a problem says that it was wrong.
function enter(problem) {
  sheet.open(visitor.known && !(problem && dev) ? '' : t(dev ? 'keyDev' : 'keyWeb'), problem);
}

// toText lets somebody with a keyboard go on writing; on a screen a keyboard would
// come up uncalled.
function toText() {
  if (!matchMedia('(pointer: coarse)').matches) text.focus();
}

const reason = (e) => e.message || t('unreachable');

async function begun() {
  if (conversation.id) return;
  const c = conversation;
  await c.create(visitor.settings());
  if (c !== conversation) return;
  visitor.conversation = c.id;
  visitor.keep();
}

async function send(said) {
  if (!visitor.known) return enter();
  const c = conversation;
  const node = said ? thread.sending(said) : null;
  notice('');
  c.running = true;
  arrange();
  try {
    await begun();
    if (c !== conversation) return;
    await c.send(said);
  } catch (e) {
    if (c !== conversation) return;
    c.running = false;
    if (node) thread.unsent(node, reason(e), () => send(said));
    else notice(reason(e), [t('retry'), () => send(said)]);
    if (e.status === 401) enter(e);
  }
  arrange();
}

async function sendAsHuman(said) {
  try {
    await conversation.human(said);
  } catch (e) {
    text.value = text.value || said;
    notice(reason(e));
  }
}

// share tells the agent a phone number: it goes on with what it wanted it for.
async function share(number) {
  if (conversation.running) return notice(t('wait'));
  try {
    await begun();
    // A number is told when it is new.
    if (visitor.contact.phone_number) await conversation.change({ phone_number: '' });
    const { contact } = await conversation.change({ phone_number: number.trim() });
    visitor.contact = contact;
    visitor.keep();
  } catch (e) {
    return notice(reason(e));
  }
  await send('');
}

// change takes what was entered in the dialog.
async function change(entered, andShare = false) {
  const before = { ...visitor, contact: visitor.contact };
  const other = ['mode', 'channel'].some((n) => before[n] !== entered[n]) || (entered.mode === 'app' ? before.user !== entered.user : before.token !== entered.token);
  const again = other || before.key !== entered.key;
  const number = entered.contact.phone_number;
  if (andShare) entered.contact.phone_number = before.contact.phone_number;
  Object.assign(visitor, entered);
  const contact = {};
  for (const [name, value] of Object.entries(entered.contact)) if (value !== (before.contact[name] || '')) contact[name] = value;
  if (conversation.id && !other && Object.keys(contact).length) {
    try {
      ({ contact: visitor.contact } = await conversation.change(contact));
    } catch (e) {
      Object.assign(visitor, before);
      throw e;
    }
  }
  visitor.keep();
  if (other) begin();
  else if (again && conversation.id) open(conversation.id);
  arrange();
  toText();
  if (andShare) share(number);
}

function stop() {
  if (!conversation.running || !conversation.reading) return;
  conversation.leave('stopped');
  arrange();
}

function grow() {
  text.style.height = 'auto';
  text.style.height = Math.min(text.scrollHeight, innerHeight * 0.4) + 'px';
}

byId('composer').addEventListener('submit', (e) => {
  e.preventDefault();
  const said = text.value.trim();
  if (!said) return;
  const asHuman = byId('composer').classList.contains('as-human');
  if (conversation.running && conversation.reading && !asHuman) return notice(t('wait'));
  text.value = '';
  grow();
  if (asHuman) sendAsHuman(said);
  else send(said);
});
text.addEventListener('input', grow);
text.addEventListener('keydown', (e) => {
  if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
  e.preventDefault();
  byId('composer').requestSubmit();
});
// Where keys come from a program, a key that was taken is written all the same.
text.addEventListener('keypress', (e) => {
  if (e.key === 'Enter' && !e.shiftKey) e.preventDefault();
});
document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape' && !e.defaultPrevented && !e.isComposing && !sheet.dialog.open) stop();
});
document.addEventListener('keypress', (e) => {
  if (e.key !== '/' || sheet.dialog.open || e.target.closest?.('input, textarea, select')) return;
  e.preventDefault();
  text.focus();
});
byId('stop').addEventListener('click', stop);
byId('new').addEventListener('click', begin);
byId('who').addEventListener('click', () => enter());
byId('handoff').addEventListener('change', () => {
  arrange();
  toText();
});
byId('resume').addEventListener('click', async () => {
  try {
    await conversation.resume();
  } catch (e) {
    notice(reason(e));
  }
});
addEventListener('hashchange', () => {
  if (!visitor.takeKey()) return;
  sheet.dialog.close();
  if (conversation.id) open(conversation.id);
  arrange();
});
// A tab that is not looked at needs no connection, of which a browser has few.
document.addEventListener('visibilitychange', () => {
  if (!conversation.id || conversation.running) return;
  if (document.hidden) conversation.leave();
  else if (!conversation.reading) conversation.follow();
});

if (visitor.known && visitor.conversation) open(visitor.conversation);
else clear();
if (!visitor.known && !dev) enter();
