/* Lists that sort and filter, and recordings that play in place. Every page reads the same without it. */
(function () {
  "use strict";

  function key(row, column) {
    var cell = row.cells[column];
    return "key" in cell.dataset ? cell.dataset.key : cell.textContent.trim();
  }

  function sortable(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      if (!head.dataset.sort) return;
      var button = document.createElement("button");
      button.type = "button";
      button.append.apply(button, Array.prototype.slice.call(head.childNodes));
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(function (other) { if (other.dataset.sort) other.setAttribute("aria-sort", "none"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        var body = table.tBodies[0];
        var numeric = head.dataset.sort === "number";
        Array.prototype.slice.call(body.rows)
          .map(function (row, place) { return { row: row, key: key(row, column), place: place }; })
          .sort(function (a, b) {
            var order = numeric
              ? parseFloat(a.key.replace(/,/g, "")) - parseFloat(b.key.replace(/,/g, ""))
              : a.key.localeCompare(b.key, undefined, { numeric: true });
            return (up ? order : -order) || a.place - b.place;
          })
          .forEach(function (item) { body.append(item.row); });
      });
    });
  }

  function filters(form) {
    var table = document.getElementById(form.dataset.filters);
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    var shown = form.querySelector("[data-shown]");
    var none = document.querySelector("[data-none]");
    var wanted = new URLSearchParams(location.search);
    form.elements.q.value = wanted.get("q") || "";
    form.querySelectorAll("[name=verdict]").forEach(function (box) { box.checked = wanted.getAll("verdict").indexOf(box.value) >= 0; });
    if (form.elements.kind) form.elements.kind.value = wanted.get("kind") || "";

    function apply() {
      var words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
      var verdicts = Array.prototype.slice.call(form.querySelectorAll("[name=verdict]:checked")).map(function (box) { return box.value; });
      var kind = form.elements.kind ? form.elements.kind.value : "";
      var count = 0;
      rows.forEach(function (row) {
        var text = row.cells[0].textContent.toLowerCase();
        var fits = words.every(function (word) { return text.indexOf(word) >= 0; })
          && (!verdicts.length || verdicts.indexOf(row.dataset.verdict) >= 0)
          && (!kind || row.dataset.kind === kind);
        row.hidden = !fits;
        count += fits;
      });
      shown.textContent = count + (count === 1 ? " subject" : " subjects");
      none.hidden = count > 0;
      var query = new URLSearchParams();
      if (form.elements.q.value) query.set("q", form.elements.q.value);
      verdicts.forEach(function (verdict) { query.append("verdict", verdict); });
      if (kind) query.set("kind", kind);
      if (location.protocol !== "file:") history.replaceState(null, "", location.pathname + (String(query) && "?" + query));
    }

    form.addEventListener("input", apply);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    apply();
  }

  /* The player is fetched when the first recording is to be played, and not before. */
  function load(names, base, done) {
    if (!names.length) return done();
    var script = document.createElement("script");
    script.src = base + names[0];
    script.onload = function () { load(names.slice(1), base, done); };
    document.head.append(script);
  }

  var here = document.currentScript.src.replace(/argusic\/argusic\.js.*$/, "");

  function playable(button) {
    button.addEventListener("click", function () {
      var place = button.closest(".ag-run").querySelector(".ag-player");
      button.disabled = true;
      load(window.argusicPlayer ? [] : ["player/asciinema-player.min.js", "argusic/player.js"], here, function () {
        window.argusicPlayer.open(place, { autoPlay: true }, function (player) {
          button.hidden = true;
          player.play();
        });
      });
    });
  }

  /* A link to a run, or to something inside one of its folded parts, opens what holds it. */
  function unfold() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  document.querySelectorAll("form[data-filters]").forEach(filters);
  document.querySelectorAll("[data-play]").forEach(playable);
  window.addEventListener("hashchange", unfold);
  unfold();
})();
