/* Drop a benchmark and see: boxes for the benchmarks, and the ranking without those that are unticked. */
(function () {
  "use strict";
  var page = document.querySelector("[data-drop]"), data = window.argusicIndex, refit = window.argusicRefit;
  if (!page) return;
  var says = page.querySelector("[data-says]");
  if (!data || !refit) { says.textContent = "The data of the index could not be loaded."; return; }
  var form = page.querySelector("form"), body = page.querySelector("[data-rows]"), boxes = page.querySelector("[data-boxes]");
  var all = data.benchmarks.id.map(function () { return true; });
  var before = { held: refit.held(data, all), free: null };
  var wanted = new URLSearchParams(location.search), MOST = 400, waiting = 0;

  /* A unit of ability is 25 points, and an ability of 0 is 100, as everywhere. */
  function score(theta) {
    return data.origin + data.unit * theta;
  }

  function make(tag, text, className) {
    var made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function signed(value) {
    var shown = Math.abs(value).toFixed(1);
    return shown === "0.0" ? shown : (value < 0 ? "\u2212" : "+") + shown;
  }

  function fill() {
    var counts = data.benchmarks.id.map(function () { return 0; });
    data.results.forEach(function (pairs) { for (var at = 0; at < pairs.length; at += 2) counts[pairs[at]] += 1; });
    var categories = Array.from(new Set(data.benchmarks.category)).sort();
    categories.forEach(function (category) {
      var set = make("fieldset");
      set.append(make("legend", category));
      data.benchmarks.category.forEach(function (of, place) {
        if (of !== category) return;
        var label = make("label"), box = make("input");
        box.type = "checkbox";
        box.name = "b";
        box.value = String(place);
        box.checked = wanted.getAll("drop").indexOf(data.benchmarks.id[place]) < 0;
        label.append(box, make("span", data.benchmarks.name[place]), make("span", counts[place] + " results", "ag-quiet"));
        set.append(label);
      });
      boxes.append(set);
    });
    if (wanted.get("mode") === "free") form.elements.mode.value = "free";
    if (wanted.get("field") === "open") form.elements.field.value = "open";
  }

  function places(theta, field) {
    var order = field.slice().sort(function (one, other) { return theta[other] - theta[one] || one - other; });
    var found = {};
    order.forEach(function (model, place) { found[model] = place; });
    return found;
  }

  function draw() {
    var ticked = new Set(Array.from(boxes.querySelectorAll("input:checked"), function (box) { return Number(box.value); }));
    var keep = data.benchmarks.id.map(function (_, place) { return ticked.has(place); });
    var mode = form.elements.mode.value, open = form.elements.field.value === "open";
    if (!before[mode]) before[mode] = refit[mode](data, all);
    var began = performance.now();
    var now = ticked.size === all.length ? before[mode] : refit[mode](data, keep);
    var took = performance.now() - began;
    var field = data.models.name.map(function (_, model) { return model; }).filter(function (model) {
      return data.models.ranked[model] && (!open || data.models.open[model]);
    });
    var was = places(before[mode].theta, field);
    var scored = field.filter(function (model) { return !Number.isNaN(now.theta[model]); });
    var is = places(now.theta, scored), kept = places(before[mode].theta, scored);
    var lost = field.filter(function (model) { return Number.isNaN(now.theta[model]); });
    var order = scored.sort(function (one, other) { return is[one] - is[other]; }).concat(lost.sort(function (one, other) { return was[one] - was[other]; }));
    body.replaceChildren();
    order.slice(0, MOST).forEach(function (model) {
      var row = make("tr"), name = make("th"), link = make("a", data.models.name[model]);
      link.href = "of/" + data.models.page[model] + ".html";
      name.scope = "row";
      name.append(link);
      var gone = Number.isNaN(now.theta[model]), change = gone ? 0 : data.unit * (now.theta[model] - before[mode].theta[model]);
      var places = gone ? 0 : kept[model] - is[model];
      row.append(
        name,
        make("td", score(before[mode].theta[model]).toFixed(1), "ag-number"),
        make("td", gone ? "no result left" : score(now.theta[model]).toFixed(1), "ag-number"),
        make("td", gone ? "" : signed(change), "ag-number" + (change >= 0.05 ? " ix-up" : change <= -0.05 ? " ix-down" : "")),
        make("td", !places ? "" : (places > 0 ? "up " : "down ") + Math.abs(places), "ag-number" + (places > 0 ? " ix-up" : " ix-down")),
        make("td", String(now.left[model]), "ag-number")
      );
      body.append(row);
    });
    var dropped = all.length - ticked.size;
    var furthest = scored.reduce(function (most, model) { return Math.max(most, Math.abs(data.unit * (now.theta[model] - before[mode].theta[model]))); }, 0);
    says.textContent = dropped === 0
      ? "Nothing is dropped. Untick a benchmark."
      : dropped + (dropped === 1 ? " benchmark is" : " benchmarks are") + " dropped: the furthest that a model moves is " + furthest.toFixed(1)
        + " points. Fitted in " + Math.max(1, Math.round(took)) + " ms.";
    remember(keep, mode, open);
  }

  function remember(keep, mode, open) {
    if (location.protocol === "file:") return;
    var query = new URLSearchParams();
    data.benchmarks.id.forEach(function (id, place) { if (!keep[place]) query.append("drop", id); });
    if (mode !== "held") query.set("mode", mode);
    if (open) query.set("field", "open");
    history.replaceState(null, "", location.pathname + (String(query) && "?" + query));
  }

  /* Whoever reads this can see that the browser fits as the program does. */
  function check() {
    var most = 0;
    before.held.theta.forEach(function (theta, model) {
      if (data.models.ranked[model]) most = Math.max(most, data.unit * Math.abs(theta - data.models.theta[model]));
    });
    page.querySelector("[data-check]").textContent = "With nothing dropped, the scores fitted in this browser differ from the published ones by "
      + most.toFixed(4) + " points at most.";
  }

  function later() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  }

  function tick(is) {
    boxes.querySelectorAll("input").forEach(function (box) { box.checked = is; });
    later();
  }

  form.addEventListener("input", later);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  page.querySelector("[data-all]").addEventListener("click", function () { tick(true); });
  page.querySelector("[data-none-of]").addEventListener("click", function () { tick(false); });
  fill();
  check();
  draw();
})();
