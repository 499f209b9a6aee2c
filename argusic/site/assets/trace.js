/* A click on a figure says by which command it is traced. Every page reads the same without it. */
(function () {
  "use strict";

  var bar, code, copy;

  function make() {
    bar = document.createElement("div");
    bar.className = "ag-trace";
    bar.setAttribute("role", "status");
    bar.append("How this figure came about, checked in a copy of the repository:");
    code = document.createElement("code");
    copy = button("Copy", function () {
      navigator.clipboard.writeText(code.textContent).then(function () { copy.textContent = "Copied"; });
    });
    if (!navigator.clipboard) copy.hidden = true;
    bar.append(code, copy, button("Close", close));
    document.body.append(bar);
  }

  function button(label, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", act);
    return made;
  }

  function close() {
    if (bar) bar.hidden = true;
  }

  document.addEventListener("click", function (event) {
    var figure = event.target.closest("[data-trace]");
    if (!figure || figure.closest("a, button, summary, label") || String(getSelection())) return;
    if (!bar) make();
    code.textContent = "argusic trace " + figure.dataset.trace;
    copy.textContent = "Copy";
    bar.hidden = false;
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") close();
  });
})();
