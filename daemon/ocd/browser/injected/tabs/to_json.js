// A value as JSON, the way people expect it of a console: JSON's own rules, and words for what it
// has no form for. It runs among the page's own scripts, which may have replaced any global and any
// method; so it uses syntax alone, and `stringify` only if it is the browser's own (see scripts.py).
function (stringify) {
  const is = (value, type) => { try { return value instanceof type; } catch { return false; } };
  const words = (value) => {
    try {
      const text = typeof value === 'symbol' ? value.description : value;
      const said = typeof value === 'symbol' ? `Symbol(${text ?? ''})` : `${text}`;
      if (typeof said === 'string') return said;
    } catch { /* the page's own toString throws */ }
    return typeof value;
  };
  const list = (value) => {
    const made = [];
    // Not by the value's iterator, and not by `push`: both are the page's to replace.
    for (let at = 0; at < value.length; at++) made[at] = value[at];
    return made;
  };
  const all = (value) => {
    const made = [];
    try { for (const one of value) made[made.length] = one; } catch { return words(value); }
    return made;
  };
  const pairs = (value) => {
    const made = {__proto__: null};
    try { for (const pair of value) made[pair[0]] = pair[1]; } catch { return words(value); }
    return made;
  };
  // A library's toJSON on every object or list (old ones do that) would have its own idea of JSON.
  const common = (method) => method === ({}).toJSON || method === [].toJSON;
  const shown = (value) => {
    if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
      return words(value);
    }
    if (typeof value === 'number' && (value !== value || value === 1 / 0 || value === -1 / 0)) {
      return words(value);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (is(value, window.Error)) return words(value.stack || value);
    if (is(value, window.Map)) return pairs(value);
    if (is(value, window.Set)) return all(value);
    if (is(value, window.RegExp)) return words(value);
    if (is(value, window.Node)) return value.outerHTML || value.nodeValue || value.nodeName;
    if (is(value, window.NodeList) || is(value, window.HTMLCollection)) return list(value);
    if (value === window) return words(value);
    return value;
  };
  if (stringify) {
    const text = stringify(this, function (key, value) {
      const own = this[key];
      return shown(own && value !== own && common(own.toJSON) ? own : value);
    });
    return text === undefined ? null : text;
  }

  const escapes = {
    __proto__: null, '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t',
    '\b': '\\b', '\f': '\\f',
  };
  const hex = '0123456789abcdef';
  // The code of a control character, found by comparing: charCodeAt is a method.
  const control = '\0\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17'
    + '\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f';
  const escaped = (letter) => {
    if (escapes[letter]) return escapes[letter];
    let code = 0;
    while (control[code] !== letter) code++;
    return `\\u00${code < 16 ? '0' : '1'}${hex[code % 16]}`;
  };
  const quoted = (text) => {
    let made = '"';
    for (let at = 0; at < text.length; at++) {
      const letter = text[at];
      made += letter < ' ' || letter === '"' || letter === '\\' ? escaped(letter) : letter;
    }
    return made + '"';
  };
  const listed = (value) => is(value, [].constructor) || is(value, window.Array);
  const inside = (value, above) => {
    for (let one = above; one; one = one.above) {
      if (one.value === value) throw 'Converting circular structure to JSON';
    }
    return {value, above};
  };
  const write = (given, key, above) => {
    let value = given;
    if (typeof value === 'object' && value !== null) {
      const method = value.toJSON;
      if (typeof method === 'function' && !common(method)) value = value.toJSON(key);
    }
    value = shown(value);
    if (value === null) return 'null';
    if (typeof value === 'string') return quoted(value);
    if (typeof value !== 'object') return value === undefined ? undefined : `${value}`;
    const here = inside(value, above);
    let made = '';
    if (listed(value)) {
      for (let at = 0; at < value.length; at++) {
        made += (made && ',') + (write(value[at], `${at}`, here) ?? 'null');
      }
      return `[${made}]`;
    }
    const own = {__proto__: null, ...value};
    for (const name in own) {
      const text = write(own[name], name, here);
      if (text !== undefined) made += `${made && ','}${quoted(name)}:${text}`;
    }
    return `{${made}}`;
  };
  return write(this, '', null) ?? null;
}
