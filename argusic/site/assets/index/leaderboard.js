/* Filters of the leaderboard: by name, by weights, by category. The page reads the same without them. */
(function () {
  "use strict";
  var form = document.querySelector("form[data-index-filters]");
  if (!form) return;
  var table = document.getElementById(form.dataset.indexFilters);
  var body = table.tBodies[0];
  var rows = Array.prototype.slice.call(body.rows);
  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  var shown = form.querySelector("[data-shown]");
  var none = document.querySelector("[data-none]");
  var wanted = new URLSearchParams(location.search);
  var last = "";

  form.elements.q.value = wanted.get("q") || "";
  form.elements.both.checked = wanted.get("both") === "1";
  ["weights", "category"].forEach(function (name) {
    form.elements[name].value = wanted.get(name) || "";
    if (form.elements[name].value !== (wanted.get(name) || "")) form.elements[name].value = "";
  });

  function text(row) {
    return row.cells[1].textContent.toLowerCase();
  }

  /* A category that has scores of its own puts its best first; leaving it restores the order of the scores. */
  function order(category) {
    if (category === last) return;
    last = category;
    var column = heads.findIndex(function (head) { return head.dataset.domain === category; });
    heads.forEach(function (head, place) {
      rows.forEach(function (row) { row.cells[place].classList.toggle("ix-wanted", column >= 0 && place === column); });
      if (head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", place === column ? "descending" : "none");
    });
    var sorted = rows.slice();
    if (column >= 0) {
      sorted.sort(function (a, b) {
        return parseFloat(b.cells[column].dataset.key) - parseFloat(a.cells[column].dataset.key);
      });
    }
    sorted.forEach(function (row) { body.append(row); });
    toggleSorted(column >= 0);
  }

  function toggleSorted(is) {
    if (is) table.dataset.sorted = ""; else delete table.dataset.sorted;
  }

  function apply() {
    var words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    var weights = form.elements.weights.value;
    var category = form.elements.category.value;
    var count = 0;
    order(category);
    rows.forEach(function (row) {
      var content = text(row);
      var fits = words.every(function (word) { return content.indexOf(word) >= 0; })
        && (!weights || row.dataset.weights === weights)
        && (!category || row.dataset.categories.split(" ").indexOf(category) >= 0);
      row.hidden = !fits;
      count += fits;
    });
    table.dataset.field = weights === "open" ? "open" : "all";
    var head = heads[0];
    head.querySelector(".ix-all").hidden = weights === "open";
    head.querySelector(".ix-open-field").hidden = weights !== "open";
    shown.textContent = count + (count === 1 ? " model" : " models");
    none.hidden = count > 0;
    var query = new URLSearchParams();
    if (form.elements.q.value) query.set("q", form.elements.q.value);
    if (weights) query.set("weights", weights);
    if (category) query.set("category", category);
    if (form.elements.both.checked) query.set("both", "1");
    if (location.protocol !== "file:") history.replaceState(null, "", location.pathname + (String(query) && "?" + query) + location.hash);
  }

  heads.forEach(function (head) {
    head.addEventListener("click", function () {
      toggleSorted(!(head.classList.contains("ag-rank") && head.getAttribute("aria-sort") === "ascending"));
    });
  });
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  apply();
})();
