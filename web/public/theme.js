// Runs before the first paint and is a file of its own, because the page's
// content security policy allows no script inside the page.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("edgeposture.theme");
  } catch {
    // Storage can be forbidden; the system's theme is then the only choice.
  }
  document.documentElement.dataset.theme = theme === "light" || theme === "dark" ? theme : "system";
})();
