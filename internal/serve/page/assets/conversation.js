import { Problem, events } from './api.js';

// A Conversation reads the events of one conversation, each once and in order,
// whatever happens to the connection: from the answer to a message while a turn
// runs, and otherwise from what the server tells to whoever follows.
//
// hear is told of: event(event), state(name), and lost(problem) when there is
// nothing more to be had. A state of reconnecting for long comes with its problem.
// The states are idle, connecting, connected,
// reconnecting and stopped.
export class Conversation {
  constructor(client, hear) {
    Object.assign(this, { client, hear, id: '', last: 0, running: false, reading: null });
  }

  get path() {
    return '/' + encodeURIComponent(this.id);
  }

  async create(settings) {
    const { id } = await this.client.json('POST', '', { body: settings });
    this.id = id;
  }

  // leave stops reading; a turn that runs goes on.
  leave(state = 'idle') {
    this.reading?.abort();
    this.reading = null;
    this.hear.state(state);
  }

  begin() {
    this.reading?.abort();
    this.reading = new AbortController();
    return this.reading.signal;
  }

  // follow reads what comes, and begins again where it was cut.
  async follow() {
    const signal = this.begin();
    this.hear.state(this.last ? 'reconnecting' : 'connecting');
    for (let wait = 500, failed = 0; !signal.aborted; wait = Math.min(wait * 2, 15000)) {
      const begun = Date.now();
      let problem;
      try {
        const response = await this.client.request('GET', this.path + '/events?follow=true', {
          signal, accept: 'text/event-stream', headers: { 'Last-Event-ID': String(this.last) },
        });
        this.hear.state('connected');
        await this.consume(response, signal);
      } catch (e) {
        if (signal.aborted) return;
        problem = e instanceof Problem ? e : new Problem(0, 'offline', '');
        if (!problem.passing) {
          this.reading = null;
          return this.hear.lost(problem);
        }
        wait = Math.max(wait, problem.retry);
      }
      if (signal.aborted) return;
      if (Date.now() - begun > 5000) {
        wait = 500;
        failed = 0;
      }
      this.hear.state('reconnecting', ++failed > 2 && problem);
      await pause(wait, signal);
    }
  }

  // send says something and reads the answer. It returns when the turn has ended
  // or is read by following, and throws a Problem when nothing was said.
  async send(text) {
    const signal = this.begin();
    const name = randomName();
    this.running = true;
    let response;
    for (let wait = 500, failed = 0; ; wait = Math.min(wait * 2, 15000)) {
      let problem;
      try {
        response = await this.client.request('POST', this.path + '/messages?stream=true', {
          signal, body: { text }, accept: 'text/event-stream', headers: { 'Idempotency-Key': name },
        });
        break;
      } catch (e) {
        if (signal.aborted) return;
        if (e.status !== 0) {
          this.running = false;
          this.follow();
          throw e;
        }
        problem = e;
      }
      // It may have arrived: the name lets it be said again without saying it twice.
      this.hear.state('reconnecting', ++failed > 2 && problem);
      await pause(wait, signal);
      if (signal.aborted) return;
    }
    this.hear.state('connected');
    try {
      await this.consume(response, signal);
    } catch {
      // Cut: what is missing is read below.
    }
    if (!signal.aborted) this.follow();
  }

  async consume(response, signal) {
    for await (const { id, event } of events(response)) {
      if (signal.aborted) return;
      if (id && id <= this.last) continue;
      if (id > this.last + 1) await this.fill(id, signal);
      if (signal.aborted) return;
      if (id) this.take(id, event);
      else this.hear.event(event);
    }
  }

  // fill reads what another reader of this conversation caused meanwhile.
  async fill(until, signal) {
    while (this.last + 1 < until) {
      const missed = await this.client.json('GET', `${this.path}/events?after=${this.last}`, { signal });
      if (signal.aborted || !missed.length) return;
      for (const event of missed) {
        if (this.last + 1 < until) this.take(this.last + 1, event);
      }
    }
  }

  take(id, event) {
    this.last = id;
    if (event.type === 'user') this.running = true;
    if (event.type === 'turn_end') this.running = false;
    this.hear.event(event);
  }

  get() {
    return this.client.json('GET', this.path);
  }

  change(contact) {
    return this.client.json('PATCH', this.path, { body: { contact } });
  }

  human(text) {
    return this.client.json('POST', this.path + '/human', { body: { text } });
  }

  resume() {
    return this.client.json('POST', this.path + '/resume', { body: {} });
  }

  call(id) {
    return this.client.json('GET', `${this.path}/calls/${encodeURIComponent(id)}`);
  }
}

// pause ends early when the browser finds its network again.
function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

function randomName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}
