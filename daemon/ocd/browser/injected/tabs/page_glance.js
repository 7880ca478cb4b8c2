// One quick look: how much a page has, and what stands before it. The words are those of the gates'
// own titles: a page that writes about captchas is not one.
() => {
  // What is named like a property of the document hides it there: see documents.js.
  const of = (name) => Reflect.get(Document.prototype, name, document);
  const all = (selector) => [...of('querySelectorAll').call(document, selector)];
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && el.getClientRects().length > 0;
  const some = (selector) => all(selector).some(seen);
  const title = of('title').trim();
  const named = (words) => words.test(title);
  const widget = 'iframe[src*="recaptcha"], iframe[src*="hcaptcha"], iframe[src*="arkoselabs"], iframe[src*="challenges.cloudflare.com"], .g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha';
  const count = all('*').length;
  let gate = '';
  if (named(/^(just a moment|attention required|verify you are human|are you a robot|checking your browser)/i)) gate = 'bot-check';
  else if (named(/^(access denied|403 forbidden|you have been blocked)/i)) gate = 'access-denied';
  else if (named(/^(please )?enable javascript/i)) gate = 'js-required';
  else if (count < 300 && some(widget) && of('body').innerText.length < 1000) gate = 'captcha';
  return { count, gate, title, login: some('input[type=password]:not([autocomplete=new-password i])') };
}
