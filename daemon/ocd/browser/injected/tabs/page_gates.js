// What a quick look at a page needs: its elements, and whether a login or a captcha stands before it.
() => {
  // What is named like a property of the document hides it there: see documents.js.
  const of = (name) => Reflect.get(Document.prototype, name, document);
  const all = (selector) => [...of('querySelectorAll').call(document, selector)];
  const isSeen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && el.getClientRects().length > 0;
  const shows = (selector) => all(selector).some(isSeen);
  const captcha = 'iframe[src*="recaptcha"], iframe[src*="hcaptcha"], iframe[src*="arkoselabs"], iframe[src*="challenges.cloudflare.com"], .g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha';
  return {
    all,
    isSeen,
    shows,
    text: () => of('body')?.innerText ?? '',
    title: of('title').trim(),
    // Whether it asks for a password that exists already.
    asksLogin: () => shows('input[type=password]:not([autocomplete=new-password i])'),
    showsCaptcha: () => shows(captcha),
  };
}
