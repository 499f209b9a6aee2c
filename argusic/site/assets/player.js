/* Plays the recording of a run. The place comes from ?t= or #t=, in seconds; the commands follow the playing. */
(function () {
  "use strict";

  /* Pauses are never shortened: links name seconds of the recording, and the player would move them. */
  var REAL_TIME = 1e9;

  function asked() {
    var found = /[?&#]t=([0-9.]+)/.exec(location.hash) || /[?&#]t=([0-9.]+)/.exec(location.search);
    var seconds = found ? parseFloat(found[1]) : NaN;
    return isFinite(seconds) ? seconds : null;
  }

  /* A browser reads no file for a page that itself came from a disk; a script is an exception. */
  function source(place, done) {
    if (location.protocol !== "file:" || !place.dataset.sidecar) return done(place.dataset.cast);
    var script = document.createElement("script");
    script.src = place.dataset.sidecar;
    script.onload = function () { done({ data: window.argusicRecording }); };
    document.head.append(script);
  }

  function open(place, options, ready) {
    source(place, function (recording) {
      var player = AsciinemaPlayer.create(recording, place, Object.assign({
        fit: "width", idleTimeLimit: REAL_TIME, preload: true, controls: true, terminalFontSize: "small",
        theme: "asciinema", terminalFontFamily: "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
      }, options));
      player.el.setAttribute("aria-label", place.dataset.label);
      ready(player);
    });
  }

  window.argusicPlayer = { open: open };
  var stage = document.getElementById("player");
  if (!stage) return;

  var rows = Array.prototype.slice.call(document.querySelectorAll(".commands li[data-at]"));
  var start = asked();
  open(stage, {
    startAt: start || 0,
    autoPlay: start !== null,
    poster: start === null ? "npt:0:02" : undefined,
    markers: rows.map(function (row) { return [parseFloat(row.dataset.at), row.querySelector("code").textContent.slice(0, 60)]; })
  }, function (player) {
    window.argusicPlayer.player = player;
    function seek(seconds) {
      Promise.resolve(player.seek(seconds)).then(function () { player.play(); });
      stage.scrollIntoView({ block: "nearest" });
    }
    rows.forEach(function (row) {
      row.querySelector("a").addEventListener("click", function (event) {
        event.preventDefault();
        history.replaceState(null, "", "?t=" + row.dataset.at);
        seek(parseFloat(row.dataset.at));
      });
    });
    window.addEventListener("hashchange", function () { if (asked() !== null) seek(asked()); });
    setInterval(function () {
      Promise.resolve(player.getCurrentTime()).then(function (now) {
        var current = null;
        rows.forEach(function (row) { if (parseFloat(row.dataset.at) <= now + 0.05) current = row; });
        rows.forEach(function (row) { row.classList.toggle("now", row === current && now > 0); });
      });
    }, 500);
  });
})();
