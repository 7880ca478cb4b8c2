// The element of a ref when somebody acts on it: the one that was read, or what stands in its place.

// After our own action the element may say something else, and be the same: a counter in its row.
function noteAction(el) {
  const number = numberByElement.get(el);
  const known = identities.get(number);
  if (!known || !isPresent(el)) return;
  surroundingTexts = new Map();
  const letters = (text) => text.replace(/[\p{N}\p{P}\p{S}]+/gu, ' ');
  if (
    roleOf(el) === known.role &&
    isSameText(letters(known.words), letters(distinguishingWords(el, known.role).words))
  )
    setIdentity(number, el, rowKeyOf(el)?.key);
}

// The element of a number, if it is the one that was read; else the one that stands in its place,
// if there is no doubt; else null.
function reacquire(number) {
  surroundingTexts = new Map();
  generatedTextByDocument = new Map();
  const known = identities.get(number);
  const el = elementOf(number);
  if (!known) return el;
  if (el) return isSameElement(el, known) ? el : null;
  const found = interactiveElements()
    .filter(
      (one) => !numberByElement.has(one.el) && one.role === known.role && one.name === known.name,
    )
    .filter((one) => {
      const now = distinguishingWords(one.el, one.role).words;
      return known.repeated ? now === known.words : isSameText(now, known.words);
    });
  if (found.length !== 1) return null;
  numberByElement.set(found[0].el, number);
  elementByNumber.set(number, new WeakRef(found[0].el));
  setIdentity(number, found[0].el, rowKeyOf(found[0].el)?.key);
  return found[0].el;
}

Object.assign(globalThis.openchrome, { acquire: reacquire, acted: noteAction });
