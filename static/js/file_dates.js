// Sends when each chosen file was last modified, and its path in a chosen folder, as <input name="modified"> and
// <input name="path">: a server gets only its name and bytes.
"use strict";

const inputs = [...document.querySelectorAll("input[type=file][data-dates]")];
const form = inputs[0]?.form;

function add(name, value) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = name;
  field.value = value;
  form.append(field);
}

form?.addEventListener("submit", () => {
  for (const old of form.querySelectorAll("input[name=modified], input[name=path]")) old.remove();
  for (const input of inputs) {
    input.disabled = input.files.length === 0; // an empty field is sent as a file without a name
    for (const file of input.files) {
      add("modified", new Date(file.lastModified).toISOString());
      add("path", file.webkitRelativePath || file.name);
    }
  }
});
window.addEventListener("pageshow", () => inputs.forEach((input) => { input.disabled = false; }));
