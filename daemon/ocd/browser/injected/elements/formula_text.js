// A formula in a line of text: ½ as `1/2`, not as the letters of its parts in a row.

const MATH_SPACE = 'http://www.w3.org/1998/Math/MathML';
const UNWRITTEN_OPERATORS = /[\u2061-\u2063]/g; // function application, invisible times and comma
const INVISIBLE_PLUS = /\u2064/g; // between a number and its fraction
const ONE_TERM = /^(?:\p{L}\p{M}*|[\p{N}.,]+|[^\p{L}\p{N}\s])['′]*$/u;
const BRACKETED = /^[([{|][^()[\]{}|]*[)\]}|]$/;
const WORDS_OF_FORMULA = /^m(?:i|n|text)$/;
const SCRIPTED = /^m(?:sub|sup|under|over)/;
const JOINING = /[\p{L}\p{N}(]/u;
const ACCENT = /^[^\p{L}\p{N}\s]$/u; // a bar, an arrow, a hat
const MAX_FORMULA_DEPTH = 100;
// What a formula may hold that has a name, a place or a value of its own.
const OWN_PARTS_OF_FORMULA =
  '[href], [tabindex], [onclick], [role], [aria-label], [aria-labelledby], [aria-hidden], img, input, button, select, textarea, svg, iframe, canvas';

// Whether a formula is told as one text; if it holds more, its parts are told one by one.
const isPlainFormula = (el) =>
  el.namespaceURI === MATH_SPACE && el.querySelector(OWN_PARTS_OF_FORMULA) === null;

// The formula that a script has drawn as what assistive software is not told of, and put beside it for that.
function formulaDrawnBy(el) {
  for (const beside of [previousElementSiblingOf(el), nextElementSiblingOf(el)]) {
    if (beside === null) continue;
    const math = beside.localName === 'math' ? beside : beside.querySelector('math');
    if (
      math !== null &&
      isPlainFormula(math) &&
      textContentOf(beside).trim() === textContentOf(math).trim()
    )
      return math;
  }
  return null;
}

// A formula that MathJax has drawn: what it has put beside it, or its source.
function textOfMathJax(container) {
  const math = firstMatch(container, 'math');
  if (math !== null && isPlainFormula(math)) return formulaText(math);
  const drawn = firstMatch(container, '[data-latex]');
  return drawn === null ? '' : `$${squeeze(getAttributeOf(drawn, 'data-latex'))}$`;
}

const formulaText = (math) => squeeze(formulaPart(math, 0));

const groupTerms = (text) =>
  text === '' || ONE_TERM.test(text) || BRACKETED.test(text) ? text : `(${text})`;

// A part as what another sign is put to: in parentheses if it is more than one term.
function formulaTerm(node, depth) {
  if (!node) return '';
  const text = formulaPart(node, depth).trim();
  return WORDS_OF_FORMULA.test(node.localName) ? text : groupTerms(text);
}

// The parts of a row; a fraction or a word does not run into a letter or a number beside it.
function formulaRow(el, depth) {
  let text = '';
  let apart = false;
  for (const kid of childNodesOf(el)) {
    const type = nodeTypeOf(kid);
    const part =
      type === Node.TEXT_NODE
        ? kid.data
        : type === Node.ELEMENT_NODE
          ? formulaPart(kid, depth)
          : '';
    if (part === '') continue;
    const stands = kid.localName === 'mfrac' || (part.length > 1 && kid.localName === 'mi');
    if ((stands || apart) && JOINING.test(text.at(-1) ?? '') && JOINING.test(part[0])) text += ' ';
    text += part;
    apart = stands || SCRIPTED.test(kid.localName);
  }
  return text;
}

const superscript = (sign) => (sign === '' ? '' : `^${sign}`);
const subscript = (sign) => (sign === '' ? '' : `_${sign}`);
const joinParts = (el, depth, between) =>
  [...childElementsOf(el)].map((kid) => formulaPart(kid, depth).trim()).join(between);
const nothingWritten = () => '';
const writeLetters = (el) => textContentOf(el).trim();
const writeSubscript = (el, [base, low], term) => term(base) + subscript(term(low));
const writeBoth = (el, [base, low, high], term) =>
  term(base) + subscript(term(low)) + superscript(term(high));
const writeRow = (el, kids, term, depth) => joinParts(el, depth, ', ');

// By tag, how an element is written: from its children, and how one of them is written as a term.
const FORMULA_WRITERS = {
  mi: writeLetters,
  mn: writeLetters,
  mo: (el) => writeLetters(el).replace(UNWRITTEN_OPERATORS, '').replace(INVISIBLE_PLUS, ' '),
  mfrac: (el, [upper, lower], term) =>
    parseFloat(el.getAttribute('linethickness')) === 0
      ? `(${term(upper)} over ${term(lower)})`
      : `${term(upper)}/${term(lower)}`,
  msqrt: (el, kids, term, depth) => `√${groupTerms(formulaRow(el, depth).trim())}`,
  mroot: (el, [base, index], term) => `${term(index)}√${term(base)}`,
  msup: (el, [base, high], term) => term(base) + superscript(term(high)),
  msub: writeSubscript,
  munder: writeSubscript,
  msubsup: writeBoth,
  munderover: writeBoth,
  mover: (el, [base, high], term) => {
    const sign = term(high);
    return term(base) + (ACCENT.test(sign) ? sign : superscript(sign));
  },
  mtable: (el, kids, term, depth) => joinParts(el, depth, '; '),
  mtr: writeRow,
  mlabeledtr: writeRow,
  mspace: () => ' ',
  semantics: (el, [shown], term, depth) => (shown ? formulaPart(shown, depth) : ''),
  mphantom: nothingWritten,
  annotation: nothingWritten,
  'annotation-xml': nothingWritten,
};

function formulaPart(el, depth) {
  if (depth > MAX_FORMULA_DEPTH || getComputedStyle(el).display === 'none') return '';
  const write = Object.hasOwn(FORMULA_WRITERS, el.localName) && FORMULA_WRITERS[el.localName];
  if (!write) return formulaRow(el, depth + 1);
  const term = (node) => formulaTerm(node, depth + 1);
  return write(el, [...childElementsOf(el)], term, depth + 1);
}
