// Options of native lists by the values that are asked for.

const TYPED_ROLES = new Set(['textbox', 'searchbox', 'spinbutton']);

// What an option is called; those of a datalist often have a value alone.
const optionLabel = (option) => option.label || option.text || option.value;

const withoutPictures = (text) => normalizeText(text.replace(PICTURES, ''));

// A label without what is added in brackets: "Talk (30 minutes)".
const withoutAside = (label) => label.replace(/\s[([][^()[\]]{1,100}[)\]]$/, '');

// The option of that value or label; undefined if there is none, or several that are only nearly so called.
function optionCalled(all, wanted) {
  const only = (isMeant) => {
    const meant = all.filter(isMeant);
    return meant.length === 1 ? meant[0] : undefined;
  };
  const bare = withoutPictures(wanted);
  return (
    all.find((one) => one.value === wanted) ||
    all.find((one) => squeeze(optionLabel(one)) === squeeze(wanted)) ||
    all.find((one) => normalizeText(optionLabel(one)) === normalizeText(wanted)) ||
    (bare && only((one) => withoutPictures(optionLabel(one)) === bare)) ||
    (bare && only((one) => withoutPictures(one.value) === bare)) ||
    (bare && only((one) => withoutPictures(withoutAside(optionLabel(one))) === bare)) ||
    (bare && only((one) => foldLetters(withoutPictures(optionLabel(one))) === foldLetters(bare))) ||
    undefined
  );
}

// Of fields that the words mean equally well, a list without the value that is to be written is not meant where one
// can be typed into.
function preferTyped(found, value) {
  const best = Math.max(...found.map((one) => one.score));
  const tied = found.filter((one) => one.score >= LIKELY && one.score > best - TIE);
  if (!tied.some(({ el, role }) => el.tagName !== 'SELECT' && TYPED_ROLES.has(role))) return;
  for (const one of tied)
    if (one.el.tagName === 'SELECT' && !optionCalled([...one.el.options], value)) one.score -= TIE;
}
