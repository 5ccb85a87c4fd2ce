// Renders a small part of Markdown, as nodes: never by way of HTML. What is not
// understood stays as it was written. The work is linear in the length of the
// text, whatever it holds.
import { el } from './dom.js';

const longest = 60000; // longer texts are shown as they are

export function markdown(text) {
  const out = document.createDocumentFragment();
  if (text.length > longest) out.append(el('p', { class: 'plain' }, text));
  else blocks(text.replace(/\r\n?/g, '\n').split('\n'), out, 0);
  return out;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})(?: |$)/;
const rule = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const item = /^( {0,12})([-*+]|\d{1,9}[.)])(?: +|$)/;
const quote = /^ {0,3}> ?/;
const columns = /\S(?: {2,}|\t)\S/;

function blocks(lines, out, depth) {
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    let m;
    if (line.trim() === '') {
      i++;
    } else if ((m = fence.exec(line))) {
      let end = i + 1;
      while (end < lines.length && !(lines[end].trim().startsWith(m[1]) && lines[end].trim().replaceAll(m[1][0], '') === '')) end++;
      out.append(el('pre', { dir: 'auto', tabindex: '0' }, el('code', null, lines.slice(i + 1, end).join('\n'))));
      i = end + 1;
    } else if ((m = heading.exec(line))) {
      const h = el('p', { class: 'h', role: 'heading', 'aria-level': String(Math.min(6, m[1].length + 2)), 'data-level': String(m[1].length) });
      inline(line.slice(m[0].length).trim().replace(/ #{1,6}$/, ''), h, 0);
      out.append(h);
      i++;
    } else if (line.length < 200 && rule.test(line)) {
      out.append(el('hr'));
      i++;
    } else if (depth < 6 && quote.test(line)) {
      const inner = [];
      while (i < lines.length && quote.test(lines[i])) inner.push(lines[i++].replace(quote, ''));
      const q = el('blockquote');
      blocks(inner, q, depth + 1);
      out.append(q);
    } else if (depth < 6 && item.test(line)) {
      i = list(lines, i, out, depth);
    } else if (line.includes('|') && i + 1 < lines.length && delimits(lines[i + 1])) {
      i = table(lines, i, out);
    } else {
      const inner = [line];
      while (++i < lines.length && lines[i].trim() !== '' && !begins(lines[i])) inner.push(lines[i]);
      // Columns that were made with spaces are kept as columns.
      if (inner.filter((l) => columns.test(l.trim())).length > 1) {
        out.append(el('pre', { class: 'columns', dir: 'auto', tabindex: '0' }, inner.join('\n')));
        continue;
      }
      const p = el('p');
      inner.forEach((l, n) => {
        if (n) p.append(el('br'));
        inline(l.trim(), p, 0);
      });
      out.append(p);
    }
  }
}

const begins = (line) => fence.test(line) || heading.test(line) || quote.test(line) || item.test(line) || (line.length < 200 && rule.test(line));

function list(lines, i, out, depth) {
  const first = item.exec(lines[i]);
  const ordered = /\d/.test(first[2]);
  const node = el(ordered ? 'ol' : 'ul', { start: ordered && parseInt(first[2], 10) !== 1 ? String(parseInt(first[2], 10)) : null });
  while (i < lines.length) {
    const m = item.exec(lines[i]);
    if (!m || /\d/.test(m[2]) !== ordered || m[1].length > first[1].length + 1) break;
    const indent = m[1].length + 2;
    const inner = [lines[i].slice(m[0].length)];
    for (i++; i < lines.length; i++) {
      const line = lines[i];
      const deep = line.length - line.trimStart().length >= indent;
      if (line.trim() === '') {
        const next = lines[i + 1];
        if (next === undefined || next.length - next.trimStart().length < indent) break;
      } else if (!deep && begins(line)) {
        break;
      }
      inner.push(deep ? line.slice(indent) : line);
    }
    const li = el('li');
    blocks(inner, li, depth + 1);
    node.append(li);
    while (i < lines.length && lines[i].trim() === '' && i + 1 < lines.length && item.test(lines[i + 1])) i++;
  }
  out.append(node);
  return i;
}

const delimits = (line) => line.includes('-') && line.includes('|') && /^[\s|:-]+$/.test(line);

function cells(line) {
  let row = line.trim();
  if (row.startsWith('|')) row = row.slice(1);
  if (row.endsWith('|') && !row.endsWith('\\|')) row = row.slice(0, -1);
  return row.split(/(?<!\\)\|/).map((c) => c.trim().replaceAll('\\|', '|'));
}

function table(lines, i, out) {
  const names = cells(lines[i]);
  const ends = cells(lines[i + 1]).map((c) => (c.endsWith(':') ? (c.startsWith(':') ? 'mid' : 'end') : null));
  const row = (tag, values) => {
    const tr = el('tr');
    names.forEach((_, n) => {
      const cell = el(tag, { 'data-align': ends[n], scope: tag === 'th' ? 'col' : null, dir: 'auto' });
      inline(values[n] || '', cell, 0);
      tr.append(cell);
    });
    return tr;
  };
  const body = el('tbody');
  const head = el('thead', null, row('th', names));
  for (i += 2; i < lines.length && lines[i].includes('|') && lines[i].trim() !== ''; i++) body.append(row('td', cells(lines[i])));
  out.append(el('div', { class: 'table', tabindex: '0' }, el('table', null, head, body)));
  return i;
}

const special = /[\\`*_~[!h]/g;
const address = /https?:\/\/[^\s<>"'`\])}]+/y;
const word = /[\p{L}\p{N}]/u;

function inline(text, out, depth) {
  let from = 0; // what comes after this is not shown yet
  const missing = new Set(); // closers that do not come any more
  const find = (closer, at) => {
    if (missing.has(closer)) return -1;
    const end = text.indexOf(closer, at);
    if (end < 0) missing.add(closer);
    return end;
  };
  const show = (until, node, next) => {
    if (until > from) out.append(text.slice(from, until));
    if (node) out.append(node);
    from = special.lastIndex = next;
  };
  const wrapped = (tag, begin, end, next, props) => {
    const node = el(tag, props);
    if (depth < 6) {
      const at = special.lastIndex;
      inline(text.slice(begin, end), node, depth + 1);
      special.lastIndex = at;
    } else {
      node.append(text.slice(begin, end));
    }
    return node;
  };
  special.lastIndex = 0;
  for (let m; (m = special.exec(text)); ) {
    const i = m.index, c = m[0];
    if (c === '\\') {
      if (/[!-/:-@[-`{-~]/.test(text[i + 1] || '')) {
        show(i, null, i + 1);
        special.lastIndex = i + 2;
      }
    } else if (c === '`') {
      let n = 1;
      while (text[i + n] === '`') n++;
      const marks = '`'.repeat(n);
      const end = n > 20 ? -1 : find(marks, i + n);
      if (end > 0) show(i, el('code', null, text.slice(i + n, end).replace(/^ (.*\S.*) $/, '$1')), end + n);
      else special.lastIndex = i + n;
    } else if (c === '[' || c === '!') {
      const begin = c === '!' ? i + 1 : i;
      if (text[begin] !== '[') continue;
      const middle = find('](', begin);
      const end = middle < 0 ? -1 : find(')', middle);
      if (end < 0) continue;
      const url = safe(text.slice(middle + 2, end).trim().split(/\s/)[0]);
      if (url) show(i, wrapped('a', begin + 1, middle, end + 1, link(url)), end + 1);
      else special.lastIndex = end + 1;
    } else if (c === 'h') {
      address.lastIndex = i;
      const found = (i === 0 || !word.test(text[i - 1])) && address.exec(text);
      if (!found) continue;
      const raw = found[0].slice(0, 2000).replace(/[.,;:!?*_~]+$/, '');
      const url = safe(raw);
      if (url) show(i, el('a', link(url), raw), i + raw.length);
      else special.lastIndex = i + found[0].length;
    } else {
      let n = 1;
      while (text[i + n] === c && n < 3) n++;
      if (c === '~' && n < 2) continue;
      if (c !== '~' && n > 2) n = 2;
      const marks = c.repeat(n);
      const end = closer(text, marks, i + n, find);
      if (end < 0 || (c === '_' && word.test(text[i - 1] || ''))) special.lastIndex = i + n;
      else show(i, wrapped(c === '~' ? 's' : n === 2 ? 'strong' : 'em', i + n, end, end + n), end + n);
    }
  }
  if (from < text.length) out.append(text.slice(from));
}

// closer finds where an emphasis ends: it has text right inside both its marks.
function closer(text, marks, begin, find) {
  if (!/\S/.test(text[begin] || '')) return -1;
  let end = find(marks, begin + 1);
  for (let tries = 0; end > 0 && tries < 20; tries++) {
    const after = text[end + marks.length] || '';
    const doubled = marks.length === 1 && (after === marks || text[end - 1] === marks);
    if (/\S/.test(text[end - 1]) && !doubled && !(marks[0] === '_' && word.test(after))) return end;
    end = text.indexOf(marks, end + (doubled ? 2 : 1));
  }
  return -1;
}

// safe returns an address that a link may have, or null.
function safe(raw) {
  try {
    const url = new URL(raw);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

const link = (url) => ({ href: url.href, title: url.href, target: '_blank', rel: 'noopener noreferrer' });
