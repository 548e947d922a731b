// Forms that act at once send no empty fields: the address is what a reader would write.
"use strict";

let before = null; // what of a swapped part of the form was in use: the box with the focus, and the lists that were open

document.addEventListener("htmx:configRequest", ({ detail }) => {
  for (const [name, value] of Object.entries(detail.parameters)) if (value === "") delete detail.parameters[name];
});

document.addEventListener("htmx:oobBeforeSwap", ({ detail: { target } }) => {
  const { name, value } = target.contains(document.activeElement) ? document.activeElement : {};
  const open = [...target.querySelectorAll("fieldset:has(details[open]) > legend")].map((legend) => legend.textContent);
  before = { name, value, open };
});

document.addEventListener("htmx:oobAfterSwap", () => {
  for (const legend of document.querySelectorAll("fieldset:has(details) > legend")) {
    if (before.open.includes(legend.textContent)) legend.parentNode.querySelector("details").open = true;
  }
  if (!before.name) return;
  const boxes = [...document.getElementsByName(before.name)];
  (boxes.find((box) => box.value === before.value) ?? boxes[0])?.focus({ preventScroll: true });
});
