// IndexedDB of a document's origin, read into JSON and written back. A value that JSON has no word
// for becomes an object with the key "$", which says what it is.

(work, ...args) => {
  const VIEWS = {
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView,
  };
  const BATCH = 200;

  const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('a page has it open: import in an empty tab'));
  });
  const finished = (transaction) => new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });

  const base64 = (buffer) => {
    const bytes = new Uint8Array(buffer);
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000) {
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    }
    return btoa(text);
  };
  const buffer = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

  // --- values ------------------------------------------------------------------------------------

  const encoded = async (value, above) => {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (value === undefined) return {$: 'undefined'};
    if (typeof value === 'bigint') return {$: 'bigint', v: String(value)};
    if (typeof value === 'number') {
      const plain = Number.isFinite(value) && !Object.is(value, -0);
      return plain ? value : {$: 'number', v: Object.is(value, -0) ? '-0' : String(value)};
    }
    if (kind === 'Date') return {$: 'date', v: Number.isNaN(+value) ? null : +value};
    if (kind === 'RegExp') return {$: 'regexp', v: value.source, f: value.flags};
    if (kind === 'ArrayBuffer') return {$: 'bytes', t: kind, v: base64(value)};
    if (kind in VIEWS) {
      const part = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
      return {$: 'bytes', t: kind, v: base64(part)};
    }
    if (kind === 'Blob' || kind === 'File') {
      const named = kind === 'File' ? {n: value.name, m: value.lastModified} : {};
      return {$: 'blob', t: value.type, ...named, v: base64(await value.arrayBuffer())};
    }
    if (!['Object', 'Array', 'Map', 'Set'].includes(kind)) throw new Error(`a ${kind} in it`);
    if (above.includes(value)) throw new Error('it contains itself');
    if (above.length > 100) throw new Error('it is nested too deeply');
    const list = async (items) => {
      const found = [];
      for (const item of items) found.push(await encoded(item, [...above, value]));
      return found;
    };
    if (kind === 'Array') return list(value);
    if (kind === 'Set') return {$: 'set', v: await list(value)};
    const pairs = kind === 'Map' ? [...value] : Object.entries(value);
    const values = await list(pairs.map((pair) => pair[1]));
    if (kind === 'Map') {
      const keys = await list(pairs.map((pair) => pair[0]));
      return {$: 'map', v: keys.map((key, at) => [key, values[at]])};
    }
    const entries = pairs.map(([key], at) => [key, values[at]]);
    // As pairs where an object would not be read back as it was.
    const odd = entries.some(([key]) => key === '$' || key === '__proto__');
    return odd ? {$: 'object', v: entries} : Object.fromEntries(entries);
  };

  const decoded = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(decoded);
    const pairs = () => value.v.map(([key, item]) => [decoded(key), decoded(item)]);
    switch (value.$) {
      case undefined:
        return Object.fromEntries(Object.entries(value).map(([k, item]) => [k, decoded(item)]));
      case 'undefined': return undefined;
      case 'bigint': return BigInt(value.v);
      case 'number': return Number(value.v);
      case 'date': return new Date(value.v === null ? NaN : value.v);
      case 'regexp': return new RegExp(value.v, value.f);
      case 'set': return new Set(value.v.map(decoded));
      case 'map': return new Map(pairs());
      case 'object': return Object.fromEntries(pairs());
      case 'bytes':
        return value.t === 'ArrayBuffer' ? buffer(value.v) : new VIEWS[value.t](buffer(value.v));
      case 'blob': {
        const options = {type: value.t, lastModified: value.m};
        const parts = [buffer(value.v)];
        return 'n' in value ? new File(parts, value.n, options) : new Blob(parts, options);
      }
      default: throw new Error(`an unknown kind of value: ${value.$}`);
    }
  };

  // --- taking ------------------------------------------------------------------------------------

  const shape = (database) => [...database.objectStoreNames].map((name) => {
    const store = database.transaction(name).objectStore(name);
    const indexes = [...store.indexNames].map((each) => store.index(each)).map((index) => ({
      name: index.name, key_path: index.keyPath, unique: index.unique, multi: index.multiEntry,
    }));
    return {name, key_path: store.keyPath, auto_increment: store.autoIncrement, indexes};
  });

  const opened = async (name, version) => {
    const request = indexedDB.open(name, version);
    const database = await answered(request);
    database.onversionchange = () => database.close();
    return database;
  };

  const take = async (limit) => {
    const found = [];
    const leftOut = new Map();
    let bytes = 0;
    const skip = (where, reason, records) => {
      const key = JSON.stringify([where, reason]);
      leftOut.set(key, (leftOut.get(key) || 0) + records);
    };
    const records = async (database, store) => {
      const taken = [];
      const where = `${database.name}/${store.name}`;
      const whole = await answered(database.transaction(store.name).objectStore(store.name).count());
      for (let seen = 0, last; seen < whole;) {
        const range = seen ? IDBKeyRange.lowerBound(last, true) : null;
        const source = database.transaction(store.name).objectStore(store.name);
        const [keys, values] = await Promise.all(
          [answered(source.getAllKeys(range, BATCH)), answered(source.getAll(range, BATCH))]);
        if (!keys.length) break;
        for (const [at, value] of values.entries()) {
          try {
            const both = store.key_path === null ? [value, keys[at]] : [value];
            const record = await encoded(both, []);
            bytes += JSON.stringify(record).length;
            if (bytes > limit) {
              skip(where, `databases have more than ${limit} bytes`, whole - seen - at);
              return taken;
            }
            taken.push(record);
          } catch (error) {
            skip(where, error.message, 1);
          }
        }
        seen += keys.length;
        last = keys[keys.length - 1];
      }
      return taken;
    };
    for (const {name, version} of await indexedDB.databases()) {
      const database = await opened(name);
      try {
        const stores = shape(database);
        for (const store of stores) store.records = await records(database, store);
        found.push({name, version, stores});
      } finally {
        database.close();
      }
    }
    const caches = globalThis.caches ? await globalThis.caches.keys() : [];
    const told = [...leftOut].map(([key, count]) => {
      const [where, reason] = JSON.parse(key);
      return {indexed_db: where, records: count, reason};
    });
    if (caches.length) {
      told.push({cache_storage: caches.length, reason: 'caches are not part of an envelope'});
    }
    return {databases: found, left_out: told};
  };

  // --- putting back ------------------------------------------------------------------------------

  const made = async ({name, version, stores}) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      for (const store of stores) {
        const options = {keyPath: store.key_path, autoIncrement: store.auto_increment};
        const there = request.result.createObjectStore(store.name, options);
        for (const index of store.indexes) {
          there.createIndex(index.name, index.key_path, {unique: index.unique, multiEntry: index.multi});
        }
      }
    };
    return answered(request);
  };

  const like = (database, {version, stores}) => {
    const plain = ({name, key_path, auto_increment, indexes}) =>
      ({name, key_path, auto_increment, indexes});
    return database.version === version
      && JSON.stringify(shape(database)) === JSON.stringify(stores.map(plain));
  };

  const filled = async (wanted, there) => {
    // One of the same shape is emptied, not deleted: a page may have it open.
    let database = there ? await opened(wanted.name) : null;
    if (database && !like(database, wanted)) {
      database.close();
      await answered(indexedDB.deleteDatabase(wanted.name));
      database = null;
    }
    database = database || await made(wanted);
    let count = 0;
    try {
      for (const {name, records} of wanted.stores) {
        const transaction = database.transaction(name, 'readwrite');
        const done = finished(transaction);
        const store = transaction.objectStore(name);
        store.clear();
        for (const record of records) store.put(...record.map(decoded));
        await done;
        count += records.length;
      }
    } finally {
      database.close();
    }
    return count;
  };

  const put = async (databases) => {
    const told = {records: 0, skipped: []};
    const there = (await indexedDB.databases()).map(({name}) => name);
    const names = databases.map(({name}) => name);
    const tried = async (name, action) => {
      try {
        told.records += await action();
      } catch (error) {
        told.skipped.push({indexed_db: name, reason: String(error && error.message || error)});
      }
    };
    for (const name of there.filter((each) => !names.includes(each))) {
      await tried(name, async () => { await answered(indexedDB.deleteDatabase(name)); return 0; });
    }
    for (const wanted of databases) {
      await tried(wanted.name, () => filled(wanted, there.includes(wanted.name)));
    }
    return told;
  };

  return {take, put}[work](...args);
}
