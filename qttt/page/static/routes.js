// Where a link between two squares runs: beside dice and words, bent as little as it can be.

import { CELL, SIDE, centre } from "./draw.js";

/** @typedef {import("./types").State} State */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {[number, number, number, number]} Span left, top, right, bottom */

const SAMPLES = 24;
const STEP = 22;

/**
 * Where the dice of a square are, and where its words are.
 * @param {State} state
 * @param {number} square
 * @returns {{dice: Span | null, words: Span[]}}
 */
function taken(state, square) {
  const { x, y } = centre(square);
  const { dice, open_to } = state.dice.squares[square - 1];
  const half = dice.length === 1 ? 33 : 53;
  const label = 2.9 * state.picture[square - 1].label.length;
  /** @type {Span[]} */
  const words = [[x - CELL / 2 + 5, y - CELL / 2 + 5, x - CELL / 2 + 19, y - CELL / 2 + 20]];
  if (label > 0) words.push([x - label, y + CELL / 2 - 22, x + label, y + CELL / 2 - 2]);
  if (open_to) words.push([x + 2, y - CELL / 2 + 5, x + CELL / 2 - 5, y - CELL / 2 + 19]);
  return { dice: dice.length > 0 ? [x - half, y - 31, x + half, y + 31] : null, words };
}

/**
 * @param {Point} point
 * @param {Span} span
 * @param {number} [room]
 */
function within({ x, y }, [left, top, right, bottom], room = 0) {
  return left - room <= x && x <= right + room && top - room <= y && y <= bottom + room;
}

/**
 * @param {Point} a
 * @param {Point} b the control point
 * @param {Point} c
 * @param {number} t 0 to 1
 * @returns {Point}
 */
function along(a, b, c, t) {
  const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return { x: p * a.x + q * b.x + r * c.x, y: p * a.y + q * b.y + r * c.y };
}

/**
 * The way of a link: start, control point and end of the part of a quadratic curve that runs outside the dice.
 * @param {State} state
 * @param {number[]} squares the two
 * @returns {[Point, Point, Point]}
 */
export function route(state, squares) {
  const [start, end] = squares.map(centre);
  const ends = squares.map((square) => taken(state, square).dice ?? /** @type {Span} */ ([0, 0, 0, 0]));
  /** @type {Span[]} */
  const dice = [];
  /** @type {Span[]} */
  const words = [];
  for (let square = 1; square <= 9; square++) {
    const here = taken(state, square);
    if (here.dice && !squares.includes(square)) dice.push(here.dice);
    words.push(...here.words);
  }
  /** @param {Point} bend */
  const cost = (bend) => {
    let sum = 0;
    for (let number = 0; number <= SAMPLES; number++) {
      const point = along(start, bend, end, number / SAMPLES);
      if (ends.some((span) => within(point, span))) continue;
      const out = Math.min(point.x, point.y) < 4 || Math.max(point.x, point.y) > SIDE - 4;
      if (out || dice.some((span) => within(point, span, 3))) sum += 20;
      else if (words.some((span) => within(point, span))) sum += 1;
    }
    return sum;
  };
  const long = Math.hypot(end.x - start.x, end.y - start.y);
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
  let [nx, ny] = [(start.y - end.y) / long, (end.x - start.x) / long];
  // Bent towards the rim of the board where there is one, so that curves do not meet in the middle.
  if ((middle.x - SIDE / 2) * nx + (middle.y - SIDE / 2) * ny < 0) [nx, ny] = [-nx, -ny];
  let best = { x: middle.x + 26 * nx, y: middle.y + 26 * ny };
  let least = cost(best);
  if (least > 0) {
    /** @type {{bend: Point, far: number}[]} */
    const bends = [];
    for (let x = -2 * CELL; x <= SIDE + 2 * CELL; x += STEP) {
      for (let y = -2 * CELL; y <= SIDE + 2 * CELL; y += STEP) bends.push({ bend: { x, y }, far: Math.hypot(x - best.x, y - best.y) });
    }
    bends.sort((one, other) => one.far - other.far);
    for (const { bend } of bends) {
      const found = cost(bend);
      if (found < least) [least, best] = [found, bend];
      if (least === 0) break;
    }
  }
  const steps = Array.from({ length: 101 }, (_, number) => number / 100);
  const low = Math.max(0, ...steps.filter((t) => within(along(start, best, end, t), ends[0])));
  const high = Math.min(1, ...steps.filter((t) => within(along(start, best, end, t), ends[1])));
  if (low >= high) return [start, best, end];
  // The control point of a part of a quadratic curve is its blossom at the two ends of the part.
  /** @param {"x" | "y"} axis */
  const blossom = (axis) => (1 - low) * (1 - high) * start[axis] + ((1 - low) * high + (1 - high) * low) * best[axis] + low * high * end[axis];
  return [along(start, best, end, low), { x: blossom("x"), y: blossom("y") }, along(start, best, end, high)];
}
