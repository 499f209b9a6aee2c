/* The colour scheme that the reader chose on the other pages, before anything is drawn. */
(function () {
  "use strict";
  var html = document.documentElement;
  html.classList.remove("no-js");
  try {
    var root = new URL(document.currentScript.dataset.root, location.href).pathname;
    var stored = JSON.parse(localStorage.getItem(root + ".__palette") || "null");
    var media = stored && stored.color && stored.color.media;
    if (media === "(prefers-color-scheme: dark)") html.classList.add("dark");
    if (media === "(prefers-color-scheme: light)") html.classList.add("light");
  } catch (error) {
    /* Without storage the system's scheme holds. */
  }
})();
