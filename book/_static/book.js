// On a phone, code with long lines starts folded.
document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(max-width: 576px)").matches) {
    for (const code of document.querySelectorAll("details.code")) code.open = false;
  }
});
