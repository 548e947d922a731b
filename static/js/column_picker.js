// Which columns of a table are in sight: chosen by the reader, kept in the browser.
"use strict";

const CHANGED_COLUMNS = "hidden-columns"; // in the browser's storage: those hidden, or shown, unlike at first

function changedColumns() {
  try {
    return JSON.parse(localStorage.getItem(CHANGED_COLUMNS) ?? "[]");
  } catch {
    return []; // no storage, or not ours
  }
}

function hideColumns(changed) {
  const picker = document.querySelector(".columns");
  if (!picker) return;
  picker.hidden = false; // without script there is nothing to choose
  for (const box of picker.querySelectorAll("input")) {
    box.checked = box.defaultChecked !== changed.includes(box.value);
    picker.parentElement.querySelector("table").classList.toggle(`no-${box.value}`, !box.checked);
  }
}

document.addEventListener("change", ({ target }) => {
  const picker = target.closest?.(".columns");
  if (!picker) return;
  const boxes = [...picker.querySelectorAll("input")];
  const changed = boxes.filter((box) => box.checked !== box.defaultChecked).map((box) => box.value);
  hideColumns(changed);
  try {
    localStorage.setItem(CHANGED_COLUMNS, JSON.stringify(changed));
  } catch {
    // they are hidden on this page alone
  }
});
document.addEventListener("htmx:afterSwap", () => hideColumns(changedColumns()));
hideColumns(changedColumns());
