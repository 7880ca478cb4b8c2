// One look at a loaded page: what it has, whether it is blank, and what stands before it.
(most) => {
  // What is named like a property of the document hides it there: see documents.js.
  const of = (name) => Reflect.get(Document.prototype, name, document);
  const all = (selector) => [...of('querySelectorAll').call(document, selector)];
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && el.getClientRects().length > 0;
  const text = (of('body')?.innerText ?? '').trim();
  const gates = [];
  if (all('input[type=password]:not([autocomplete=new-password i])').some(seen)) gates.push('login');
  const challenge = 'iframe[src*="recaptcha"], iframe[src*="hcaptcha"], iframe[src*="challenges.cloudflare.com"], iframe[src*="arkoselabs"], .g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha';
  if (all(challenge).some(seen)) gates.push('captcha');
  if (/^(just a moment|attention required|access denied|verify you are human|are you a robot)/i.test(of('title').trim())) gates.push('bot_check');
  const shows = 'img, picture, canvas, svg, video, audio, iframe, embed, object, input, select, textarea, button';
  return {
    interactive_count: all('a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=tab], [role=menuitem], [contenteditable=""], [contenteditable=true], [tabindex]:not([tabindex="-1"])').filter(seen).length,
    form_count: all('form').length,
    has_canvas: all('canvas').length > 0,
    has_iframe: all('iframe, frame').length > 0,
    blank: text === '' && !all(shows).some(seen),
    gates,
    text: text.slice(0, most),
  };
}
