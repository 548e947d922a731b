// Forms that act at once send no empty fields: the address is what a reader would write.
"use strict";

document.addEventListener("htmx:configRequest", ({ detail }) => {
  for (const [name, value] of Object.entries(detail.parameters)) if (value === "") delete detail.parameters[name];
});
