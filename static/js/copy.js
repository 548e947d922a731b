// Buttons that copy the text of a field: <button data-copies="id of the field" hidden>.
"use strict";

for (const button of document.querySelectorAll("[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  const label = [...button.childNodes];
  button.hidden = false;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C"; // without HTTPS a browser gives no access; the text is selected
    }
    setTimeout(() => { button.replaceChildren(...label); }, 3000);
  });
}
