/* Material's switch between light and dark is a pair of radio buttons. It answers to Enter; Space does nothing to the one that
   is chosen. Here it chooses the other. */
document.addEventListener("keydown", (event) => {
  const option = event.target.closest?.(".md-option");
  if (!option || event.key !== " ") return;
  event.preventDefault();
  const shown = document.body.dataset.mdColorScheme;
  const other = [...option.form.querySelectorAll(".md-option")].find((one) => one.dataset.mdColorScheme !== shown);
  other.click();
  other.focus();
});
