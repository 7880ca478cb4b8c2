// The formulas of a document as HTML that keeps their LaTeX: `math` elements with the source as an
// annotation (content/formulas.py reads them). MathML that is shown itself needs no other form.

const FORMULAS =
  '.katex, mjx-container, .mwe-math-element, math, script[type^="math/tex"], .arithmatex, .math, math-renderer, [data-math-style], img.tex, img.latex, img.math';
const RENDERED =
  '.MathJax, .MathJax_Display, .MathJax_CHTML, .MathJax_SVG, .MathJax_SVG_Display, .MJXc-display';
const TEX_SOURCE =
  'annotation[encoding="application/x-tex" i], annotation[encoding="tex" i], annotation[encoding="latex" i], annotation[encoding="application/x-latex" i], annotation[encoding="text/x-tex" i]';
const IN_DELIMITERS = /^\s*(?:\\\(([^]*)\\\)|\\\[([^]*)\\\]|\$\$([^]*)\$\$|\$([^$]*)\$)\s*$/;
const MAX_FORMULA = 100000;

const sourceHtml = (source, display) =>
  `<math${display ? ' display="block"' : ''}><annotation encoding="application/x-tex">${escapeHtml(source)}</annotation></math>`;

function mathHtml(el, math, display) {
  const source = math.getAttribute('data-latex') ?? math.querySelector(TEX_SOURCE)?.textContent;
  if (source) return sourceHtml(source, display);
  if (el === math || math.outerHTML.length > MAX_FORMULA) return null;
  return display ? math.outerHTML.replace('<math', '<math display="block"') : math.outerHTML;
}

function textFormula(el) {
  if (el.firstElementChild) return null;
  const text = el.textContent;
  const style = el.getAttribute('data-math-style');
  if (style !== null) return sourceHtml(text, style === 'display');
  const match = text.length < MAX_FORMULA && IN_DELIMITERS.exec(text);
  if (match)
    return sourceHtml(
      match[1] ?? match[2] ?? match[3] ?? match[4],
      (match[2] ?? match[3]) !== undefined,
    );
  const display = el.classList.contains('display');
  return el.classList.contains('math') && (display || el.classList.contains('inline'))
    ? sourceHtml(text, display)
    : null;
}

function formulaHtml(el) {
  if (el.tagName === 'SCRIPT')
    return sourceHtml(el.textContent, /mode\s*=\s*display/i.test(el.type));
  if (el.tagName === 'IMG') return el.alt ? sourceHtml(el.alt, false) : null;
  const math = el.localName === 'math' ? el : el.querySelector('math');
  const told = el.querySelector('mjx-math[data-latex], svg [data-latex]');
  const display =
    el.parentElement?.classList.contains('katex-display') ||
    el.getAttribute('display') === 'true' ||
    math?.getAttribute('display') === 'block';
  if (told) return sourceHtml(told.getAttribute('data-latex'), display);
  const picture = el.querySelector('img[class*=mwe-math-fallback][alt]');
  if (picture) return sourceHtml(picture.alt, /display/.test(picture.className));
  return math ? mathHtml(el, math, display) : textFormula(el);
}

// By element, what stands for it; null for a document without any.
function formulasOf(doc) {
  const found = allMatches(doc, FORMULAS);
  if (!found.length) return null;
  const formulas = new Map();
  for (const el of found) {
    const words = formulaHtml(el);
    if (words !== null) formulas.set(el, words);
    // MathJax 2 draws the formula before the script.
    const drawn = el.tagName === 'SCRIPT' && el.previousElementSibling;
    if (drawn && drawn.matches(RENDERED)) {
      formulas.set(drawn, words);
      formulas.delete(el);
    }
  }
  return formulas;
}
