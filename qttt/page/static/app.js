// The page around a board: who plays, what happened and what is asked, the actions of this moment, observations as
// events, stepping through a game. Every rule is the server's: what may be done stands in the state.

import { linkParts } from "./arrows.js";
import { Board } from "./board.js";
import * as choose from "./choose.js";
import { devicePlan, newGame, openRecord, rules, settings as settingsDialog, share } from "./dialogs.js";
import { button, html, percent, refill, signedNumber, svg } from "./draw.js";
import { Table } from "./link.js";
import { Panel } from "./panel.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Choice} Choice */
/** @typedef {import("./types").OddsReport} OddsReport */

const REVEAL = 250;
const HOVER = 140;
const RESULTS = /** @type {[string, string][]} */ ([["X", "X wins"], ["O", "O wins"], ["tie", "tie"], ["continue", "goes on"]]);

/**
 * The results of an observation in words, those that cannot be left out.
 * @param {Record<string, number>} result
 */
export function resultWords(result) {
  return RESULTS.filter(([key]) => result[key] > 0).map(([key, words]) => `${words} ${percent(result[key])}`).join(", ");
}

/** What a person has settled, kept in this browser where it may be. */
class Settings {
  constructor() {
    this.bars = true;
    this.evaluation = false;
    this.projector = false;
    this.theme = "";
    /** @type {string[]} hints that were shown */
    this.hints = [];
    /** @type {Record<string, any> | null} the last game's form */
    this.form = null;
    try {
      Object.assign(this, JSON.parse(localStorage.getItem("qttt") ?? "{}"));
    } catch {
      // No storage, or something else in it: as on a first visit.
    }
  }

  keep() {
    try {
      localStorage.setItem("qttt", JSON.stringify(this));
    } catch {
      // Kept for this visit only.
    }
  }
}

export class App {
  /**
   * @param {HTMLElement} host where the page goes
   * @param {import("./types").Transport} transport
   * @param {{address?: string, joined?: (room: string, key: string) => void, single?: boolean}} [around] the page's own
   *   address without fragment, for sharing; what to do with the key of a room; whether there is one game only, among
   *   other things on a page that is not ours
   */
  constructor(host, transport, around = {}) {
    this.host = host;
    this.around = around;
    this.settings = new Settings();
    this.table = new Table(transport);
    /** @type {import("./types").Welcome | null} */
    this.welcome = null;
    /** @type {import("./types").Joined | null} */
    this.joined = null;
    /** @type {State | null} */
    this.state = null;
    /** @type {State | null} a moment that is looked back on */
    this.past = null;
    /** @type {number | null} */
    this.at = null;
    /** @type {number[]} */
    this.picks = [];
    /** @type {choose.Wish} */
    this.wish = { before: false, after: false, look: false, sign: null };
    /** @type {Choice[]} */
    this.rivals = [];
    /** @type {{token: string, odds: OddsReport} | null} */
    this.preview = null;
    this.note = "";
    /** @type {string[]} */
    this.nearest = [];
    /** @type {number | null} */
    this.lost = null;
    /** @type {{state: State, shown: Map<number, string>, lines: Record<string, number[][]> | null} | null} */
    this.revealing = null;
    /** @type {State[]} */
    this.queue = [];
    this.skip = () => {};
    this.resigning = false;
    /** @type {import("./types").Evaluation | null} */
    this.evaluation = null;
    this.evaluated = "";
    /** @type {number | undefined} */
    this.hoverTimer = undefined;
    this.heard = performance.now();
    /** @type {{room: string, question: string, solutions: string[], why: string} | null} */
    this.puzzle = null;
    this.verdict = "";
    // What is drawn already, so that nothing is drawn, or read out, twice.
    this.hinting = this.said = this.playersKey = this.meterWords = "";

    this.board = new Board({
      touch: (square) => this.touch(square),
      drag: (from, to) => this.drag(from, to),
      drop: (from, to) => this.drop(from, to),
      over: (square) => this.over(square),
      key: (event) => this.key(event),
    });
    this.players = html("div", { class: "players" });
    this.meter = html("div", { class: "meter" });
    this.line = html("p", { class: "line", role: "status" });
    this.foresight = html("p", { class: "foresight", role: "status" });
    this.chooser = html("div", { class: "chooser", role: "group", "aria-label": "Which move?" });
    this.actions = html("div", { class: "actions", role: "group", "aria-label": "Actions" });
    this.panel = new Panel(this);
    this.dialog = html("dialog", { class: "dialog" });
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.head = html(
      "header",
      { class: "head" },
      html(around.single ? "p" : "h1", { class: "name" }, "TiqTaqToe"),
      html(
        "nav",
        { "aria-label": "Game" },
        !around.single && button("New game", () => newGame(this)),
        !around.single && button("Open", () => openRecord(this)),
        button("Share", () => share(this)),
        button("Rules", () => rules(this)),
        button("Settings", () => settingsDialog(this)),
      ),
    );
    host.classList.add("qttt");
    if (around.single) host.classList.add("inside");
    host.append(
      this.head,
      html(
        around.single ? "div" : "main",
        { class: "room" },
        html("div", { class: "table" }, this.players, this.meter, this.board.element, this.chooser, this.actions, this.line, this.foresight),
        this.panel.element,
      ),
      this.dialog,
    );
    this.light = linkParts(host);
    document.addEventListener("keydown", (event) => this.anyKey(event), true);
    document.addEventListener("pointerdown", () => this.skip(), true);
    if (!around.single) this.takeRecords();
    this.table.welcome = (welcome) => {
      this.welcome = welcome;
      this.lost = null;
      this.render();
    };
    this.table.joined = (joined) => {
      this.joined = joined;
      this.at = this.past = null;
      around.joined?.(joined.room, joined.key);
    };
    this.table.state = (state) => this.arrived(state);
    transport.down = (seconds) => {
      this.table.forget("the line was lost");
      this.lost = seconds;
      this.render();
    };
    setInterval(() => this.tick(), 1000);
    this.applySettings();
    this.render();
  }

  /** Open the records that are dropped or pasted. */
  takeRecords() {
    this.host.addEventListener("dragover", (event) => event.preventDefault());
    this.host.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void file.text().then((text) => this.open({ record: text }));
    });
    document.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text") ?? "";
      if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) && text.trim()) void this.open({ record: text });
    });
  }

  applySettings() {
    const root = document.documentElement;
    if (this.settings.theme) root.setAttribute("data-theme", this.settings.theme);
    else root.removeAttribute("data-theme");
    this.host.classList.toggle("projector", this.settings.projector);
    this.settings.keep();
  }

  /** The state that the board shows: the game's, or the moment that is looked back on. */
  get shown() {
    return this.past ?? this.state;
  }

  /** Whether a choice may be made on this page now. */
  get playing() {
    return Boolean(this.state?.can.play && !this.past && !this.revealing && this.lost === null && !this.table.acting);
  }

  /** @param {string} word */
  kind(word) {
    return this.welcome?.kinds.find((kind) => kind.word === word);
  }

  /** The choices that fit what was asked for with coins, the eye and a typed sign. */
  get choices() {
    return this.playing && this.state ? choose.wished(this.state.choices, this.wish, (kind) => this.kind(kind)?.sign) : [];
  }

  /** The form of a game to begin with: the last one's, on a first visit Level 1 against an easy player. */
  firstGame() {
    const { form } = this.settings;
    const players = (this.welcome?.players ?? []).map((row) => row.name);
    const backend = this.welcome?.backends.find((row) => row.name === form?.backend);
    const known = [form?.X, form?.O].every((name) => name === "human" || players.includes(name));
    if (form && known && backend && (!backend.owner || this.welcome?.owner)) return form;
    const easy = this.welcome?.players.find((row) => row.name === "easy" && row.levels.includes(1));
    return { level: 1, options: "", first: "X", X: "human", O: easy ? "easy" : "human" };
  }

  // What comes from the table

  /** @param {State} state */
  arrived(state) {
    if (this.revealing || this.queue.length > 0) {
      this.queue.push(state);
      return;
    }
    this.heard = performance.now();
    const before = this.state;
    const same = before && before.room === state.room && before.game === state.game;
    const look = state.observation;
    if (look && same && before.events.length < look.event && !this.past) {
      void this.reveal(before, state);
      return;
    }
    this.state = state;
    if (!same) this.at = this.past = null;
    if (!same || before.events.length !== state.events.length || before.phase !== state.phase) {
      this.clear();
      // What happened is news until the next thing happens.
      this.note = this.verdict;
      this.verdict = "";
    }
    this.render();
  }

  clear() {
    clearTimeout(this.hoverTimer);
    this.picks = [];
    this.wish = { before: false, after: false, look: false, sign: null };
    this.rivals = [];
    this.preview = null;
    this.nearest = [];
    this.resigning = false;
  }

  /**
   * Show an observation as the event that it is: what is undecided dims, each square is told in its turn, then
   * the lines, then how likely it was.
   * @param {State} before
   * @param {State} state
   */
  async reveal(before, state) {
    const look = /** @type {import("./types").Observation} */ (state.observation);
    this.clear();
    const shown = new Map(look.order.map((square) => /** @type {[number, string]} */ ([square, ""])));
    this.revealing = { state: before, shown, lines: null };
    let skipped = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const pause = () =>
      new Promise((done) => {
        if (skipped) return done(null);
        const timer = setTimeout(done, REVEAL);
        this.skip = () => {
          skipped = true;
          clearTimeout(timer);
          done(null);
        };
      });
    this.note = look.what === "square" ? `Looking at square ${look.order[0]} …` : "Looking …";
    this.render();
    await pause();
    for (const square of look.order) {
      shown.set(square, look.what === "square" ? look.cells : look.cells[square - 1]);
      this.render();
      await pause();
    }
    this.revealing.lines = look.lines;
    this.render();
    if (Object.values(look.lines ?? {}).flat().length > 0) await pause();
    this.skip = () => {};
    this.revealing = null;
    this.state = state;
    this.note = lookWords(look);
    this.heard = performance.now();
    const queued = this.queue;
    this.queue = [];
    this.render();
    for (const later of queued) this.arrived(later);
  }

  tick() {
    if (!this.state || this.revealing) return;
    if (this.state.thinking || this.state.clock?.runs) this.renderPlayers();
  }

  // What a person does

  /**
   * Do something and show what goes wrong.
   * @param {Promise<any>} answer
   */
  async try(answer) {
    this.render();
    try {
      return await answer;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.note = `${said.charAt(0).toUpperCase()}${said.slice(1)}.`.replace(/([.?!])\.$/, "$1");
      this.render();
      return null;
    }
  }

  /**
   * Start or open a game.
   * @param {Record<string, any>} form the keys of the message `new`
   */
  async open(form) {
    const level = form.level ?? Number(/\[Level\s+"(\d)"\]/.exec(form.record ?? "")?.[1] ?? 2);
    const joined = await this.try(this.table.send("new", { ...form, level }, "joined"));
    if (joined) this.note = "";
    return joined !== null;
  }

  /** Set a puzzle: a position with one best choice, which opens as a game. */
  async newPuzzle() {
    const puzzle = await this.try(this.table.ask("puzzle", { level: this.state?.level }));
    if (!puzzle) return;
    if (await this.open({ record: puzzle.record, X: "human", O: "human" })) {
      this.puzzle = { ...puzzle, room: this.joined?.room };
      this.render();
    }
  }

  /**
   * Say whether a choice solves the puzzle, if there is one.
   * @param {string} choice
   */
  judge(choice) {
    if (!this.puzzle || this.puzzle.room !== this.state?.room) return;
    const { solutions, why } = this.puzzle;
    this.verdict = `${solutions.includes(choice) ? "Found." : `Not the best choice: that is ${solutions.join(" or ")}.`} ${why}`;
    this.puzzle = null;
  }

  /** @param {string} token */
  play(token) {
    this.clear();
    this.judge(token);
    void this.try(this.table.act("play", { token }));
  }

  /**
   * Observe the board; a device is asked only after its plan and cost were shown.
   * @param {{mode?: string}} how
   */
  async observe(how) {
    const state = this.state;
    if (!state || this.table.acting) return;
    const act = () => void this.try(this.table.act("observe", how));
    const backend = this.welcome?.backends.find((row) => row.name === state.backend);
    if (backend?.kind !== "device") return act();
    const plan = await this.try(this.table.ask("plan", { backend: backend.name }));
    if (plan) devicePlan(this, plan, act);
  }

  /** @param {number} square */
  touch(square) {
    if (!this.state || this.revealing) return;
    if (!this.playing) {
      this.note = this.past ? "This is a moment of the past. Go back to the game to play, or play on from here as a new game." : this.state.asks;
      this.render();
      return;
    }
    const choices = this.choices;
    this.note = "";
    this.nearest = [];
    this.rivals = [];
    if (!choose.next(choices, this.picks).has(square)) {
      if (this.picks.length > 0 && this.picks[this.picks.length - 1] === square) this.picks = [];
      else void this.why(square);
      this.preview = null;
      this.render();
      return;
    }
    this.picks = [...this.picks, square];
    this.settle(choices);
  }

  /**
   * Send the one choice that the touches have made, or let choose among several.
   * @param {Choice[]} choices
   */
  settle(choices) {
    const made = choose.made(choices, this.picks);
    const open = choose.open(choices, this.picks);
    if (made.length === 1 && open.length === 1) {
      this.play(choose.tokenOf(made[0], this.wish));
    } else if (made.length > 0) {
      this.rivals = made;
      this.render();
      this.chooser.querySelector("button")?.focus();
    } else {
      this.render();
    }
  }

  /**
   * Why a square cannot be touched now, and the nearest choices that can.
   * @param {number} square
   */
  async why(square) {
    const [first] = this.picks;
    const kinds = choose.open(this.choices, this.picks).map((choice) => choice.kind);
    const sign = first === undefined ? "" : kinds.map((kind) => this.kind(kind)?.sign ?? "").find((written) => written !== "") ?? "+";
    const token = this.wish.look ? `?${square}` : first === undefined ? String(square) : `${first}${sign}${square}`;
    const answer = await this.try(this.table.ask("why", { token: this.wish.before && !this.wish.look ? `~${token}` : token }));
    if (!answer || !this.playing) return;
    this.note = answer.legal ? "" : `${answer.why.charAt(0).toUpperCase()}${answer.why.slice(1)}.`;
    this.nearest = answer.nearest.slice(0, 3);
    this.render();
  }

  /**
   * A drag is under way: the first square is chosen, the one under the pointer is looked at.
   * @param {number} from
   * @param {number | null} to
   */
  drag(from, to) {
    if (!this.playing) return;
    if (choose.next(this.choices, []).has(from)) this.picks = [from];
    this.over(to);
    this.render();
  }

  /**
   * @param {number} from
   * @param {number | null} to
   */
  drop(from, to) {
    if (!this.playing) return this.touch(from);
    this.picks = [];
    if (to === null) return this.render();
    this.touch(from);
    if (this.picks.length > 0) this.touch(to);
  }

  /**
   * The pointer or the focus is on a square: show the odds after the choice that it would make.
   * @param {number | null} square
   */
  over(square) {
    clearTimeout(this.hoverTimer);
    const shown = this.shown;
    if (shown) this.board.kin(shown, square);
    if (square === null || !this.playing || this.rivals.length > 0) return this.foresee(null);
    const choices = this.choices;
    // With nothing touched yet, a square stands for the choice that it makes alone.
    const picks = this.picks.length > 0 ? [...this.picks, square] : [square, square];
    const made = choose.made(choices, picks);
    this.foresee(made.length === 1 ? choose.tokenOf(made[0], this.wish) : null);
  }

  /**
   * Show the odds after a choice, soon.
   * @param {string | null} token
   */
  foresee(token) {
    clearTimeout(this.hoverTimer);
    if (token === null) {
      if (this.preview === null) return;
      this.preview = null;
      this.renderBoard();
      return;
    }
    if (this.preview?.token === token) return;
    this.hoverTimer = setTimeout(async () => {
      const n = this.table.n;
      try {
        const odds = await this.table.ask("odds", { token });
        if (n !== this.table.n || !this.playing) return;
        this.preview = { token, odds };
        this.renderBoard();
      } catch {
        // Only a look ahead: nothing is lost with it.
      }
    }, HOVER);
  }

  /**
   * Keys on the board beside those that move the focus: squares, signs, coins, and taking back.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const { key } = event;
    if (/^[1-9]$/.test(key)) {
      event.preventDefault();
      this.board.focus(Number(key));
      this.touch(Number(key));
    } else if (key === "Escape") {
      this.clear();
      this.note = "";
      this.render();
    } else if (key === "Backspace") {
      event.preventDefault();
      this.picks = this.picks.slice(0, -1);
      this.render();
    } else if (key === "~" && this.playing) {
      event.preventDefault();
      this.toggle(this.picks.length > 0 ? "after" : "before");
    } else if (key === "?" && this.playing) {
      this.toggle("look");
    } else if (this.playing && this.welcome?.kinds.some((kind) => kind.sign === key)) {
      event.preventDefault();
      this.wish = { ...this.wish, sign: key };
      this.render();
    }
  }

  /** @param {KeyboardEvent} event */
  anyKey(event) {
    if (this.revealing) {
      event.preventDefault();
      this.skip();
    } else if (event.key === "Escape" && this.settings.projector && !this.dialog.open) {
      this.settings.projector = false;
      this.applySettings();
      this.render();
    }
  }

  /**
   * Turn a coin or open the eye.
   * @param {"before" | "after" | "look"} which
   */
  toggle(which) {
    const wish = { ...this.wish, [which]: !this.wish[which] };
    if (which === "look" && wish.look) Object.assign(wish, { before: false, after: false, sign: null });
    if (which !== "look" && wish[which]) wish.look = false;
    this.wish = wish;
    if (which !== "after") this.picks = [];
    this.rivals = [];
    this.preview = null;
    this.render();
  }

  /**
   * Look at the game after so many events; null for the game as it is.
   * @param {number | null} at
   */
  async step(at) {
    const state = this.state;
    if (!state) return;
    if (at === null || at >= state.events.length) {
      this.at = this.past = null;
    } else {
      this.at = Math.max(0, at);
      const past = await this.try(this.table.ask("state", { at: this.at }));
      if (!past || this.at === null) return;
      this.past = past;
    }
    this.clear();
    this.note = "";
    this.render();
  }

  /** Play on from the moment that is shown, as a new game. */
  async whatIf() {
    const state = this.state;
    const at = this.at ?? state?.events.length ?? 0;
    const answer = await this.try(this.table.ask("record"));
    if (!answer || !state) return;
    const seats = Object.fromEntries(Object.entries(state.seats).map(([seat, { player }]) => [seat, player]));
    await this.open({ record: answer.record, at, backend: state.backend, ...seats });
  }

  // Drawing

  render() {
    const { state } = this;
    // What the page is about, and whether it waits for something, for styles and for whoever drives it.
    if (state) this.host.dataset.level = String(state.level);
    this.host.dataset.busy = this.revealing ? "reveal" : !state || this.table.acting || state.thinking ? "waits" : "no";
    this.renderPlayers();
    this.renderBoard();
    this.renderChooser();
    this.renderActions();
    this.renderMeter();
    this.panel.render();
  }

  renderBoard() {
    const shown = this.revealing?.state ?? this.shown;
    this.board.element.hidden = !shown;
    if (!shown) {
      this.say(this.lost === null ? "Connecting …" : "No game yet.");
      return;
    }
    const next = choose.next(this.choices, this.picks);
    const playable = new Map([...next].map(([square, choices]) => [square, [...new Set(choices.map((choice) => choice.kind))].join(" or ")]));
    const last = shown.events[shown.events.length - 1];
    this.board.show({
      state: shown,
      picks: this.picks,
      playable: this.rivals.length > 0 ? new Map() : playable,
      odds: this.preview?.odds.squares ?? (this.settings.bars ? shown.odds.squares : null),
      preview: this.preview !== null,
      last: last ? last.squares : [],
      lines: this.revealing ? this.revealing.lines : (shown.lines ?? shown.observation?.lines ?? null),
      revealed: this.revealing?.shown ?? null,
      waiting: !this.playing && !this.past && shown.phase === "move",
    });
    this.renderLine(shown);
    this.foresight.textContent = this.preview ? `After ${this.preview.token}, if observed then: ${resultWords(this.preview.odds.result)}.` : "";
  }

  /** @param {State} shown */
  renderLine(shown) {
    if (this.lost !== null) return this.say(`The line is lost. Trying again in ${Math.ceil(this.lost)} s; the game is safe where it is.`);
    if (this.past) return this.say(`After event ${this.at} of ${this.state?.events.length}: ${shown.says}`);
    if (this.revealing) return this.say(this.note);
    const parts = [this.note];
    if (this.rivals.length > 0) parts.push(`${this.picks.join(" and ")}: which move?`);
    else if (this.nearest.length > 0) parts.push("Nearest:");
    else if (this.picks.length > 0) parts.push(this.pickWords());
    else if (shown.phase === "over" || !this.note) parts.push(shown.says);
    else parts.push(shown.asks);
    if (this.puzzle && this.puzzle.room === shown.room) parts.push(this.puzzle.question);
    parts.push(this.hint(shown));
    this.say(parts.filter(Boolean).join(" "), this.nearest);
  }

  /** What the squares touched so far can become. */
  pickWords() {
    /** @type {Map<string, number[]>} */
    const squares = new Map();
    for (const [square, choices] of choose.next(this.choices, this.picks)) {
      for (const word of new Set(choices.map((choice) => choice.kind))) squares.set(word, [...(squares.get(word) ?? []), square]);
    }
    const last = this.picks[this.picks.length - 1];
    const ways = [...squares].map(([word, list]) => `${list.map((square) => (square === last ? "again" : square)).join(", ")} for ${word}`);
    return `Square ${this.picks.join(", ")} chosen; now touch ${ways.join("; ")}. Escape or another touch takes it back.`;
  }

  /**
   * A hint for a first visit: each is shown when it applies and never again.
   * @param {State} shown
   */
  hint(shown) {
    if (this.past || this.revealing || this.picks.length > 0 || this.nearest.length > 0 || (!shown.can.play && !shown.can.observe)) return "";
    const attacks = shown.choices.find((choice) => this.kind(choice.kind)?.attacks);
    const hints = /** @type {[string, boolean, string][]} */ ([
      ["touch", shown.can.play && shown.events.length < 2, "Hint: touch a glowing square twice to place one piece there, or two squares to place it in both."],
      ["attack", shown.can.play && attacks !== undefined, `Hint: square ${attacks?.squares[0]} is open to you: touch it, then an empty square.`],
      ["observe", shown.can.observe, "Hint: no square is empty, so the board is observed now, and chance decides."],
    ]);
    const due = hints.find(([name, applies]) => applies && (!this.settings.hints.includes(name) || this.hinting === `${name} ${shown.n}`));
    if (!due) return "";
    this.hinting = `${due[0]} ${shown.n}`;
    if (!this.settings.hints.includes(due[0])) {
      this.settings.hints.push(due[0]);
      this.settings.keep();
    }
    return due[2];
  }

  /**
   * @param {string} words
   * @param {string[]} [tokens] choices offered with it
   */
  say(words, tokens = []) {
    const key = `${words}|${tokens.join(" ")}`;
    if (this.said === key) return;
    this.said = key;
    refill(this.line, [words, ...tokens.flatMap((token) => [" ", button(token, () => this.play(token), { class: "small", "data-key": `near ${token}` })])]);
  }

  renderPlayers() {
    const state = this.state;
    if (!state) return this.players.replaceChildren();
    const since = (performance.now() - this.heard) / 1000;
    const rows = ["X", "O"].map((seat) => {
      const { player, computer, here } = state.seats[seat];
      const mine = state.you.includes(seat) && state.you.length === 1;
      const thinks = state.thinking?.by === seat ? state.thinking : null;
      const notes = [];
      if (thinks) notes.push(`${thinks.doing === "observes" ? "observing" : "thinking"} ${Math.round(thinks.seconds + since)} s`);
      else if (!here) notes.push("away");
      if (state.clock) notes.push(clockWords(Math.max(0, state.clock[/** @type {"X" | "O"} */ (seat)] - (state.clock.runs === seat ? since : 0))));
      const turn = state.decides === seat;
      return html(
        "div",
        { class: `player${turn ? " turn" : ""}` },
        playerMark(seat),
        html("span", { class: "name" }, `${seat} ${mine ? "you" : player}${computer ? " (computer)" : ""}`),
        turn && html("span", { class: "whose" }, state.phase === "move" ? "to move" : "to observe"),
        notes.length > 0 && html("span", { class: "quiet" }, notes.join(" · ")),
      );
    });
    const key = rows.map((row) => row.outerHTML).join("");
    if (this.playersKey === key) return;
    this.playersKey = key;
    this.players.replaceChildren(...rows);
  }

  renderChooser() {
    this.chooser.hidden = this.rivals.length === 0;
    refill(
      this.chooser,
      this.rivals.length === 0
        ? []
        : [
            ...this.rivals.map((choice) => {
              const token = choose.tokenOf(choice, this.wish);
              const made = button(`${choice.kind} ${token}`, () => this.play(token), { "data-key": `choose ${token}`, class: "primary" });
              made.addEventListener("pointerenter", () => this.foresee(token));
              made.addEventListener("focus", () => this.foresee(token));
              return made;
            }),
            button("Neither", () => this.back(), { "data-key": "choose none" }),
          ],
      () => this.board.focus(this.picks[0] ?? 5),
    );
    if (!this.chooser.dataset.wired) {
      this.chooser.dataset.wired = "yes";
      this.chooser.addEventListener("keydown", (event) => {
        if (event.key === "Escape") this.back();
      });
    }
  }

  back() {
    const [first] = this.picks;
    this.clear();
    this.render();
    if (first) this.board.focus(first);
  }

  renderActions() {
    const { state } = this;
    if (!state) return refill(this.actions, []);
    /** @type {HTMLElement[]} */
    const made = [];
    /**
     * @param {string} words
     * @param {() => void} act
     * @param {Record<string, any>} [attributes]
     */
    const add = (words, act, attributes = {}) => made.push(button(words, act, { "data-key": words, ...attributes }));
    /** @param {string} type */
    const send = (type, keys = {}) => () => {
      // Pressed twice, it is meant once.
      if (!this.table.acting) void this.try(this.table.act(type, keys));
    };
    if (this.past) {
      add("Back to the game", () => void this.step(null), { class: "primary" });
      if (!this.around.single) add("What if? Play on from here", () => void this.whatIf());
    } else if (!this.revealing && this.lost === null) {
      const { can } = state;
      if (can.observe) {
        if (state.phase === "mode") {
          for (const mode of state.modes) {
            const odds = mode === "rotated" ? state.odds_rotated : state.odds;
            const words = `Observe in ${mode} mode`;
            made.push(
              html(
                "div",
                { class: "coin" },
                button(words, () => {
                  this.judge(mode);
                  void this.observe({ mode });
                }, { "data-key": words, class: "primary" }),
                odds && html("span", { class: "quiet" }, resultWords(odds.result)),
              ),
            );
          }
        } else {
          add(state.modes.length > 1 ? "Observe which squares are filled" : "Observe the board", () => void this.observe({}), { class: "primary" });
        }
      }
      if (can.play && state.choices.some((choice) => choice.before)) this.addCoin(made, "before", "View before:");
      if (can.play && state.choices.some((choice) => choice.after)) this.addCoin(made, "after", "View after:");
      if (can.play && state.choices.some((choice) => choice.kind === "look")) this.addCoin(made, "look", "Look at a square");
      if (state.offer) {
        if (can.accept) add(`Accept the offer (${state.offer.kind})`, send("accept"), { class: "primary" });
        if (can.decline) add(can.accept ? "Decline" : `Take back the offer (${state.offer.kind})`, send("decline"));
      }
      if (can.hurry) add("Move now", send("hurry"));
      if (can.undo) add("Undo", send("undo"));
      if (can.draw && state.events.length > 0) add("Offer a draw", send("draw"));
      if (can.resign && state.events.length > 0) {
        if (this.resigning) {
          add("Really resign", () => {
            this.resigning = false;
            send("resign")();
          }, { class: "danger", "data-key": "Resign" });
          add("Play on", () => {
            this.resigning = false;
            this.render();
          });
        } else {
          add("Resign", () => {
            this.resigning = true;
            this.render();
          });
        }
      }
      if (can.rematch) add("Rematch", send("rematch"), { class: "primary" });
      if (state.phase === "over") {
        add("Review", () => this.panel.show("Review"));
        add("Replay", () => void this.step(0));
      }
    }
    refill(this.actions, made, () => this.board.focus(5));
  }

  /**
   * A coin that is turned, or the eye.
   * @param {HTMLElement[]} made
   * @param {"before" | "after" | "look"} which
   * @param {string} words
   */
  addCoin(made, which, words) {
    const view = this.state?.dice.view === "standard" ? "△/□ → +/−" : "+/− → △/□";
    made.push(
      button(which === "look" ? words : `${words} ${view}`, () => this.toggle(which), {
        "data-key": which,
        class: `coin-button${this.wish[which] ? " on" : ""}`,
        "aria-pressed": String(this.wish[which]),
      }),
    );
  }

  /** The evaluation bar, when it is asked for. */
  renderMeter() {
    const shown = this.shown;
    const wanted = this.settings.evaluation && shown !== null && !this.revealing && this.lost === null;
    this.meter.hidden = !wanted;
    if (!wanted || !shown) return;
    const key = `${shown.room} ${shown.game} ${shown.events.length} ${shown.phase}`;
    if (this.evaluated !== key) {
      this.evaluated = key;
      this.evaluation = null;
      void this.table
        .ask("evaluation", this.at === null ? {} : { at: this.at })
        .then((answer) => {
          if (this.evaluated !== key) return;
          this.evaluation = answer;
          this.renderMeter();
        })
        .catch(() => (this.evaluated = ""));
    }
    const found = this.evaluation;
    const words = found ? `${found.exact ? "Best play" : "Estimate"}: X wins ${percent(found.X)}, tie ${percent(found.tie)}, O wins ${percent(found.O)} (${signedNumber(found.value)})` : "Evaluating …";
    if (this.meterWords === words) return;
    this.meterWords = words;
    this.meter.replaceChildren(
      svg(
        "svg",
        { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "f-faint", width: 100, height: 4 }),
        found && svg("rect", { class: "f-x-ahead-3", width: 100 * found.X, height: 4 }),
        found && svg("rect", { class: "f-o-ahead-3", x: 100 * (1 - found.O), width: 100 * found.O, height: 4 }),
      ),
      html("span", { class: "quiet" }, words),
    );
  }
}

/** @param {string} seat */
function playerMark(seat) {
  const line = { class: "s-ink", fill: "none", "stroke-width": 2 };
  return svg(
    "svg",
    { class: "shape", viewBox: "0 0 20 20", "aria-hidden": "true" },
    seat === "X" ? svg("polygon", { points: "10,3 18,17 2,17", ...line }) : svg("rect", { x: 3, y: 3, width: 14, height: 14, ...line }),
  );
}

/** @param {number} seconds */
function clockWords(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * An observation in words: what came, how likely it was, who was ahead.
 * @param {import("./types").Observation} look
 */
export function lookWords(look) {
  const chance = `a chance of ${percent(look.chance)}`;
  if (look.what === "square") return `Square ${look.order[0]} ${look.cells === "." ? "was found empty" : `holds ${look.cells}`}, ${chance}.`;
  if (look.what === "positions") return `These squares are filled: ${[...look.cells].flatMap((cell, place) => (cell === "#" ? [place + 1] : [])).join(", ")}, ${chance}.`;
  const lines = Object.entries(look.lines ?? {}).filter(([, found]) => found.length > 0);
  const said = lines.map(([player, found]) => `${player} has ${found.map((line) => line.join("-")).join(" and ")}`).join(", ");
  return `Observed in ${look.mode} mode. ${said ? `${said}.` : "Nobody has three in a row."} This board had ${chance}${look.before ? `; before the look: ${resultWords(look.before)}` : ""}.`;
}
