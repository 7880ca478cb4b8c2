// One quick look: how many elements a page has, and what stands before it. The words are those of the
// titles of bot checks and error pages: a page that writes about captchas is not one. `page`: of page_gates.js.
(page) => {
  const titled = (words) => words.test(page.title);
  const count = page.all('*').length;
  let gate = '';
  if (titled(/^(just a moment|attention required|verify you are human|are you a robot|checking your browser)/i)) gate = 'bot-check';
  else if (titled(/^(access denied|403 forbidden|you have been blocked)/i)) gate = 'access-denied';
  else if (titled(/^(please )?enable javascript/i)) gate = 'js-required';
  else if (count < 300 && page.showsCaptcha() && page.text().length < 1000) gate = 'captcha';
  return { count, gate, title: page.title, login: page.asksLogin() };
}
