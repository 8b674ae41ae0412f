// The panel beside the board: moves, circuit, odds and review. Only the tab that is seen asks for anything.

import { amplitudeRow } from "./arrows.js";
import { drawCircuit } from "./circuit.js";
import { button, drawDice, html, length, miniBoard, percent, refill, signedNumber, svg } from "./draw.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./types").State} State */
/** @typedef {"Moves" | "Circuit" | "Odds" | "Review"} Tab */

const TABS = /** @type {Tab[]} */ (["Moves", "Circuit", "Odds", "Review"]);
const MOST = 12;
/** Headings above numbers. */
const NUMBERS = new Set(["X wins", "tie", "O wins", "accuracy", "lost", "luck"]);
let numbers = 0;

export class Panel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Tab} */
    this.tab = "Moves";
    this.mode = "standard";
    this.asked = "";
    /** @type {any} */
    this.found = null;
    this.failed = "";
    this.drawn = "";
    this.shots = 1000;
    /** @type {{key: string, look: import("./types").Look} | null} */
    this.looked = null;
    // The moments for which looks, advice and a review were asked for.
    this.looking = this.advised = this.wanted = "";
    /** @type {any} */
    this.advice = null;
    const id = `qttt-panel-${++numbers}`;
    /** @type {Map<Tab, HTMLButtonElement>} */
    this.tabs = new Map(
      TABS.map((tab) => [
        tab,
        button(tab, () => this.show(tab), { role: "tab", id: `${id}-${tab}`, "aria-controls": id, "data-key": tab }),
      ]),
    );
    this.content = html("div", { class: "content", id, role: "tabpanel", tabindex: 0 });
    const list = html("div", { class: "tabs", role: "tablist", "aria-label": "Panel" }, ...this.tabs.values());
    list.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      this.show(TABS[(TABS.indexOf(this.tab) + way + TABS.length) % TABS.length]);
      this.tabs.get(this.tab)?.focus();
    });
    this.handle = button("Panel", () => this.pull(!this.element.classList.contains("up")), { class: "handle", "aria-expanded": "false" });
    this.element = html("aside", { class: "panel", "aria-label": "About this game" }, this.handle, list, this.content);
    // A phone has the panel as a sheet, which is pulled up.
    this.narrow = matchMedia("(max-width: 1023px)");
    this.narrow.addEventListener("change", () => this.pull(false));
    this.pull(false);
  }

  /** @param {boolean} up */
  pull(up) {
    this.element.classList.toggle("up", up);
    this.handle.setAttribute("aria-expanded", String(up));
    this.handle.textContent = up ? "Close the panel" : "Moves, circuit, odds, review";
    this.render();
  }

  /** Whether anybody sees the content. */
  get seen() {
    return this.app.around.single || !this.narrow.matches || this.element.classList.contains("up");
  }

  /** @param {Tab} tab */
  show(tab) {
    this.tab = tab;
    if (this.narrow.matches && !this.seen) this.pull(true);
    this.render();
  }

  render() {
    for (const [tab, made] of this.tabs) {
      made.setAttribute("aria-selected", String(tab === this.tab));
      made.tabIndex = tab === this.tab ? 0 : -1;
    }
    this.content.setAttribute("aria-labelledby", this.tabs.get(this.tab)?.id ?? "");
    const shown = this.app.shown;
    if (!shown || !this.seen || this.app.revealing) return;
    if (!this.modes(shown).includes(this.mode)) this.mode = "standard";
    const draw = { Moves: () => this.moves(shown), Circuit: () => this.circuit(shown), Odds: () => this.odds(shown), Review: () => this.review(shown) }[this.tab];
    draw();
  }

  /**
   * Put parts into the panel, if they are others than those that are there.
   * @param {string} key what they depend on
   * @param {() => (Node | string | false | null | undefined)[]} parts
   */
  put(key, parts) {
    const whole = `${this.tab} ${this.mode} ${this.failed} ${key}`;
    if (this.drawn === whole) return;
    this.drawn = whole;
    refill(this.content, parts(), () => this.content.focus());
  }

  /** @param {State} shown */
  moment(shown) {
    return `${shown.room} ${shown.game} ${shown.events.length} ${shown.phase} ${this.app.at}`;
  }

  /**
   * Ask once for what a tab shows.
   * @param {string} key
   * @param {() => Promise<any>} ask
   * @returns {boolean} whether it is there
   */
  need(key, ask) {
    if (this.asked === key) return this.found !== null;
    this.asked = key;
    this.found = null;
    this.failed = "";
    ask().then(
      (found) => {
        if (this.asked !== key) return;
        this.found = found;
        this.render();
      },
      (error) => {
        if (this.asked !== key) return;
        this.failed = error instanceof Error ? error.message : String(error);
        this.render();
      },
    );
    return false;
  }

  /** What stands there until an answer comes, or when none does. */
  get waiting() {
    return this.failed ? html("p", {}, this.failed, " ", button("Try again", () => {
      this.asked = "";
      this.render();
    }, { class: "small" })) : html("p", { class: "quiet" }, "Computing …");
  }

  /** @param {State} shown */
  modes(shown) {
    return shown.odds_rotated ? ["standard", "rotated"] : ["standard"];
  }

  /** @param {State} shown */
  modeChoice(shown) {
    const modes = this.modes(shown);
    if (modes.length < 2) return false;
    return html("div", { class: "segments", role: "group", "aria-label": "Mode of observation" }, ...modes.map((mode) => button(`${mode} mode`, () => {
      this.mode = mode;
      this.render();
    }, { "aria-pressed": String(mode === this.mode), "data-key": `mode ${mode}` })));
  }

  /** @param {State} shown */
  moves(shown) {
    const { app } = this;
    const state = /** @type {State} */ (app.state);
    const at = app.at ?? state.events.length;
    this.put(`${state.room} ${state.game} ${state.events.map((event) => event.token).join(" ")} ${at} ${state.can.play} ${this.advised}${this.advice !== null}`, () => {
      const list = html("ol", { class: "moves" }, ...state.events.map((event, place) => html("li", {}, button(`${event.token}`, () => void app.step(place + 1), {
        "data-key": `event ${place}`,
        "aria-current": place + 1 === at ? "step" : null,
        "aria-label": `${event.token}, ${event.by}, ${event.kind}`,
        class: `by-${event.by}`,
      }))));
      const step = html("div", { class: "steps", role: "group", "aria-label": "Step through the game" }, ...[
        ["«", "To the start", 0], ["‹", "Back", at - 1], ["›", "Forth", at + 1], ["»", "To the present", state.events.length],
      ].map(([sign, words, goal]) => button(String(sign), () => void app.step(Number(goal)), {
        "aria-label": String(words), "data-key": String(words), "aria-disabled": String(Number(goal) < 0 || Number(goal) > state.events.length),
      })));
      const field = html("input", { name: "token", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 8, id: `${this.content.id}-token`, "data-key": "token" });
      const form = html("form", { class: "type" }, html("label", { for: field.id }, "Type a move"), field, html("button", { type: "submit" }, "Play"));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (field.value.trim()) app.play(field.value.trim());
      });
      const kinds = (app.welcome?.kinds ?? []).filter((kind) => kind.first_level <= state.level);
      const written = kinds.map((kind) => `${kind.example} ${kind.word}`).join(", ");
      return [
        step,
        state.events.length > 0 ? list : html("p", { class: "quiet" }, "No move yet."),
        app.past !== null && !app.around.single && button("What if? Play on from here", () => void app.whatIf(), { "data-key": "what if" }),
        state.can.play && form,
        state.can.play && html("p", { class: "quiet" }, `For example ${written}.`),
        state.can.play && html("p", { class: "buttons" }, button("Advice", () => this.advise("advise"), { "data-key": "advice" }), button("Openings", () => this.advise("openings"), { "data-key": "openings" }), !app.around.single && button("A puzzle", () => void app.newPuzzle(), { "data-key": "puzzle" })),
        ...(state.can.play ? this.adviceList() : []),
      ];
    });
  }

  /**
   * Ask what the choices of this moment are worth.
   * @param {"advise" | "openings"} what
   */
  advise(what) {
    const state = /** @type {State} */ (this.app.state);
    const key = `${what} ${this.moment(state)}`;
    this.advised = key;
    this.advice = null;
    this.render();
    const question = what === "advise" ? { top: 5 } : { line: state.events.map((event) => event.token).join(" ") };
    void this.app.try(this.app.table.ask(what, question)).then((advice) => {
      if (this.advised !== key) return;
      this.advice = advice;
      if (!advice) this.advised = "";
      this.render();
    });
  }

  /** What the choices of this moment are worth, if it was asked for. */
  adviceList() {
    const state = /** @type {State} */ (this.app.state);
    if (!this.advised.endsWith(` ${this.moment(state)}`)) return [];
    if (!this.advice) return [html("p", { class: "quiet" }, "Computing …")];
    // Two reports of the program, with one key or the other for the same thing.
    const rows = /** @type {any[]} */ (this.advice.moves ?? this.advice.choices);
    return [
      html(
        "table",
        {},
        html("caption", {}, this.advice.moves ? "Advice" : "Openings"),
        html("thead", {}, row("th", "choice", "X wins", "tie", "O wins")),
        html("tbody", {}, ...rows.map((one) => {
          const token = one.move ?? one.token;
          return html(
            "tr",
            {},
            html("td", {}, button(token, () => this.app.play(token), { class: "small", "data-key": `advice ${token}` }), one.class?.length > 1 && html("span", { class: "quiet" }, ` and ${one.class.length - 1} alike`)),
            number(percent(one.x ?? one.X)), number(percent(one.tie)), number(percent(one.o ?? one.O)),
          );
        })),
      ),
      this.advice.why && html("p", { class: "quiet" }, this.advice.why),
    ];
  }

  /** @param {State} shown */
  circuit(shown) {
    const { app } = this;
    const key = `circuit ${this.mode} ${this.moment(shown)}`;
    const at = app.at === null ? {} : { at: app.at };
    const ready = this.need(key, async () => {
      const [circuit, amplitudes] = await Promise.all([
        app.table.ask("circuit", { mode: this.mode, style: "moves", ...at }),
        app.table.ask("amplitudes", { mode: this.mode, ...at }),
      ]);
      return { circuit, amplitudes };
    });
    this.put(`${key} ${ready}`, () => [
      this.modeChoice(shown),
      ...(ready ? [...this.boxes(this.found.circuit, shown), ...this.amplitudes(this.found.amplitudes, shown)] : [this.waiting]),
    ]);
  }

  /**
   * A box a move, each opening to its gates.
   * @param {import("./types").Circuit} circuit
   * @param {State} shown
   */
  boxes(circuit, shown) {
    if (circuit.blocks.length === 0) return [html("p", { class: "quiet" }, "Each move adds a box to the circuit.")];
    const parts = circuit.blocks.map((block) => ({ label: block.label, qubits: block.qubits, links: linksOf(circuit, block.qubits) }));
    const whole = drawCircuit(circuit.qubits, parts, `The circuit: ${parts.map((part) => part.label).join(", ")}`);
    return [
      html("h2", {}, "Circuit"),
      html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The circuit, a box a move" }, whole),
      ...circuit.blocks.map((block, place) => {
        const inside = html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `The gates of ${block.label}` });
        const box = html("details", { class: "box", "data-links": linksOf(circuit, block.qubits) }, html("summary", { "data-key": `box ${place}` }, `${block.label}: ${block.gates.length} ${block.gates.length === 1 ? "gate" : "gates"} on ${block.qubits.map((qubit) => circuit.qubits[qubit].label).join(", ")}`), inside);
        box.addEventListener("toggle", () => {
          if (!box.open || inside.firstChild) return;
          const gates = block.gates.map((gate) => ({ label: gate.name + (gate.parameters.length > 0 && !(gate.name in { cx: 1 }) ? `(${gate.parameters.join(", ")})` : ""), qubits: gate.qubits }));
          inside.append(drawCircuit(circuit.qubits, gates, `The gates of ${block.label}: ${gates.map((gate) => `${gate.label} on ${gate.qubits.map((qubit) => circuit.qubits[qubit].label).join(" and ")}`).join(", ")}`));
        });
        return box;
      }),
    ];
  }

  /**
   * The amplitudes of each root beside its dice.
   * @param {import("./types").Amplitudes} found
   * @param {State} shown
   */
  amplitudes(found, shown) {
    /** @param {[number, number][]} places */
    const dice = (places) => {
      const wide = Math.max(1, places.length);
      const picture = svg("svg", { class: "dice", viewBox: `0 0 ${52 * wide} 52`, "aria-hidden": "true" });
      places.forEach(([square, place], number) => {
        const die = shown.dice.squares[square - 1].dice[place];
        if (die) picture.append(...drawDice([{ ...die, ...shown.picture[square - 1].dice[place] }], 52 * number + 26, 26, 0.75));
      });
      return picture;
    };
    return [
      html("h2", {}, "Amplitudes"),
      found.roots.length === 0 && html("p", { class: "quiet" }, "No dice on the board."),
      ...found.roots.map((root) => html(
        "section",
        { class: "root", "aria-label": `Root over squares ${root.squares.join(", ")}` },
        html("h3", {}, `Squares ${root.squares.join(", ")}`),
        ...root.terms.map((term) => {
          const links = [...term.dice.map(([square, place]) => `d${square}.${place}`)].join(" ");
          const words = [...term.cells].map((cell, place) => `${root.squares[place]}${cell === "." ? " empty" : ` ${cell}`}`).join(", ");
          return amplitudeRow({ value: term.amplitude, words: term.says || words, links }, html("span", {}, term.dice.length > 0 && dice(term.dice), html("span", { class: "quiet" }, term.says || words)));
        }),
      )),
    ].filter(Boolean);
  }

  /** @param {State} shown */
  odds(shown) {
    const { app } = this;
    const odds = this.mode === "rotated" && shown.odds_rotated ? shown.odds_rotated : shown.odds;
    const key = `odds ${this.mode} ${this.moment(shown)}`;
    const looked = this.looked?.key === key ? this.looked.look : null;
    this.put(`${key} ${looked !== null} ${this.looking === key}`, () => {
      const boards = Object.entries(odds.outcomes).sort(([, one], [, other]) => other - one);
      const rest = boards.slice(MOST);
      const most = Math.max(...boards.map(([, chance]) => chance), ...Object.values(looked?.boards ?? {}).map((count) => count / (looked?.kept || 1)));
      return [
        ...this.lookDetails(shown),
        this.modeChoice(shown),
        html("h2", {}, shown.phase === "over" ? "The result" : "If the board were observed now"),
        html("table", { class: "bars" }, html("tbody", {}, ...[["X", "X wins"], ["O", "O wins"], ["tie", "tie"], ["continue", "goes on"]].map(([result, words]) => html("tr", {}, html("th", { scope: "row" }, words), html("td", { class: "wide" }, length(odds.result[result] ?? 0, result === "X" ? "x-ahead-3" : result === "O" ? "o-ahead-3" : "muted")), number(percent(odds.result[result] ?? 0)))))),
        html("h2", {}, "Boards"),
        html("table", { class: "bars" }, looked && html("caption", {}, `exact above, ${looked.kept} looks below${looked.illegal + looked.herald_failed > 0 ? `; ${looked.illegal + looked.herald_failed} of ${looked.shots} shots did not count` : ""}`), html("tbody", {}, ...boards.slice(0, MOST).map(([board, chance]) => {
          const seen = looked ? (looked.boards[board] ?? 0) / Math.max(1, looked.kept) : 0;
          return html("tr", {}, html("th", { scope: "row" }, miniBoard(board), html("span", { class: "hidden" }, board)), html("td", { class: "wide" }, length(chance / most, "bar-dice"), looked && length(seen / most, "bar-shots")), number(percent(chance), looked && html("span", { class: "quiet" }, html("br"), percent(seen))));
        }), rest.length > 0 && html("tr", {}, html("th", { scope: "row" }, `${rest.length} more`), html("td"), number(percent(rest.reduce((sum, [, chance]) => sum + chance, 0)))))),
        shown.phase !== "over" && !app.past && shown.events.length > 0 && button(this.looking === key ? "Looking …" : "Look 1,000 times", () => this.look(key), { "data-key": "look", "aria-disabled": String(this.looking === key) }),
        shown.phase !== "over" && html("p", { class: "quiet" }, "Looking many times changes nothing: each look is at another board prepared in the same way."),
      ];
    });
  }

  /** @param {string} key */
  look(key) {
    if (this.looking === key) return;
    this.looking = key;
    this.render();
    void this.app.try(this.app.table.ask("look", { shots: this.shots, mode: this.mode })).then((look) => {
      this.looking = "";
      if (look) this.looked = { key, look };
      this.render();
    });
  }

  /**
   * How the last observation came about: rolls, shots that did not count.
   * @param {State} shown
   */
  lookDetails(shown) {
    const look = shown.observation;
    if (!look || look.backend === null) return [];
    const thrown = (look.illegal ?? 0) + (look.herald_failed ?? 0);
    const kinds = Object.entries(look.impossible);
    return [
      html("h2", {}, "The last look"),
      html("p", {}, `By ${look.backend}${look.shots === null ? "" : `, ${look.shots} ${look.shots === 1 ? "shot" : "shots"}`}${thrown > 0 ? `; ${thrown} did not count` : ""}.`),
      kinds.length > 0 && html("ul", {}, ...kinds.map(([kind, count]) => html("li", {}, `thrown away: ${kind}, ${count}`))),
      look.rolls.length > 0 && html("ol", { class: "rolls" }, ...look.rolls.map((roll) => html("li", {}, roll.says))),
    ].filter(Boolean);
  }

  /** @param {State} shown */
  review(shown) {
    const { app } = this;
    const state = /** @type {State} */ (app.state);
    const key = `review ${state.room} ${state.game} ${state.events.length} ${state.phase}`;
    if (state.events.length === 0) return this.put(key, () => [html("p", { class: "quiet" }, "Nothing to look back on yet.")]);
    if (state.phase !== "over" && this.wanted !== key) {
      return this.put(key, () => [
        html("p", {}, "A review gives the value of every move, and tells skill from luck. It also says which moves were best."),
        button("Review the game so far", () => {
          this.wanted = key;
          this.render();
        }, { "data-key": "review" }),
      ]);
    }
    const ready = this.need(key, () => app.table.ask("review"));
    this.put(`${key} ${ready} ${app.at}`, () => (ready ? this.reviewed(this.found) : [this.waiting]));
  }

  /** @param {any} review the object of `qttt review --json` */
  reviewed(review) {
    const { app } = this;
    const values = [review.start, .../** @type {any[]} */ (review.events).map((entry) => entry.after)];
    /** @param {number} place */
    const x = (place) => 6 + (288 * place) / Math.max(1, values.length - 1);
    /** @param {number} value */
    const y = (value) => 45 - 40 * value;
    const players = /** @type {[string, any][]} */ (Object.entries(review.players));
    return [
      html("h2", {}, "Value from event to event"),
      svg("svg", { class: "graph", viewBox: "0 0 300 90", role: "img", "aria-label": `From ${signedNumber(values[0])} to ${signedNumber(values[values.length - 1])}, X above and O below the line` },
        svg("path", { class: "s-faint", d: "M6 45H294M6 5H294M6 85H294" }),
        svg("path", { class: "s-bar-dice", fill: "none", "stroke-width": 2, d: values.map((value, place) => `${place ? "L" : "M"}${x(place)} ${y(value)}`).join("") }),
        ...values.map((value, place) => svg("circle", { class: place > 0 && (review.events[place - 1].mark === "blunder" || review.events[place - 1].mark === "mistake") ? "f-mark" : "f-bar-dice", cx: x(place), cy: y(value), r: 3 })),
      ),
      html("p", { class: "quiet" }, `Values are P(X wins) − P(O wins) with best play, ${review.exact ? "exact" : "some of them estimates"}.`),
      html("table", {}, html("caption", {}, "Skill and luck"), html("thead", {}, row("th", "", "accuracy", "lost", "luck")), html("tbody", {}, ...players.map(([player, side]) => html("tr", {}, html("th", { scope: "row" }, player), number(side.accuracy === null ? "" : percent(side.accuracy)), number(side.lost.toFixed(2)), number(signedNumber(side.luck)))))),
      html("table", {}, html("caption", {}, "Choices and chances"), html("thead", {}, row("th", "event", "by", "mark", "best", "lost")), html("tbody", {}, .../** @type {any[]} */ (review.events).map((entry, place) => html("tr", {}, html("td", {}, button(entry.token.length > 12 ? "observation" : entry.token, () => void app.step(entry.n), { class: "small", "data-key": `entry ${place}` })), html("td", {}, entry.player ?? "chance"), html("td", { class: `mark-${entry.mark ?? "none"}` }, entry.mark ?? (entry.luck === null ? "" : `luck ${signedNumber(entry.luck)}`)), html("td", {}, entry.loss ? (entry.best ?? "") : ""), number(entry.loss ? entry.loss.toFixed(2) : ""))))),
    ];
  }
}

/**
 * @param {"td" | "th"} cell
 * @param {string[]} words
 */
function row(cell, ...words) {
  return html("tr", {}, ...words.map((text) => (text || cell === "td" ? html(cell, cell === "th" ? { scope: "col", class: NUMBERS.has(text) ? "number" : null } : {}, text) : html("td"))));
}

/**
 * @param {string} text
 * @param {Node | false | null} [more]
 */
function number(text, more) {
  return html("td", { class: "number" }, text, more);
}

/**
 * @param {import("./types").Circuit} circuit
 * @param {number[]} qubits
 */
function linksOf(circuit, qubits) {
  return [...new Set(qubits.map((qubit) => circuit.qubits[qubit].square).filter((square) => square !== null).map((square) => `s${square}`))].join(" ");
}
