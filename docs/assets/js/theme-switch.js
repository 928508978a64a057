/* Material's switch between light and dark is a pair of radio buttons of which one shows: Space and Enter do nothing there,
   because the one that shows is the chosen one. Here they choose the other. */
document.addEventListener("keydown", (event) => {
  const option = event.target.closest?.(".md-option");
  if (!option || (event.key !== " " && event.key !== "Enter")) return;
  event.preventDefault();
  const other = [...option.form.elements].find((one) => one.type === "radio" && one !== option);
  other.click();
  other.focus();
});
