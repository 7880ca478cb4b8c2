// The words of ::before and ::after, which are part of names.

// Which elements a style sheet of the document gives words by ::before or ::after: asking every one
// costs more than all the rest. null: any may have some, a sheet cannot be looked into.
const generatedSelectors = new WeakMap(); // by style sheet: its selectors, null if they cannot be known
const countingSelectors = new WeakMap(); // the same for what is counted
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

// The selectors of a style sheet's rules that hold for this, null if they cannot all be known.
function selectorsIn(sheet, isMeant) {
  const found = [];
  let known = true;
  const collect = (rules, nested) => {
    for (const rule of rules) {
      const { selectorText } = rule;
      if (selectorText !== undefined && isMeant(rule)) {
        if (nested || selectorText.includes('&')) known = false;
        else found.push(...splitSelectors(selectorText));
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
  return known ? found : null;
}

const BEFORE_OR_AFTER = /:(?:before|after)\b/;
const givesWords = ({ selectorText, style }) =>
  BEFORE_OR_AFTER.test(selectorText) && !WORDLESS_CONTENT.test(style.content);
const counts = ({ style }) =>
  style.counterReset !== '' ||
  style.counterIncrement !== '' ||
  style.counterSet !== '' ||
  COUNTS.test(style.content);

function pseudoSelectorsOf(sheet) {
  if (!generatedSelectors.has(sheet)) {
    const found = selectorsIn(sheet, givesWords);
    generatedSelectors.set(
      sheet,
      found && found.filter((part) => BEFORE_OR_AFTER.test(part)).map(stripPseudoElement),
    );
  }
  return generatedSelectors.get(sheet);
}

function countingSelectorsOf(sheet) {
  if (!countingSelectors.has(sheet))
    countingSelectors.set(sheet, selectorsIn(sheet, counts)?.map(stripPseudoElement) ?? null);
  return countingSelectors.get(sheet);
}

const stripPseudoElement = (selector) =>
  selector.replace(/::?(?:before|after)\b.*$/, '').replace(/(^|[\s>+~])$/, '$1*');

// The words of ::before and ::after, or what a style sheet gives to be said instead; pictures have none.
const CONTENT_PIECES =
  /url\("(?:[^"\\]|\\.)*"\)|(counters?)\(((?:[^"()]|"(?:[^"\\]|\\.)*")*)\)|"((?:[^"\\]|\\.)*)"|(\/)|\b(open|close)-quote/g;
const HAS_WORDS = /"|counter|-quote/;
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

const QUOTATION_MARKS = ['“', '”', '‘', '’'];

// The mark at an end of a quotation, by how many it stands in.
function quotationMark(el, end, quotes) {
  if (quotes === 'none') return '';
  const given = [...quotes.matchAll(/"((?:[^"\\]|\\.)*)"?/g)].map(([, sign]) => unescapeCss(sign));
  const marks = given.length > 1 ? given : QUOTATION_MARKS;
  let depth = 0;
  for (
    let at = parentElementOf(el);
    at !== null && 2 * depth + 3 < marks.length;
    at = parentElementOf(at)
  )
    if (tagOf(at) === 'Q') depth++;
  return marks[2 * depth + (end === 'open' ? 0 : 1)];
}

function generatedText(el, pseudo) {
  const { content, display, visibility, opacity, quotes } = getComputedStyle(el, pseudo);
  if (content === 'none' || content === 'normal' || !HAS_WORDS.test(content)) return '';
  if (display === 'none' || visibility !== 'visible' || opacity === '0') return '';
  let text = '';
  for (const [, func, args, words, slash, end] of content.matchAll(CONTENT_PIECES)) {
    if (slash)
      text = ''; // what follows is said instead
    else if (words) text += unescapeCss(words);
    else if (end) text += quotationMark(el, end, quotes);
    else if (func)
      text += counterText(func, args, counterValuesIn(documentOf(el)).get(el)?.[pseudo]);
  }
  return display === 'inline' ? text : ` ${text} `;
}
