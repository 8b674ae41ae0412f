// Drawing: SVG and HTML elements, dice, observed symbols, links. Shapes are those of qttt/display/pictures/boards.py,
// colours are the classes of palette.css. Nothing here knows a rule.

const SVG = "http://www.w3.org/2000/svg";
export const CELL = 120;
export const MARGIN = 10;
export const SIDE = 2 * MARGIN + 3 * CELL;

/** @typedef {{shape: string, owner: string, colour: string, value: number, paint: string, letter: string, root?: number}} Die */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Give an element attributes and children. `class`, `for` and so on are attributes; no attribute is a style.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes those that are null, undefined or false are left out; true is an empty one
 * @param {Child[]} children
 * @returns {E}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map((child) => /** @type {Node | string} */ (child)));
  return element;
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/**
 * A button that does something.
 * @param {string} words
 * @param {() => void} act
 * @param {Attributes} [attributes]
 */
export function button(words, act, attributes = {}) {
  const made = html("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", act);
  return made;
}

/** @param {number} value a number with a true minus sign */
export function signed(value) {
  return String(value).replace("-", "−");
}

/** @param {number} value a number with a sign, two decimals */
export function signedNumber(value) {
  const text = Math.abs(value).toFixed(2);
  return `${value < 0 && text !== "0.00" ? "−" : "+"}${text}`;
}

/**
 * A probability in per cent, at most four figures; only what is certain says 100 %, only what cannot be says 0 %.
 * @param {number} value
 */
export function percent(value) {
  const text = (100 * value).toFixed(value > 0.0995 ? 1 : 2).replace(/\.?0+$/, "");
  if (value > 0 && text === "0") return "< 0.01 %";
  if (value < 1 - 1e-9 && text === "100") return "> 99.9 %";
  return `${text} %`;
}

/** @param {number} number 1 to 9 */
export function centre(number) {
  return { x: MARGIN + CELL * (((number - 1) % 3) + 0.5), y: MARGIN + CELL * (Math.floor((number - 1) / 3) + 0.5) };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} side
 */
function triangle(x, y, side) {
  const half = (side * Math.sqrt(3)) / 4;
  return `${x - side / 2},${y + half} ${x + side / 2},${y + half} ${x},${y - half}`;
}

/**
 * A die around a point: its outline, its signed value and the letter of its colour.
 * @param {Die} die
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @returns {SVGGElement}
 */
export function drawDie(die, x, y, size) {
  const up = die.shape === "triangle";
  const line = { class: `f-${die.paint} s-die-line`, "stroke-width": 1.6, "stroke-linejoin": "round" };
  return svg(
    "g",
    { class: "die" },
    up
      ? svg("polygon", { points: triangle(x, y, size * 1.12), ...line })
      : svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 3, ...line }),
    svg("text", { class: `f-${die.paint}-text value`, x, y: y + (up ? 0.22 : 0.1) * size, "font-size": 0.37 * size }, signed(die.value)),
    svg("text", { class: `f-${die.paint}-text`, x, y: y + (up ? 0.44 : 0.4) * size, "font-size": 0.22 * size }, die.letter),
  );
}

/**
 * The dice of one square around its centre.
 * @param {Die[]} dice
 * @param {number} x
 * @param {number} y
 * @param {number} [scale]
 */
export function drawDice(dice, x, y, scale = 1) {
  if (dice.length === 1) return [drawDie(dice[0], x, y, 58 * scale)];
  return dice.map((die, place) => {
    const side = place ? 1 : -1;
    return drawDie(die, x + side * 27 * scale, y - side * 4 * scale, 46 * scale);
  });
}

/**
 * An observed symbol: an outline without a number, unlike any die.
 * @param {string} symbol X or O
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
export function drawSymbol(symbol, x, y, size) {
  const line = { class: "s-ink symbol", fill: "none", "stroke-width": size / 11, "stroke-linejoin": "round" };
  return symbol === "X"
    ? svg("polygon", { points: triangle(x, y, size * 1.12), ...line })
    : svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, ...line });
}

/**
 * An observed board as a small picture; its words stand beside it.
 * @param {string} board nine of X, O, . and #
 * @param {number} [size]
 */
export function miniBoard(board, size = 36) {
  const picture = svg("svg", { class: "mini", viewBox: "0 0 36 36", width: size, height: size, "aria-hidden": "true" });
  picture.append(svg("rect", { class: "f-square s-muted", x: 0.4, y: 0.4, width: 35.2, height: 35.2, "stroke-width": 0.8 }));
  for (const at of [12, 24]) {
    picture.append(svg("path", { class: "s-faint", d: `M${at} 0V36M0 ${at}H36`, "stroke-width": 0.8 }));
  }
  [...board].forEach((cell, place) => {
    const x = 12 * (place % 3) + 6;
    const y = 12 * Math.floor(place / 3) + 6;
    if (cell === "#") picture.append(svg("circle", { class: "f-muted", cx: x, cy: y, r: 2.6 }));
    else if (cell !== ".") picture.append(drawSymbol(cell, x, y, 7.4));
  });
  return picture;
}

/**
 * A length for a probability.
 * @param {number} value 0 to 1
 * @param {string} paint a colour of the palette
 */
export function length(value, paint) {
  return svg(
    "svg",
    { class: "length", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "f-square", width: 100, height: 8 }),
    svg("rect", { class: `f-${paint}`, width: 100 * value, height: 8 }),
  );
}

/**
 * Replace what an element holds, and keep the focus: on the part with the same `data-key`, else where `lost` puts it.
 * @param {HTMLElement} host
 * @param {Child[]} children
 * @param {() => void} [lost]
 */
export function refill(host, children, lost = () => {}) {
  const focused = document.activeElement instanceof HTMLElement && host.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.dataset.key;
  host.replaceChildren();
  filled(host, {}, children);
  if (!focused) return;
  const again = key === undefined ? null : [...host.querySelectorAll("[data-key]")].find((part) => /** @type {HTMLElement} */ (part).dataset.key === key);
  if (again instanceof HTMLElement) again.focus();
  else lost();
}
