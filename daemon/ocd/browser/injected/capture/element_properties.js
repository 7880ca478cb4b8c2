// One property of an element, by its name.

// What a field holds, all of it; a password says only that it has something.
function fullValueOf(el) {
  const control = controlOf(el);
  const written =
    /^(?:INPUT|TEXTAREA)$/.test(control.tagName) &&
    !/^(?:checkbox|radio|password|file)$/.test(control.type);
  if (takesCode(control) || (!written && control.isContentEditable)) return editorText(el);
  if (written) return control.value;
  return control.type === 'file' ? [...control.files].map((file) => file.name) : stateOf(el);
}

function attributeOf(el, name) {
  return name.toLowerCase() === 'value' && el.type === 'password' ? null : el.getAttribute(name);
}

function checkedState(el) {
  const state = stateOf(el);
  return typeof state === 'boolean' || state === 'mixed' ? state : null;
}

Object.assign(globalThis.openchrome, {
  property: (el, name, attribute) => {
    switch (name) {
      case 'value':
        return fullValueOf(el);
      case 'attribute':
        return attributeOf(el, attribute);
      case 'enabled':
        return !disabledReason(el, false);
      case 'checked':
        return checkedState(el);
      default:
        return hasBox(el);
    }
  },
});
