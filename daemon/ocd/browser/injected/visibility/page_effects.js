// Which effects that can hide elements a document uses: asking each element for them costs as much as all the rest.

// Whether a document may use what fades, moves, scales or masks its elements: asking each of them
// costs as much as all the rest. Learnt once a reading, where there is little to learn it from.
const FADING = 1;
const MOVING = 2;
const ALL_EFFECTS = FADING | MOVING;
const FADING_CSS = /opacity|filter|mask|clip|@import/;
const MOVING_CSS = /transform|translate|scale|rotate|zoom|@import/;
const MAX_SCANNED_RULES = 100;
let effectsOf = new WeakMap();

function effectsIn(doc) {
  let found = effectsOf.get(doc);
  if (found === undefined) {
    found =
      firstMatch(doc, 'svg') !== null ||
      firstMatch(doc, 'form[style]') !== null ||
      animationsIn(doc).length > 0
        ? ALL_EFFECTS
        : 0;
    for (const sheet of sheetsIn(doc)) if (found !== ALL_EFFECTS) found |= effectsOfSheet(sheet);
    if (found !== ALL_EFFECTS)
      for (const el of allMatches(doc, '[style]'))
        found |= effectsOfRule(getAttributeOf(el, 'style'));
    effectsOf.set(doc, found);
  }
  return found;
}

function effectsOfSheet(sheet) {
  try {
    const rules = sheet.cssRules;
    return rules.length > MAX_SCANNED_RULES
      ? ALL_EFFECTS
      : [...rules].reduce((found, rule) => found | effectsOfRule(rule.cssText), 0);
  } catch {
    return ALL_EFFECTS; // of another origin
  }
}

const effectsOfRule = (text) =>
  (FADING_CSS.test(text) ? FADING : 0) | (MOVING_CSS.test(text) ? MOVING : 0);
