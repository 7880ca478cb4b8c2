// In the page's own world, before its scripts: tells which prompts it asks for, and how they ended.
(name) => {
  const tell = globalThis[name];
  delete globalThis[name];
  if (typeof tell !== 'function' || !globalThis.navigator?.permissions) return;
  const { apply } = Reflect;
  const { stringify } = JSON;
  const query = navigator.permissions.query.bind(navigator.permissions);
  const note = (what) => query({ name: what }).then(({ state }) => tell(stringify({ name: what, state })), () => {});
  const watch = (owner, key, names) => {
    const property = owner && Object.getOwnPropertyDescriptor(owner.prototype || owner, key);
    if (typeof property?.value !== 'function') return;
    property.value = new Proxy(property.value, {
      apply(target, self, args) {
        const answer = apply(target, self, args);
        for (const what of names(args)) note(what);
        return answer;
      },
    });
    Object.defineProperty(owner.prototype || owner, key, property);
  };
  watch(globalThis.Geolocation, 'getCurrentPosition', () => ['geolocation']);
  watch(globalThis.Geolocation, 'watchPosition', () => ['geolocation']);
  watch(globalThis.Clipboard, 'read', () => ['clipboard-read']);
  watch(globalThis.Clipboard, 'readText', () => ['clipboard-read']);
  watch(globalThis.MediaDevices, 'getUserMedia', ([wanted]) => [
    ...(wanted?.video ? ['camera'] : []), ...(wanted?.audio ? ['microphone'] : []),
  ]);
  watch(globalThis.Navigator, 'requestMIDIAccess', () => ['midi']);
  // Its prompt, for a choice among screens, cannot be refused beforehand, and takes all input of the tab.
  const shared = globalThis.MediaDevices && Object.getOwnPropertyDescriptor(MediaDevices.prototype, 'getDisplayMedia');
  if (typeof shared?.value === 'function') {
    shared.value = new Proxy(shared.value, {
      apply() {
        tell(stringify({ name: 'display-capture', state: 'denied' }));
        return Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
      },
    });
    Object.defineProperty(MediaDevices.prototype, 'getDisplayMedia', shared);
  }
  const asked = globalThis.Notification && Object.getOwnPropertyDescriptor(Notification, 'requestPermission');
  if (typeof asked?.value === 'function') {
    asked.value = new Proxy(asked.value, {
      apply(target, self, args) {
        const answer = apply(target, self, args);
        note('notifications');
        return answer;
      },
    });
    Object.defineProperty(Notification, 'requestPermission', asked);
  }
}
