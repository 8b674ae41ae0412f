// A circuit as a picture: wires, and on them boxes or gates from left to right.

import { svg } from "./draw.js";

/** @typedef {{label: string, qubits: number[], links?: string}} Part */

const ROW = 30;
const GAP = 10;
const LEFT = 58;

/** Names of gates whose first qubits only control. */
const CONTROLS = /** @type {Record<string, number>} */ ({ cx: 1, cz: 1, cy: 1, ch: 1, cp: 1, crx: 1, cry: 1, crz: 1, ccx: 2, ccz: 2, cswap: 1 });

/**
 * The columns of parts, each as far left as those before it on its wires allow.
 * @param {Part[]} parts
 * @param {Map<number, number>} rows
 */
function columns(parts, rows) {
  const free = new Array(rows.size).fill(0);
  return parts.map((part) => {
    const taken = part.qubits.map((qubit) => rows.get(qubit) ?? 0);
    const span = free.slice(Math.min(...taken), Math.max(...taken) + 1);
    const column = Math.max(0, ...span);
    for (let row = Math.min(...taken); row <= Math.max(...taken); row++) free[row] = column + 1;
    return column;
  });
}

/**
 * Draw parts on the wires that they use.
 * @param {{label: string}[]} qubits names of all qubits
 * @param {Part[]} parts from left to right
 * @param {string} words what the picture shows
 * @returns {SVGSVGElement}
 */
export function drawCircuit(qubits, parts, words) {
  const used = [...new Set(parts.flatMap((part) => part.qubits))].sort((a, b) => a - b);
  const rows = new Map(used.map((qubit, row) => [qubit, row]));
  const places = columns(parts, rows);
  const widths = parts.reduce((found, part, number) => {
    found[places[number]] = Math.max(found[places[number]] ?? 0, 14 + 7.4 * part.label.length, 30);
    return found;
  }, /** @type {number[]} */ ([]));
  const starts = widths.map((_, column) => LEFT + widths.slice(0, column).reduce((sum, width) => sum + width + GAP, 0));
  const width = LEFT + widths.reduce((sum, wide) => sum + wide + GAP, 0);
  const height = Math.max(1, used.length) * ROW;
  const picture = svg("svg", { class: "circuit", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words });
  used.forEach((qubit, row) => {
    const y = ROW * (row + 0.5);
    picture.append(
      svg("path", { class: "s-muted", d: `M${LEFT - 6} ${y}H${width}` }),
      svg("text", { class: "f-ink end", x: LEFT - 10, y: y + 4, "font-size": 11 }, qubits[qubit].label),
    );
  });
  parts.forEach((part, number) => {
    const taken = part.qubits.map((qubit) => rows.get(qubit) ?? 0);
    const controls = taken.slice(0, CONTROLS[part.label] ?? 0);
    const targets = taken.slice(controls.length);
    const x = starts[places[number]];
    const wide = widths[places[number]];
    const [top, bottom] = [Math.min(...targets), Math.max(...targets)];
    const box = svg("g", { class: "part", "data-links": part.links });
    if (controls.length > 0) {
      const rowsOf = [...controls, ...targets];
      box.append(svg("path", { class: "s-box-line", d: `M${x + wide / 2} ${ROW * (Math.min(...rowsOf) + 0.5)}V${ROW * (Math.max(...rowsOf) + 0.5)}` }));
      for (const row of controls) box.append(svg("circle", { class: "f-box-line", cx: x + wide / 2, cy: ROW * (row + 0.5), r: 4 }));
    }
    box.append(
      svg("rect", { class: "f-box s-box-line", x, y: ROW * top + 4, width: wide, height: ROW * (bottom - top + 1) - 8, rx: 4 }),
      svg("text", { class: "f-ink middle", x: x + wide / 2, y: ROW * ((top + bottom) / 2 + 0.5) + 4, "font-size": 12 }, part.label),
    );
    // A box may span wires that it leaves alone: those that it acts on have a mark at its edge.
    if (targets.length < bottom - top + 1) {
      for (const row of targets) box.append(svg("circle", { class: "f-box-line", cx: x, cy: ROW * (row + 0.5), r: 2.5 }));
    }
    picture.append(box);
  });
  return picture;
}
