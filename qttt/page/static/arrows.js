// The linked strip: a die, its amplitude as an arrow, its gates and its bar light up together. Lessons and the
// explorable use this module too, so it takes plain values and knows neither the state nor the socket.

import { html, percent, signedNumber, svg } from "./draw.js";

/**
 * An amplitude that is one arrow.
 * @typedef {object} Arrow
 * @property {number} value the amplitude, a real number from −1 to 1
 * @property {string} words what it belongs to, for example `X 2 in 5`
 * @property {string} [paint] colour of the palette
 * @property {string} [links] keys, separated by spaces, of what lights up with it
 */

const WIDE = 240;
const ROW = 15;
const HEAD = 7;

/**
 * Arrows tip to tail along one line, zero in the middle, and the arrow of their sum below them.
 *
 * @param {Arrow[]} arrows one or more
 * @param {{sum?: boolean}} [settings] `sum`: draw the sum although there is only one arrow
 * @returns {SVGSVGElement}
 */
export function arrowStrip(arrows, { sum = arrows.length > 1 } = {}) {
  const total = arrows.reduce((so_far, arrow) => so_far + arrow.value, 0);
  const reach = Math.max(1, ...partialSums(arrows).map(Math.abs));
  /** @param {number} value */
  const place = (value) => WIDE / 2 + (value / reach) * (WIDE / 2 - 8);
  const rows = arrows.length + (sum ? 1 : 0);
  const words = `${arrows.map((arrow) => signedNumber(arrow.value)).join(" ")}${sum ? ` gives ${signedNumber(total)}` : ""}`;
  const strip = svg("svg", { class: "strip", viewBox: `0 0 ${WIDE} ${rows * ROW}`, role: "img", "aria-label": words });
  strip.append(svg("path", { class: "s-faint", d: `M${WIDE / 2} 0V${rows * ROW}M${place(-1)} 0V${rows * ROW}M${place(1)} 0V${rows * ROW}` }));
  let from = 0;
  arrows.forEach((arrow, number) => {
    const row = svg("g", { "data-links": arrow.links }, svg("title", {}, `${arrow.words}: ${signedNumber(arrow.value)}`));
    row.append(...shaft(place(from), place(from + arrow.value), ROW * (number + 0.5), arrow.paint ?? "link", 4));
    strip.append(row);
    from += arrow.value;
  });
  if (sum) strip.append(svg("g", { class: "sum" }, ...shaft(place(0), place(total), ROW * (rows - 0.5), "mark", 5)));
  return strip;
}

/**
 * An amplitude in a row: what it belongs to, its arrow, its number and the bar of its chance.
 *
 * @param {Arrow} arrow
 * @param {Node | string} head what the row is about, dice or words
 * @returns {HTMLElement}
 */
export function amplitudeRow(arrow, head) {
  const chance = arrow.value ** 2;
  const bar = svg(
    "svg",
    { class: "length", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "f-square", width: 100, height: 8 }),
    svg("rect", { class: "f-bar-dice", width: 100 * chance, height: 8 }),
  );
  return html(
    "div",
    { class: "amplitude", "data-links": arrow.links },
    html("span", { class: "of" }, head),
    arrowStrip([arrow], { sum: false }),
    html("span", { class: "number" }, signedNumber(arrow.value)),
    bar,
    html("span", { class: "number" }, percent(chance)),
  );
}

/**
 * Light up together what shares a key: whatever carries `data-links`, under the pointer or with the focus.
 *
 * @param {HTMLElement} host where the linked parts are
 * @returns {(keys: string) => void} lights what has one of these keys, separated by spaces; "" puts all out
 */
export function linkParts(host) {
  /** @param {string} keys */
  const light = (keys) => {
    const wanted = new Set(keys.split(" ").filter(Boolean));
    for (const part of host.querySelectorAll("[data-links]")) {
      const own = (part.getAttribute("data-links") ?? "").split(" ");
      part.classList.toggle("lit", own.some((key) => wanted.has(key)));
    }
  };
  /** @param {Event} event */
  const enter = (event) => {
    const part = event.target instanceof Element ? event.target.closest("[data-links]") : null;
    light(part?.getAttribute("data-links") ?? "");
  };
  host.addEventListener("pointerover", enter);
  host.addEventListener("focusin", enter);
  host.addEventListener("pointerleave", () => light(""));
  host.addEventListener("focusout", () => light(""));
  return light;
}

/** @param {Arrow[]} arrows */
function partialSums(arrows) {
  let from = 0;
  return arrows.map((arrow) => (from += arrow.value));
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} y
 * @param {string} paint
 * @param {number} width
 */
function shaft(from, to, y, paint, width) {
  const way = Math.sign(to - from);
  if (Math.abs(to - from) < 0.5) return [svg("circle", { class: `f-${paint}`, cx: from, cy: y, r: 3 })];
  const head = Math.min(HEAD, Math.abs(to - from));
  return [
    svg("path", { class: `s-${paint}`, d: `M${from} ${y}H${to - way * head * 0.8}`, "stroke-width": width }),
    svg("polygon", { class: `f-${paint}`, points: `${to},${y} ${to - way * head},${y - 5.5} ${to - way * head},${y + 5.5}` }),
  ];
}
