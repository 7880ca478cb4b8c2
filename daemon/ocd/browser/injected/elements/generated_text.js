// The words of ::before and ::after, which are part of names.

// Which elements a style sheet of the document gives words by ::before or ::after: asking every one
// costs more than all the rest. null: any may have some, a sheet cannot be looked into.
const generatedSelectors = new WeakMap(); // by style sheet: its selectors, null if they cannot be known
let generatedTextByDocument = new Map();
const MAX_GENERATING = 300; // selectors
const WORDLESS_CONTENT =
  /^(?:(?:normal|none|inherit|initial|unset|revert)|"(?:[\uE000-\uF8FF\s]|\\[ef][0-9a-f]{3})*"|)$/i; // content without words

function findGeneratedText(document) {
  let found = generatedTextByDocument.get(document);
  if (found === undefined) {
    const lists = sheetsIn(document).map(pseudoSelectorsOf);
    found = lists.includes(null) ? null : elementsMatchingAny(document, lists.flat());
    generatedTextByDocument.set(document, found);
  }
  return found;
}

const MAX_WORDED = 1000; // elements of which ::before and ::after are asked beside their own text

// The elements that are known to get words by a style sheet, as far as the sheets can be looked into.
function wordedElementsIn(document) {
  const known =
    findGeneratedText(document) ??
    elementsMatchingAny(
      document,
      sheetsIn(document)
        .map(pseudoSelectorsOf)
        .filter((list) => list !== null)
        .flat(),
    );
  return known === null || known.size > MAX_WORDED ? EMPTY_SET : known;
}

function elementsMatchingAny(document, selectors) {
  if (selectors.length > MAX_GENERATING) return null;
  try {
    return new Set(selectors.length ? allMatches(document, selectors.join(',')) : []);
  } catch {
    return null;
  }
}

function pseudoSelectorsOf(sheet) {
  if (!generatedSelectors.has(sheet)) {
    const found = [];
    let known = true;
    const collect = (rules, nested) => {
      for (const rule of rules) {
        const { selectorText } = rule;
        if (
          selectorText !== undefined &&
          /:(?:before|after)\b/.test(selectorText) &&
          !WORDLESS_CONTENT.test(rule.style.content)
        ) {
          if (nested || selectorText.includes('&')) known = false;
          else
            found.push(
              ...splitSelectors(selectorText)
                .filter((part) => /:(?:before|after)\b/.test(part))
                .map(stripPseudoElement),
            );
        }
        if (rule.cssRules?.length) collect(rule.cssRules, nested || selectorText !== undefined);
        else if (rule.styleSheet) collect(rule.styleSheet.cssRules, nested);
      }
    };
    try {
      collect(sheet.cssRules, false);
    } catch {
      known = false; // of another origin
    }
    generatedSelectors.set(sheet, known ? found : null);
  }
  return generatedSelectors.get(sheet);
}

const stripPseudoElement = (selector) =>
  selector.replace(/::?(?:before|after)\b.*$/, '').replace(/(^|[\s>+~])$/, '$1*');

// The words of ::before and ::after, or what a style sheet gives to be said instead; counters and
// pictures have none.
const CONTENT_PIECES =
  /url\("(?:[^"\\]|\\.)*"\)|counters?\((?:[^"()]|"(?:[^"\\]|\\.)*")*\)|"((?:[^"\\]|\\.)*)"|(\/)/g;
// CSS strings have characters by their number, ended by a space, or behind a backslash.
const unescapeCss = (text) =>
  text.replace(/\\(?:([\da-f]{1,6})\s?|(.))/gi, (_, code, sign) =>
    code ? String.fromCodePoint(parseInt(code, 16)) : sign,
  );

// Whether a style sheet may give an element words.
function mayBeGiven(el, root = null) {
  const worded = findGeneratedText(documentOf(el));
  if (worded === null || worded.has(el)) return true;
  return worded.size === 0 && Boolean(hostOf(root ?? rootNodeOf(el)));
}

function generatedText(el, pseudo) {
  const { content, display, visibility, opacity } = getComputedStyle(el, pseudo);
  if (content === 'none' || content === 'normal' || !content.includes('"')) return '';
  if (display === 'none' || visibility !== 'visible' || opacity === '0') return '';
  let text = '';
  for (const [, words, slash] of content.matchAll(CONTENT_PIECES)) {
    if (slash)
      text = ''; // what follows is said instead
    else if (words) text += unescapeCss(words);
  }
  return display === 'inline' ? text : ` ${text} `;
}
