// Where this form goes when it is submitted. No name of a field of it is in the way.
function formTarget() {
  const read = (el, name) => Element.prototype.getAttribute.call(el, name);
  const button = Element.prototype.querySelector.call(this, 'button:not([type]), [type=submit], [type=image]');
  const action = (button && read(button, 'formaction')) || read(this, 'action');
  const base = Object.getOwnPropertyDescriptor(Node.prototype, 'baseURI').get.call(this);
  return new URL(action || location.href, base).origin;
}
