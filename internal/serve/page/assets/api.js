// Speaks with the server: requests, their errors, and server-sent events.

// A Problem is an answer that says why a request was not done. Its status is 0
// where there was no answer.
export class Problem extends Error {
  constructor(status, code, message, retry = 0) {
    super(message);
    Object.assign(this, { status, code, retry });
  }
  // Whether the same request may well be answered later.
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const quiet = 45000; // without a byte, where the server sends one every 15 s

export class Client {
  // who returns the headers that say who calls.
  constructor(who) {
    this.who = who;
  }

  async request(method, path, { body, headers, signal, accept = 'application/json' } = {}) {
    const all = new Headers({ Accept: accept, ...headers });
    for (const [name, value] of Object.entries(this.who())) {
      try {
        all.set(name, value);
      } catch {
        throw new Problem(400, 'invalid_request', `${name}: ${JSON.stringify(value)}`);
      }
    }
    if (body !== undefined) all.set('Content-Type', 'application/json');
    let response;
    try {
      response = await fetch('v1/conversations' + path, {
        method, headers: all, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (e) {
      if (signal?.aborted) throw e;
      throw new Problem(0, 'offline', '');
    }
    if (response.ok) return response;
    let code = 'http', message = `HTTP ${response.status}`;
    try {
      ({ code, message } = (await response.json()).error);
    } catch {
      // Something between the page and the server answered.
    }
    const retry = 1000 * (parseInt(response.headers.get('Retry-After') || '0', 10) || 0);
    throw new Problem(response.status, code, message, retry);
  }

  async json(method, path, options) {
    return (await this.request(method, path, options)).json();
  }
}

// events reads server-sent events (HTML Living Standard, section 9.2) as
// {id, event}, id being 0 where there is none. It throws where the stream is cut
// or silent for too long.
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', id = 0, data = [];
  try {
    for (;;) {
      let timer;
      const silence = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Problem(0, 'offline', '')), quiet);
      });
      const { done, value } = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (line === '') {
          if (data.length) yield { id, event: parse(data.join('\n')) };
          id = 0;
          data = [];
        } else if (line.startsWith('data:')) {
          data.push(line.slice(5));
        } else if (line.startsWith('id:')) {
          id = Number(line.slice(3)) || 0;
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// parse keeps the arguments of a call as they were written, numbers above all.
function parse(text) {
  const event = JSON.parse(text);
  if (event.type === 'tool_call') event.written = text.slice(text.indexOf('"arguments":') + 12, -1);
  return event;
}
