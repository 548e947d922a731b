// The key "/" leads to the search box, where nothing is being typed.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.isContentEditable || event.target.matches?.("input, select, textarea")) return;
  const boxes = [...document.querySelectorAll('input[type="search"][name="q"]')];
  const box = boxes.find(isShown) ?? inMenu(boxes);
  if (!box) return;
  event.preventDefault();
  box.focus();
  box.select();
});

function isShown(box) {
  return box.offsetParent !== null && !box.closest("details:not([open])");
}

/** On a narrow screen the box is in the menu, which is opened. */
function inMenu(boxes) {
  const box = boxes.find((each) => each.closest("details"));
  box?.closest("details").setAttribute("open", "");
  return box;
}
