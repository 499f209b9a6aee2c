/* Shows one curve among all, that of the benchmark which the pointer or the keyboard is at. */
(function () {
  "use strict";
  var page = document.querySelector("[data-curves]");
  if (!page) return;

  function show(name) {
    page.querySelectorAll(".ix-shown").forEach(function (path) { path.classList.remove("ix-shown"); });
    var path = name && document.getElementById(name);
    if (!path) return;
    path.classList.add("ix-shown");
    path.parentNode.append(path);
  }

  page.querySelectorAll("[data-curve]").forEach(function (link) {
    link.addEventListener("pointerenter", function () { show(link.dataset.curve); });
    link.addEventListener("focus", function () { show(link.dataset.curve); });
    link.addEventListener("pointerleave", function () { show(""); });
    link.addEventListener("blur", function () { show(""); });
  });
})();
