// Who is talking: what is kept of it in this tab, and the dialog to change it.
import { byId } from './dom.js';
import { t } from './text.js';

const place = 'vatio';

// A Visitor is kept in the tab, an app key and a token too: they go when it is
// closed.
export class Visitor {
  constructor() {
    Object.assign(this, { mode: 'app', key: '', user: 'visitor', token: '', channel: 'web', contact: { name: '', email: '', phone_number: '' }, conversation: '' });
    try {
      Object.assign(this, JSON.parse(sessionStorage.getItem(place) || '{}'));
    } catch {
      // What cannot be read is entered again.
    }
  }

  keep() {
    try {
      sessionStorage.setItem(place, JSON.stringify(this));
    } catch {
      // It lasts as long as the page then.
    }
  }

  // takeKey takes the key out of the address, and reports whether there was one.
  takeKey() {
    const given = new URLSearchParams(location.hash.slice(1)).get('key');
    if (given === null) return false;
    history.replaceState(null, '', location.pathname + location.search);
    Object.assign(this, { mode: 'app', key: given.trim() });
    this.keep();
    return true;
  }

  get app() {
    return this.mode === 'app';
  }

  get known() {
    return Boolean(this.app ? this.key && this.user : this.token);
  }

  headers() {
    if (!this.app) return { Authorization: 'Bearer ' + this.token };
    return { Authorization: 'Bearer ' + this.key, 'X-Vatio-User': this.user };
  }

  // settings are what a conversation begins with.
  settings() {
    if (!this.app) return {};
    const contact = Object.fromEntries(Object.entries(this.contact).filter(([, value]) => value));
    return { channel: this.channel, contact };
  }
}

// A Sheet is the dialog. save is given the entered values and may return what is
// wrong with them; share is given them too.
export class Sheet {
  constructor(visitor, { save, share }) {
    Object.assign(this, { visitor, save, share });
    this.dialog = byId('visitor');
    this.form = byId('visitor-form');
    this.form.addEventListener('submit', (e) => {
      e.preventDefault();
      this.end(this.save);
    });
    this.form.addEventListener('change', () => this.arrange());
    byId('visitor-cancel').addEventListener('click', () => this.dialog.close());
    byId('share').addEventListener('click', () => {
      if (this.field('phone_number').value.trim()) this.end(this.share);
      else this.wrong(t('needPhone'), 'phone_number');
    });
    this.dialog.addEventListener('click', (e) => {
      if (e.target === this.dialog) this.dialog.close();
    });
  }

  field(name) {
    return this.form.elements[name];
  }

  // open shows the dialog; a problem is what was wrong with what is in it.
  open(hint = '', problem = null) {
    const v = this.visitor;
    for (const name of ['mode', 'key', 'user', 'token', 'channel']) this.field(name).value = v[name];
    for (const name of ['name', 'email', 'phone_number']) this.field(name).value = v.contact[name] || '';
    byId('visitor-hint').textContent = hint;
    byId('visitor-hint').hidden = !hint;
    this.wrong(problem?.message || '');
    this.arrange();
    if (!this.dialog.open) this.dialog.showModal();
    const field = this.field(!v.app ? 'token' : v.known && !problem ? 'user' : 'key');
    field.focus();
    field.select();
  }

  arrange() {
    const app = this.field('mode').value === 'app';
    byId('mode-app').hidden = !app;
    byId('mode-token').hidden = app;
    byId('for-apps').hidden = !app;
    byId('token-hint').hidden = app;
  }

  wrong(text, name) {
    byId('visitor-wrong').textContent = text;
    byId('visitor-wrong').hidden = !text;
    if (name) this.field(name).focus();
  }

  async end(then) {
    const value = (name) => this.field(name).value.trim();
    const entered = {
      mode: value('mode'), key: value('key'), user: value('user'), token: value('token'), channel: value('channel'),
      contact: { name: value('name'), email: value('email'), phone_number: value('phone_number') },
    };
    const app = entered.mode === 'app';
    if (app && !entered.key) return this.wrong(t('needKey'), 'key');
    if (app && !entered.user) return this.wrong(t('needUser'), 'user');
    if (app && !/^[\x20-\x7e]+$/.test(entered.user)) return this.wrong(t('asciiUser'), 'user');
    if (!app && !entered.token) return this.wrong(t('needToken'), 'token');
    this.wrong('');
    try {
      await then(entered);
      this.dialog.close();
    } catch (e) {
      this.wrong(e.message || t('unreachable'));
    }
  }
}
