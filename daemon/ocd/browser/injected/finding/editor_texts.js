// Texts in what is being edited: a click on the words of a line means that line, not the middle of the editor.

const EDITORS = '[contenteditable]';
const MAX_EDITED = 200000; // characters of an editor that is looked through
const EDITED_SCORE = 74; // of a line that has the words in it
const MAX_EDITED_LINES = 30;

// The innermost elements of editors whose text has the words of the query, one after the other.
function textsInEditors(asked) {
  if (asked.line !== null || !asked.rest.length) return [];
  return matchesEverywhere({ selector: EDITORS, pierce: true })
    .filter((el) => isEditingHost(el) && visibleBoxOf(el) && spacedTextOf(el).length <= MAX_EDITED)
    .flatMap((el) => innermostWith(asked.phrase, el))
    .filter(visibleBoxOf)
    .slice(0, MAX_EDITED_LINES)
    .map((el) => {
      const name = squeeze(visibleTextOf(el, MAX_SAID));
      const whole = wordsOf(name).join(' ') === asked.phrase;
      return {
        el,
        role: roleOf(el) || 'text',
        name,
        acts: false,
        within: null,
        score: whole ? WHOLE_PHRASE : EDITED_SCORE,
        at: 0,
      };
    });
}

function innermostWith(phrase, el) {
  if (!` ${wordsOf(spacedTextOf(el)).join(' ')} `.includes(` ${phrase} `)) return [];
  const inner = [...el.children].flatMap((kid) => innermostWith(phrase, kid));
  return inner.length > 0 ? inner : [el];
}

// Where nothing else is called so: the lines of editors that have the words, in place of these editors.
function addTextsInEditors(found, asked, among) {
  const isEditor = (one) => holdsWords(one.el, one.role);
  if (among !== 'all' && among !== 'clickable') return found;
  if (found.some((one) => one.score >= LIKELY && !isEditor(one))) return found;
  const texts = textsInEditors(asked).filter(({ el }) => !isEditingHost(el));
  const isAround = ({ el }) => texts.some((text) => nodeContains(el, text.el));
  return [...found.filter((one) => !isEditor(one) || !isAround(one)), ...texts];
}
