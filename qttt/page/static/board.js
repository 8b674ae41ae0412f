// The board: nine buttons over one picture. It draws what it is given and says which squares were touched.

import { CELL, MARGIN, SIDE, centre, drawDice, drawSymbol, html, percent, svg } from "./draw.js";
import { route } from "./routes.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").SquareOdds} SquareOdds */

/**
 * What the board shows.
 * @typedef {object} View
 * @property {State} state
 * @property {number[]} picks squares touched so far
 * @property {Map<number, string>} playable squares that may be touched next, and for what
 * @property {SquareOdds[] | null} odds the bars; null for none
 * @property {boolean} preview the bars are those after a choice
 * @property {number[]} last the squares of the last move
 * @property {Record<string, number[][]> | null} lines three-in-a-rows to stroke
 * @property {Map<number, string> | null} revealed while an observation is revealed: what each square has shown
 * @property {boolean} waiting nobody is asked on this page
 */

export class Board {
  /**
   * @param {{touch: (square: number) => void, drag: (from: number, to: number | null) => void, drop: (from: number, to: number | null) => void,
   *   over: (square: number | null) => void, key: (event: KeyboardEvent) => void}} acts what happens on the board, told to whoever shows it
   */
  constructor(acts) {
    this.acts = acts;
    this.ground = svg("g");
    this.bars = svg("g");
    this.links = svg("g");
    this.dice = svg("g");
    this.labels = svg("g");
    this.strokes = svg("g");
    this.pull = svg("path", { class: "pull" });
    this.picture = svg(
      "svg",
      { class: "picture", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true", focusable: "false" },
      this.ground, this.links, this.strokes, this.labels, this.dice, this.bars, this.pull,
    );
    /** @type {HTMLButtonElement[]} */
    this.squares = [];
    this.element = html("div", { class: "board", role: "group", "aria-label": "Board" }, this.picture);
    for (let square = 1; square <= 9; square++) {
      const made = html("button", { type: "button", class: "square", "data-square": square, tabindex: square === 1 ? 0 : -1 });
      made.addEventListener("click", () => this.clicked(square));
      made.addEventListener("focus", () => this.focused(square));
      this.squares.push(made);
      this.element.append(made);
    }
    /** @type {number | null} */
    this.from = null;
    /** @type {number | null} */
    this.under = null;
    this.moved = false;
    this.swallow = false;
    /** @type {Map<string, string>} */
    this.before = new Map();
    /** @type {State | null} the state whose links are drawn */
    this.linked = null;
    this.element.addEventListener("pointerdown", (event) => this.pressed(event));
    this.element.addEventListener("pointermove", (event) => this.pulled(event));
    this.element.addEventListener("pointerup", (event) => this.released(event));
    this.element.addEventListener("pointercancel", () => this.stopPull());
    this.element.addEventListener("pointerleave", () => {
      if (this.from === null) this.acts.over(null);
    });
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.element.contains(event.relatedTarget)) this.acts.over(null);
    });
    this.element.addEventListener("keydown", (event) => this.pressedKey(event));
  }

  /** @param {number} square 1 to 9 */
  focus(square) {
    this.squares[square - 1].focus();
  }

  /** @param {number} square */
  clicked(square) {
    if (this.swallow) {
      this.swallow = false;
      return;
    }
    this.acts.touch(square);
  }

  /** @param {number} square */
  focused(square) {
    this.squares.forEach((made, place) => (made.tabIndex = place === square - 1 ? 0 : -1));
    this.acts.over(square);
  }

  /** @param {KeyboardEvent} event */
  pressedKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = this.squares.findIndex((made) => made === document.activeElement);
    const way = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[event.key];
    if (way && here >= 0) {
      event.preventDefault();
      const x = Math.min(2, Math.max(0, (here % 3) + way[0]));
      const y = Math.min(2, Math.max(0, Math.floor(here / 3) + way[1]));
      this.focus(3 * y + x + 1);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      this.focus(event.key === "Home" ? 1 : 9);
    } else {
      this.acts.key(event);
    }
  }

  /**
   * The square under a pointer.
   * @param {PointerEvent} event
   */
  at(event) {
    const box = this.element.getBoundingClientRect();
    const column = Math.floor((((event.clientX - box.left) / box.width) * SIDE - MARGIN) / CELL);
    const row = Math.floor((((event.clientY - box.top) / box.height) * SIDE - MARGIN) / CELL);
    return column >= 0 && column < 3 && row >= 0 && row < 3 ? 3 * row + column + 1 : null;
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    this.swallow = false;
    if (event.button !== 0 || !event.isPrimary) return;
    this.from = this.under = this.at(event);
    this.moved = false;
  }

  /** @param {PointerEvent} event */
  pulled(event) {
    const here = this.at(event);
    if (this.from === null) {
      if (event.pointerType !== "touch" && here !== this.under) this.acts.over(here);
      this.under = here;
      return;
    }
    if (here !== this.from && !this.moved) {
      this.moved = true;
      if (this.element.setPointerCapture) this.element.setPointerCapture(event.pointerId);
    }
    if (!this.moved) return;
    const box = this.element.getBoundingClientRect();
    const start = centre(this.from);
    const x = ((event.clientX - box.left) / box.width) * SIDE;
    const y = ((event.clientY - box.top) / box.height) * SIDE;
    this.pull.setAttribute("d", `M${start.x} ${start.y}L${x.toFixed(1)} ${y.toFixed(1)}`);
    if (here !== this.under) {
      this.under = here;
      this.acts.drag(this.from, here);
    }
  }

  /** @param {PointerEvent} event */
  released(event) {
    const from = this.from;
    const moved = this.moved;
    this.stopPull();
    if (from === null || !moved) return;
    // With the pointer captured a click may follow on whatever is under it; the drag has said it already.
    this.swallow = true;
    setTimeout(() => (this.swallow = false), 50);
    this.acts.drop(from, this.at(event));
  }

  stopPull() {
    this.from = null;
    this.moved = false;
    this.pull.removeAttribute("d");
  }

  /**
   * Draw.
   * @param {View} view
   */
  show(view) {
    const { state } = view;
    this.element.classList.toggle("waiting", view.waiting);
    this.element.classList.toggle("revealing", view.revealed !== null);
    this.ground.replaceChildren();
    this.labels.replaceChildren();
    this.bars.replaceChildren();
    for (let square = 1; square <= 9; square++) this.drawSquare(view, square);
    this.drawDice(view);
    if (this.linked !== state || view.revealed) {
      this.linked = state;
      this.links.replaceChildren(...(view.revealed ? [] : state.links.flatMap((link) => drawLink(state, link))));
    }
    const lines = Object.values(view.lines ?? {}).flat();
    this.strokes.replaceChildren(...lines.map(drawStroke));
  }

  /**
   * @param {View} view
   * @param {number} square
   */
  drawSquare(view, square) {
    const { state } = view;
    const x = MARGIN + CELL * ((square - 1) % 3);
    const y = MARGIN + CELL * Math.floor((square - 1) / 3);
    const report = state.dice.squares[square - 1];
    const picture = state.picture[square - 1];
    const shown = view.revealed?.get(square);
    const picked = view.picks.includes(square);
    const playable = view.playable.get(square);
    this.ground.append(
      svg("rect", { class: "f-square s-muted", x, y, width: CELL, height: CELL, "stroke-width": 1.2 }),
    );
    const frame = picked ? "picked" : playable ? "playable" : view.last.includes(square) ? "last" : null;
    if (frame) this.ground.append(svg("rect", { class: `frame ${frame}`, x: x + 3, y: y + 3, width: CELL - 6, height: CELL - 6, rx: 4 }));
    this.labels.append(svg("text", { class: "f-muted", x: x + 8, y: y + 17, "font-size": 11 }, String(square)));
    if (!view.revealed && picture.label) {
      this.labels.append(svg("text", { class: "f-muted middle", x: x + CELL / 2, y: y + CELL - 10, "font-size": 10 }, picture.label));
    }
    if (!view.revealed && report.open_to) {
      this.labels.append(svg("text", { class: "f-muted end", x: x + CELL - 8, y: y + 16, "font-size": 10 }, `open to ${report.open_to}`));
    }
    const odds = view.odds?.[square - 1];
    const bars = odds && report.state !== "observed" && odds.empty < 1 && !view.revealed;
    if (bars) this.bars.append(...drawBar(odds, x, y, view.preview));
    const words = [`${square}, ${picture.name}: `];
    if (shown !== undefined) words.push(shown === "." ? "found empty" : shown === "#" ? "found filled" : shown === "" ? "not yet observed" : `observed ${shown}`);
    else words.push(picture.says);
    // The name stays while odds are looked ahead at: those are told in the line below the board.
    const now = view.state.odds.squares[square - 1];
    if (bars && report.state === "dice") words.push(`; if observed now X ${percent(now.X)}, O ${percent(now.O)}, empty ${percent(now.empty)}`);
    if (picked) words.push("; chosen");
    if (playable) words.push(`; playable: ${playable}`);
    const button = this.squares[square - 1];
    button.setAttribute("aria-label", words.join(""));
    button.setAttribute("aria-disabled", String(!playable));
    button.setAttribute("aria-pressed", String(picked));
    button.setAttribute("data-links", [`s${square}`, ...report.dice.map((_, place) => `d${square}.${place}`)].join(" "));
    button.classList.toggle("playable", playable !== undefined);
  }

  /**
   * Dice and observed symbols; those that are new or have changed arrive.
   * @param {View} view
   */
  drawDice(view) {
    const { state, revealed } = view;
    /** @type {Map<string, string>} */
    const now = new Map();
    /** @type {SVGElement[]} */
    const parts = [];
    state.dice.squares.forEach((report, index) => {
      const square = index + 1;
      const { x, y } = centre(square);
      const shown = revealed?.get(square);
      let kept = true;
      if (shown !== undefined && shown !== "") {
        if (shown === "X" || shown === "O") parts.push(drawSymbol(shown, x, y, 64));
        else if (shown === "#") parts.push(svg("circle", { class: "f-muted", cx: x, cy: y, r: 12 }));
        now.set(`s${square}`, shown);
        kept = this.before.get(`s${square}`) === shown;
      } else if (report.state === "observed" && report.symbol) {
        parts.push(drawSymbol(report.symbol, x, y, 64));
        now.set(`s${square}`, report.symbol);
        kept = this.before.get(`s${square}`) === report.symbol;
      } else {
        const dice = report.dice.map((die, place) => ({ ...die, ...state.picture[index].dice[place] }));
        drawDice(dice, x, y).forEach((drawn, place) => {
          const die = dice[place];
          const key = `d${square}.${place}`;
          const look = `${die.owner}${die.colour}${die.shape}${die.value}/${dice.length}`;
          now.set(key, look);
          drawn.setAttribute("data-links", `${key} s${square}`);
          if (shown === "") drawn.classList.add("undecided");
          if (this.before.get(key) !== look && !this.slide(drawn, die, square)) drawn.classList.add("arrives");
          parts.push(drawn);
        });
      }
      if (!kept) parts[parts.length - 1]?.classList.add("arrives");
    });
    this.before = now;
    this.dice.replaceChildren(...parts);
  }

  /**
   * Let a die that has split off come from the square where its piece was alone so far.
   * @param {SVGGElement} drawn
   * @param {{owner: string, colour: string}} die
   * @param {number} square where it is now
   * @returns {boolean} whether it does
   */
  slide(drawn, die, square) {
    const piece = `${die.owner}${die.colour}`;
    const squares = new Set([...this.before].filter(([, look]) => look.startsWith(piece)).map(([key]) => Number(key[1])));
    if (squares.has(square) || squares.size !== 1 || matchMedia("(prefers-reduced-motion: reduce)").matches) return false;
    const [from, to] = [centre([...squares][0]), centre(square)];
    drawn.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
    return true;
  }

  /**
   * Let the dice of the roots that have a part in a square stand out.
   * @param {State} state
   * @param {number | null} square
   */
  kin(state, square) {
    const keys = new Set();
    for (const root of square === null ? [] : state.roots) {
      if (root.dice.some(([at]) => at === square)) for (const [at, place] of root.dice) keys.add(`d${at}.${place}`);
    }
    for (const die of this.dice.querySelectorAll(".die")) {
      die.classList.toggle("kin", keys.has((die.getAttribute("data-links") ?? "").split(" ")[0]));
    }
  }
}

/**
 * The odds of one square: X from the left, O from the right, nothing between them.
 * @param {SquareOdds} odds
 * @param {number} x
 * @param {number} y
 * @param {boolean} preview
 */
function drawBar(odds, x, y, preview) {
  const wide = CELL - 16;
  const at = { y: y + CELL - 7, height: 4 };
  return [
    svg("rect", { class: "f-faint", x: x + 8, width: wide, ...at }),
    svg("rect", { class: `f-x-ahead-3${preview ? " preview" : ""}`, x: x + 8, width: wide * odds.X, ...at }),
    svg("rect", { class: `f-o-ahead-3${preview ? " preview" : ""}`, x: x + 8 + wide * (1 - odds.O), width: wide * odds.O, ...at }),
  ];
}

/**
 * @param {State} state
 * @param {import("./types").LinkReport} link
 */
function drawLink(state, { kind, squares }) {
  const [start, bend, end] = route(state, squares);
  const line = svg("path", { class: `link ${kind}`, d: `M${start.x} ${start.y}Q${bend.x} ${bend.y} ${end.x} ${end.y}` });
  const tail = svg("circle", { class: "f-link", cx: start.x, cy: start.y, r: 3.4 });
  if (kind !== "cancelled") return [line, tail, svg("circle", { class: "f-link", cx: end.x, cy: end.y, r: 3.4 })];
  const long = Math.hypot(end.x - bend.x, end.y - bend.y) || 1;
  const [ux, uy] = [(end.x - bend.x) / long, (end.y - bend.y) / long];
  const points = `${end.x},${end.y} ${end.x - 12 * ux - 6 * uy},${end.y - 12 * uy + 6 * ux} ${end.x - 12 * ux + 6 * uy},${end.y - 12 * uy - 6 * ux}`;
  return [line, tail, svg("polygon", { class: "f-link", points })];
}

/** @param {number[]} line three squares */
function drawStroke(line) {
  const [start, end] = [centre(line[0]), centre(line[2])];
  const [dx, dy] = [0.17 * (end.x - start.x), 0.17 * (end.y - start.y)];
  return svg("path", { class: "stroke", pathLength: 1, d: `M${start.x - dx} ${start.y - dy}L${end.x + dx} ${end.y + dy}` });
}
