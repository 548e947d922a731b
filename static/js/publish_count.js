// Keeps the numbers of "Publish 17, skip 3" right while files are checked and unchecked.
"use strict";

const button = document.querySelector("[data-publish]");
const boxes = [...document.querySelectorAll("input[name^=chosen-]")];

if (button) {
  const skippedAtFirst = Number(/skip (\d+)/.exec(button.textContent)?.[1] ?? 0);
  const ready = boxes.filter((box) => "ready" in box.dataset);
  addEventListener("change", (event) => {
    if (!boxes.includes(event.target)) return;
    const left = ready.filter((box) => !box.checked).length;
    const skipped = skippedAtFirst + left;
    button.textContent = `Publish ${ready.length - left}${skipped ? `, skip ${skipped}` : ""}`;
  });
}
