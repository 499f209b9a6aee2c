/* The fit of the index once more, with some benchmarks left out. Numbers alone: a page or Node runs it.

   A result y of ability t on a benchmark with difficulty b and discrimination a = exp(alpha) is expected at
   p = 1 / (1 + exp(-a (t - b))). What is minimised is the posterior's negative logarithm, as in
   argusic/leaderboards/index/objective.py, by the same damped Gauss-Newton steps with the abilities eliminated. */
(function (root, make) {
  "use strict";
  if (typeof module === "object" && module.exports) module.exports = make();
  else root.argusicRefit = make();
})(typeof self === "undefined" ? this : self, function () {
  "use strict";

  var ENOUGH = 1e-7, MOST_STEPS = 400;

  function sigmoid(z) {
    return z >= 0 ? 1 / (1 + Math.exp(-z)) : 1 - 1 / (1 + Math.exp(z));
  }

  /* The results that are left, in rows sorted by model; `keep` says of each benchmark whether it stays. */
  function rows(data, keep) {
    var starts = [0], item = [], y = [];
    data.results.forEach(function (pairs) {
      for (var at = 0; at < pairs.length; at += 2) {
        if (keep[pairs[at]]) { item.push(pairs[at]); y.push(pairs[at + 1] / data.scale); }
      }
      starts.push(item.length);
    });
    return { starts: starts, item: item, y: y };
  }

  /* First and second derivative of a result's part along z. */
  function along(options, p, y) {
    var w = p * (1 - p);
    if (options.likelihood === "bernoulli") return [p - y, w];
    var scale = options.sigma * options.sigma;
    return [(p - y) * w / scale, w * w / scale];
  }

  function part(options, z, y) {
    if (options.likelihood === "bernoulli") return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - y * z;
    var off = (sigmoid(z) - y) / options.sigma;
    return 0.5 * off * off;
  }

  /* Each ability by itself, the benchmarks' parameters held: the highest peak, then Newton's steps. */
  function held(data, keep) {
    var left = rows(data, keep), options = data.options, b = data.benchmarks.difficulty;
    var a = data.benchmarks.alpha.map(Math.exp), prior = 1 / (options.theta_sd * options.theta_sd);
    var count = left.starts.length - 1, theta = new Float64Array(count), left_of = new Int32Array(count);
    function value(first, last, t) {
      var sum = 0.5 * prior * t * t;
      for (var at = first; at < last; at++) sum += part(options, a[left.item[at]] * (t - b[left.item[at]]), left.y[at]);
      return sum;
    }
    for (var i = 0; i < count; i++) {
      var first = left.starts[i], last = left.starts[i + 1], t = 0, lowest = Infinity, grid, found;
      left_of[i] = last - first;
      if (first === last) { theta[i] = NaN; continue; }
      for (grid = -32; grid <= 32; grid++) {
        found = value(first, last, 0.25 * grid * options.theta_sd);
        if (found < lowest) { lowest = found; t = 0.25 * grid * options.theta_sd; }
      }
      for (var step = 0; step < 100; step++) {
        var g = prior * t, h = prior;
        for (var at = first; at < last; at++) {
          var j = left.item[at], both = along(options, sigmoid(a[j] * (t - b[j])), left.y[at]);
          g += both[0] * a[j];
          h += both[1] * a[j] * a[j];
        }
        var move = g / h;
        while (value(first, last, t - move) > lowest + 1e-12 && Math.abs(move) > 1e-12) move /= 2;
        t -= move;
        lowest = Math.min(lowest, value(first, last, t));
        if (Math.abs(move) < 1e-10) break;
      }
      theta[i] = t;
    }
    return { theta: theta, left: left_of, steps: 0 };
  }

  /* Everything anew, with nothing held. */
  function free(data, keep) {
    var left = rows(data, keep), options = data.options;
    var models = left.starts.length - 1, items = data.benchmarks.difficulty.length, n = 2 * items;
    var at = {
      theta: Float64Array.from(data.models.theta),
      b: Float64Array.from(data.benchmarks.difficulty),
      alpha: Float64Array.from(data.benchmarks.alpha),
    };
    var prior = [options.theta_sd, options.difficulty_sd, options.log_discrimination_sd].map(function (sd) { return 1 / (sd * sd); });
    var left_of = new Int32Array(models);
    for (var i = 0; i < models; i++) left_of[i] = left.starts[i + 1] - left.starts[i];

    function value(p) {
      var sum = 0, i, j, r;
      for (i = 0; i < models; i++) {
        sum += 0.5 * prior[0] * p.theta[i] * p.theta[i];
        for (r = left.starts[i]; r < left.starts[i + 1]; r++) {
          j = left.item[r];
          sum += part(options, Math.exp(p.alpha[j]) * (p.theta[i] - p.b[j]), left.y[r]);
        }
      }
      for (j = 0; j < items; j++) sum += 0.5 * (prior[1] * p.b[j] * p.b[j] + prior[2] * p.alpha[j] * p.alpha[j]);
      return sum;
    }

    /* Slopes, the abilities' diagonal, the benchmarks' blocks and, of each result, what ties the two. */
    function system(p) {
      var made = {
        theta: new Float64Array(models), d: new Float64Array(models), item: new Float64Array(n), largest: 0,
        bb: new Float64Array(items), aa: new Float64Array(items), ba: new Float64Array(items),
        mb: new Float64Array(left.item.length), ma: new Float64Array(left.item.length),
      };
      for (var j = 0; j < items; j++) {
        made.item[j] = prior[1] * p.b[j]; made.bb[j] = prior[1];
        made.item[items + j] = prior[2] * p.alpha[j]; made.aa[j] = prior[2];
      }
      for (var i = 0; i < models; i++) {
        made.theta[i] = prior[0] * p.theta[i]; made.d[i] = prior[0];
        for (var r = left.starts[i]; r < left.starts[i + 1]; r++) {
          var k = left.item[r], a = Math.exp(p.alpha[k]), z = a * (p.theta[i] - p.b[k]);
          var both = along(options, sigmoid(z), left.y[r]), slope = both[0], bend = both[1];
          made.theta[i] += slope * a; made.item[k] -= slope * a; made.item[items + k] += slope * z;
          made.d[i] += bend * a * a; made.bb[k] += bend * a * a; made.aa[k] += bend * z * z; made.ba[k] -= bend * a * z;
          made.mb[r] = -bend * a * a; made.ma[r] = bend * a * z;
        }
      }
      [made.theta, made.item].forEach(function (slopes) {
        slopes.forEach(function (slope) { made.largest = Math.max(made.largest, Math.abs(slope)); });
      });
      return made;
    }

    function moved(p, made, damping) {
      var more = 1 + damping, s = new Float64Array(n * n), right = Float64Array.from(made.item), i, j, r, q;
      for (j = 0; j < items; j++) {
        s[j * n + j] = made.bb[j] * more;
        s[(items + j) * n + items + j] = made.aa[j] * more;
        s[(items + j) * n + j] = made.ba[j];
      }
      /* Only the lower triangle is kept. */
      for (i = 0; i < models; i++) {
        var d = made.d[i] * more, first = left.starts[i], last = left.starts[i + 1];
        for (r = first; r < last; r++) {
          var x = left.item[r];
          right[x] -= made.mb[r] * made.theta[i] / d;
          right[items + x] -= made.ma[r] * made.theta[i] / d;
          for (q = first; q < last; q++) {
            var w = left.item[q];
            if (w <= x) {
              s[x * n + w] -= made.mb[r] * made.mb[q] / d;
              s[(items + x) * n + items + w] -= made.ma[r] * made.ma[q] / d;
            }
            s[(items + x) * n + w] -= made.ma[r] * made.mb[q] / d;
          }
        }
      }
      if (!cholesky(s, n)) return null;
      substitute(s, n, right);
      var next = { theta: new Float64Array(models), b: new Float64Array(items), alpha: new Float64Array(items) };
      for (j = 0; j < items; j++) { next.b[j] = p.b[j] - right[j]; next.alpha[j] = p.alpha[j] - right[items + j]; }
      for (i = 0; i < models; i++) {
        var sum = made.theta[i];
        for (r = left.starts[i]; r < left.starts[i + 1]; r++) {
          sum -= made.mb[r] * right[left.item[r]] + made.ma[r] * right[items + left.item[r]];
        }
        next.theta[i] = p.theta[i] - sum / (made.d[i] * more);
      }
      return next;
    }

    var damping = 1e-3, here = value(at), steps = 0, made = system(at);
    while (made.largest > ENOUGH && steps < MOST_STEPS && damping < 1e12) {
      steps += 1;
      var next = moved(at, made, damping), there = next ? value(next) : Infinity;
      if (there <= here + 1e-12 * Math.abs(here)) {
        at = next; here = there; damping = Math.max(damping / 10, 1e-12); made = system(at);
      } else damping *= 10;
    }
    for (i = 0; i < models; i++) if (!left_of[i]) at.theta[i] = NaN;
    return { theta: at.theta, left: left_of, steps: steps, gradient: made.largest, difficulty: at.b, alpha: at.alpha };
  }

  /* Factorise in place, the lower triangle alone; false where it is not positive definite. */
  function cholesky(s, n) {
    for (var j = 0; j < n; j++) {
      var pivot = s[j * n + j], k, i, sum;
      for (k = 0; k < j; k++) pivot -= s[j * n + k] * s[j * n + k];
      if (!(pivot > 0)) return false;
      pivot = Math.sqrt(pivot);
      s[j * n + j] = pivot;
      for (i = j + 1; i < n; i++) {
        sum = s[i * n + j];
        for (k = 0; k < j; k++) sum -= s[i * n + k] * s[j * n + k];
        s[i * n + j] = sum / pivot;
      }
    }
    return true;
  }

  function substitute(s, n, x) {
    var i, k;
    for (i = 0; i < n; i++) {
      for (k = 0; k < i; k++) x[i] -= s[i * n + k] * x[k];
      x[i] /= s[i * n + i];
    }
    for (i = n - 1; i >= 0; i--) {
      for (k = i + 1; k < n; k++) x[i] -= s[k * n + i] * x[k];
      x[i] /= s[i * n + i];
    }
  }

  return { held: held, free: free };
});
