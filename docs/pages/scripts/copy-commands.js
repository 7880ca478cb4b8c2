// The copy button of a terminal session copies its commands, without the prompt and what they print.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-clipboard-target]");
  const code = button && document.querySelector(button.dataset.clipboardTarget);
  if (!code?.querySelector(".gp")) return;
  const commands = code.cloneNode(true);
  for (const one of commands.querySelectorAll(".gp, .go")) one.remove();
  button.dataset.clipboardText = commands.textContent.replace(/\n{2,}/g, "\n").trim();
}, true);
