// A stretch dragged in a chart over time fills in the form of its window and sends it; without script one types it.
"use strict";

for (const form of document.querySelectorAll("form[data-brush]")) {
  const hint = form.parentNode.querySelector("[data-brush-hint]");
  if (hint && !matchMedia("(pointer: coarse)").matches) hint.hidden = false;
}

document.addEventListener("chart:selected", (event) => {
  const form = document.querySelector(`form[data-brush="${event.target.id}"]`);
  if (!form) return;
  const [from, to] = event.detail.x;
  // to the millisecond, as logs print it; never before the start, never past what the server takes as the end
  form.elements.from.value = Math.max(0, Math.round(from * 1000) / 1000);
  form.elements.to.value = Math.min(Number(form.dataset.end), Math.round(to * 1000) / 1000);
  form.requestSubmit();
});
