// Narrowing the server's list of choices by the squares touched. This is all that the page knows of moves: a choice
// of one square is that square touched twice, any other is its squares touched one after the other, in any order.

/** @typedef {import("./types").Choice} Choice */
/** @typedef {{before: boolean, after: boolean, look: boolean, sign: string | null}} Wish what was asked for beside squares */

/**
 * The touches that make a choice.
 * @param {Choice} choice
 */
function touches(choice) {
  return choice.squares.length === 1 ? [choice.squares[0], choice.squares[0]] : choice.squares;
}

/**
 * Whether touches may become a choice: its own, in any order.
 * @param {Choice} choice
 * @param {number[]} picks
 */
function begins(choice, picks) {
  const left = [...touches(choice)];
  return picks.every((square) => {
    const place = left.indexOf(square);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

/**
 * The choices that fit what was asked for with coins, the eye and a typed sign.
 * @param {Choice[]} choices
 * @param {Wish} wish
 * @param {(kind: string) => string | undefined} signOf
 */
export function wished(choices, wish, signOf) {
  return choices.filter(
    (choice) =>
      choice.before === wish.before &&
      (!wish.after || choice.after) &&
      wish.look === (choice.kind === "look") &&
      (wish.sign === null || signOf(choice.kind) === wish.sign),
  );
}

/**
 * The choices that touches may still become.
 * @param {Choice[]} choices
 * @param {number[]} picks
 */
export function open(choices, picks) {
  return choices.filter((choice) => begins(choice, picks));
}

/**
 * The choices that touches have become.
 * @param {Choice[]} choices
 * @param {number[]} picks
 */
export function made(choices, picks) {
  return choices.filter((choice) => touches(choice).length === picks.length && begins(choice, picks));
}

/**
 * The squares that may be touched next, each with the choices that it leaves.
 * @param {Choice[]} choices
 * @param {number[]} picks
 * @returns {Map<number, Choice[]>}
 */
export function next(choices, picks) {
  /** @type {Map<number, Choice[]>} */
  const found = new Map();
  for (let square = 1; square <= 9; square++) {
    const left = open(choices, [...picks, square]);
    if (left.length > 0) found.set(square, left);
  }
  return found;
}

/**
 * The token to send for a choice.
 * @param {Choice} choice
 * @param {Wish} wish
 */
export function tokenOf(choice, wish) {
  return choice.token + (wish.after && choice.after ? "~" : "");
}
