// One look at a loaded page: what it has, whether it is blank, and what stands before it. `page`: of page_gates.js.
(page, most) => {
  const { all, isSeen } = page;
  const text = page.text().trim();
  const gates = [];
  if (page.asksLogin()) gates.push('login');
  if (page.showsCaptcha()) gates.push('captcha');
  if (/^(just a moment|attention required|access denied|verify you are human|are you a robot)/i.test(page.title)) gates.push('bot_check');
  const pictures = 'img, picture, canvas, svg, video, audio, iframe, embed, object, input, select, textarea, button';
  return {
    interactive_count: all('a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=tab], [role=menuitem], [contenteditable=""], [contenteditable=true], [tabindex]:not([tabindex="-1"])').filter(isSeen).length,
    form_count: all('form').length,
    has_canvas: all('canvas').length > 0,
    has_iframe: all('iframe, frame').length > 0,
    blank: text === '' && !page.shows(pictures),
    gates,
    text: text.slice(0, most),
  };
}
