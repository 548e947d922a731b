// Which columns of a table are in sight: chosen by the reader, kept in the browser.
"use strict";

const HIDDEN_COLUMNS = "hidden-columns"; // in the browser's storage

function hiddenColumns() {
  try {
    return JSON.parse(localStorage.getItem(HIDDEN_COLUMNS) ?? "[]");
  } catch {
    return []; // no storage, or not ours
  }
}

function hideColumns(hidden) {
  const picker = document.querySelector(".columns");
  if (!picker) return;
  picker.hidden = false; // without script there is nothing to choose
  for (const box of picker.querySelectorAll("input")) {
    box.checked = !hidden.includes(box.value);
    picker.parentElement.querySelector("table").classList.toggle(`no-${box.value}`, !box.checked);
  }
}

document.addEventListener("change", ({ target }) => {
  const picker = target.closest?.(".columns");
  if (!picker) return;
  const hidden = [...picker.querySelectorAll("input:not(:checked)")].map((box) => box.value);
  hideColumns(hidden);
  try {
    localStorage.setItem(HIDDEN_COLUMNS, JSON.stringify(hidden));
  } catch {
    // they are hidden on this page alone
  }
});
document.addEventListener("htmx:afterSettle", () => hideColumns(hiddenColumns()));
hideColumns(hiddenColumns());
