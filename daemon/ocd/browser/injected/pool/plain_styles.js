// Whether nothing in a document can be hidden by its styles: said only of pages with a few rules of
// the kind that never hides, so that these need no look at each of their elements. Closed shadow
// trees are not seen here.

const MAX_RULES = 300;
const STYLED_SELECTOR =
  '[style], [bgcolor], [color], [text], [popover], [opacity], iframe, frame, canvas, video, audio';
// Whatever visibility.js asks about, and values that only the engine can work out. Names of properties
// end with a colon in the text of a rule.
const HIDING_CSS = new RegExp(
  '(?:display: none|visibility|opacity|clip|mask|transform|translate|scale|zoom' +
    '|position: (?:absolute|fixed|relative|sticky)|overflow|font-size: 0|font: (?:[a-z-]+ )*0|text-indent|fill|filter|all: ' +
    '|animation|transition|background|z-index|rotate|left: -|top: -|color-scheme|var\\(|calc\\(|min\\(|clamp\\(' +
    // On the white of a page without backgrounds.
    '|color: (?:white|transparent|currentcolor|rgb\\(2[45]\\d, 2[45]\\d, 2[45]\\d\\)|[^;]*(?:, 0| / 0)\\)|[^;r][^;]*\\())',
  'i',
);

function isPlain(doc) {
  if (adoptedSheetsIn(doc).length || firstMatch(doc, STYLED_SELECTOR)) return false;
  const all = byTag(doc, '*');
  for (let i = 0, { length } = all; i < length; i++) if (all[i].shadowRoot) return false;
  let left = MAX_RULES;
  const harmless = (rules) => {
    for (const rule of rules) {
      if (--left < 0 || rule.type === CSSRule.IMPORT_RULE) return false;
      if (rule.style && HIDING_CSS.test(rule.style.cssText)) return false;
      if (rule.cssRules?.length && !harmless(rule.cssRules)) return false;
    }
    return true;
  };
  try {
    for (const sheet of linkedSheetsIn(doc)) if (!harmless(sheet.cssRules)) return false;
  } catch {
    return false; // a sheet of another origin
  }
  return true;
}
