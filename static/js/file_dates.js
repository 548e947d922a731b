// Sends when each chosen file was last modified, as <input name="modified">: a server gets only its name and bytes.
"use strict";

for (const chosen of document.querySelectorAll("input[type=file][data-dates]")) {
  chosen.form.addEventListener("submit", () => {
    for (const old of chosen.form.querySelectorAll("input[name=modified]")) old.remove();
    for (const file of chosen.files) {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = "modified";
      field.value = new Date(file.lastModified).toISOString();
      chosen.form.append(field);
    }
  });
}
