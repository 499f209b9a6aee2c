/* The colour scheme that the reader chose on the other pages, before anything is drawn. */
(function () {
  "use strict";
  var html = document.documentElement;
  html.classList.remove("no-js");
  var dark = matchMedia("(prefers-color-scheme: dark)");
  var chosen = null;
  try {
    var root = new URL(document.currentScript.dataset.root, location.href).pathname;
    var stored = JSON.parse(localStorage.getItem(root + ".__palette") || "null");
    chosen = stored && stored.color && stored.color.media;
  } catch (error) {
    /* Without storage the system's scheme holds. */
  }
  function apply() {
    var isDark = chosen === "(prefers-color-scheme: dark)" || (chosen !== "(prefers-color-scheme: light)" && dark.matches);
    html.dataset.mdColorScheme = isDark ? "slate" : "default";
  }
  dark.addEventListener("change", apply);
  apply();
})();
