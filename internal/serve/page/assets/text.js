// What the page says, in English and Spanish. English is what index.html holds
// too, for its fixed texts.
const english = {
  you: 'You', agent: 'Agent', human: 'Person', visitor: 'Visitor',
  placeholder: 'Write a message', placeholderHuman: 'Write as the person',
  emptyTitle: 'Say something to the agent',
  emptyText: 'Each tool call appears beside the conversation: what was sent, what came back, and how long it took.',
  emptyTextNarrow: 'Each tool call appears under the message that caused it.',
  keyTitle: 'Who is talking?',
  keyDev: 'This server made a key for itself. Open the address that vatio serve printed, with its #key=…, or enter an app key.',
  keyWeb: 'Enter an app key to begin: vatio keys create --app web makes one. It stays in this tab.',
  keyButton: 'Enter a key',
  connecting: 'Connecting', connected: 'Connected', reconnecting: 'Reconnecting', stopped: 'Not listening', idle: '',
  listen: 'Listen again', stoppedText: 'You stopped waiting. The turn goes on without you.',
  thinking: 'The agent is working',
  unreachable: 'The server does not answer.',
  notSent: 'Not sent', retry: 'Try again',
  lost: 'This conversation cannot be opened for this user any more. A new one was begun.',
  handedOver: 'The conversation was handed to a person',
  handedBack: 'The agent has the conversation again',
  shared: (n) => `The visitor shared their phone number: ${n}`,
  asksPhone: 'The agent asks for a phone number', share: 'Share',
  failed: 'The turn failed',
  arguments: 'Arguments', request: 'Request', answer: 'Answer', result: 'Given to the model', headers: (n) => (n === 1 ? '1 header' : `${n} headers`),
  running: 'running', noAnswer: 'no answer', refused: 'refused', done: 'done', error: 'error',
  nothingSentText: 'Nothing was sent for this call.',
  loading: 'Loading', copy: 'Copy as curl', copied: 'Copied', cut: 'The body goes on; this is its first 64 KiB.',
  more: (n) => `… ${n} more characters`,
  noTrace: 'How this call went over the wire was not kept.',
  needUser: 'Enter the user that the app speaks for.', needKey: 'Enter an app key.', needToken: 'Enter a token.',
  asciiUser: 'A user is sent in a header: use plain letters, digits and signs.',
  needPhone: 'Enter a phone number to share.',
  wait: 'The agent is still answering. Wait, or press Esc.',
  anonymous: 'Who is talking?', byToken: 'token',
};

const spanish = {
  skip: 'Ir al mensaje', new: 'Nueva conversación', conversation: 'Conversación', newest: 'Lo último', message: 'Mensaje',
  handedOff: 'Una persona tiene esta conversación.', handedOffMore: 'El agente no responde.', writeAs: 'Escribir como',
  resume: 'Devolver al agente', send: 'Enviar', stop: 'Dejar de esperar', keySend: 'envía', keyLine: 'línea nueva', keyFocus: 'escribir', keyStop: 'dejar de esperar',
  calls: 'Llamadas', noCalls: 'Aquí aparece lo que las herramientas del agente envían y reciben, sin secretos.',
  whoTitle: 'Quién habla', identity: 'Identidad', modeApp: 'Clave de app y usuario', modeToken: 'Token de usuario', key: 'Clave de app', user: 'Usuario', token: 'Token (JWT)',
  channel: 'Canal', name: 'Nombre', email: 'Correo', phone: 'Teléfono', phoneHint: 'El agente se entera del número compartido y sigue con lo que lo necesitaba.',
  tokenHint: 'Un token dice quién es su usuario; el canal y el contacto los ponen las apps.', whoHint: 'Otro usuario, token o canal empieza una conversación nueva.',
  cancel: 'Cancelar', save: 'Guardar',
  you: 'Tú', agent: 'Agente', human: 'Persona', visitor: 'Visitante',
  placeholder: 'Escribe un mensaje', placeholderHuman: 'Escribe como la persona',
  emptyTitle: 'Dile algo al agente',
  emptyText: 'Cada llamada aparece junto a la conversación: qué se envió, qué volvió y cuánto tardó.',
  emptyTextNarrow: 'Cada llamada aparece bajo el mensaje que la causó.',
  keyTitle: '¿Quién habla?',
  keyDev: 'Este servidor creó su propia clave. Abre la dirección que imprimió vatio serve, con su #key=…, o escribe una clave de app.',
  keyWeb: 'Escribe una clave de app para empezar: vatio keys create --app web crea una. Queda en esta pestaña.',
  keyButton: 'Escribir una clave',
  connecting: 'Conectando', connected: 'Conectado', reconnecting: 'Reconectando', stopped: 'Sin escuchar',
  listen: 'Volver a escuchar', stoppedText: 'Dejaste de esperar. El turno sigue sin ti.',
  thinking: 'El agente está trabajando',
  unreachable: 'El servidor no responde.',
  notSent: 'No se envió', retry: 'Reintentar',
  lost: 'Esta conversación ya no se puede abrir con este usuario. Empezó una nueva.',
  handedOver: 'La conversación pasó a una persona',
  handedBack: 'El agente tiene la conversación otra vez',
  shared: (n) => `El visitante compartió su teléfono: ${n}`,
  asksPhone: 'El agente pide un número de teléfono', share: 'Compartir',
  failed: 'El turno falló',
  arguments: 'Argumentos', request: 'Petición', answer: 'Respuesta', result: 'Entregado al modelo', headers: (n) => (n === 1 ? '1 cabecera' : `${n} cabeceras`),
  running: 'en curso', noAnswer: 'sin respuesta', refused: 'rechazada', done: 'lista', error: 'error',
  nothingSentText: 'No se envió nada por esta llamada.',
  loading: 'Cargando', copy: 'Copiar como curl', copied: 'Copiado', cut: 'El cuerpo sigue; estos son sus primeros 64 KiB.',
  more: (n) => `… ${n} caracteres más`,
  noTrace: 'No se guardó cómo fue esta llamada por la red.',
  needUser: 'Escribe el usuario por el que habla la app.', needKey: 'Escribe una clave de app.', needToken: 'Escribe un token.',
  asciiUser: 'El usuario viaja en una cabecera: usa letras simples, dígitos y signos.',
  needPhone: 'Escribe el teléfono que se comparte.',
  wait: 'El agente todavía responde. Espera, o pulsa Esc.',
  anonymous: '¿Quién habla?', byToken: 'token',
};

const inSpanish = /^es\b/i.test(navigator.language || '');
const texts = inSpanish ? { ...english, ...spanish } : english;

// t returns a text, with what it speaks of.
export function t(name, value) {
  const text = texts[name] ?? name;
  return typeof text === 'function' ? text(value) : text;
}

// translate puts the fixed texts of the page into the reader's language.
export function translate() {
  if (!inSpanish) return;
  document.documentElement.lang = 'es';
  for (const node of document.querySelectorAll('[data-t]')) {
    if (texts[node.dataset.t]) node.textContent = t(node.dataset.t);
  }
}
