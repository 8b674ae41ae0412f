// The windows that open over the page: a new game, opening a record, sharing, rules, settings.

import { button, html, svg } from "./draw.js";

/** @typedef {import("./app.js").App} App */

let numbers = 0;

/**
 * A control with its label.
 * @template {HTMLElement} E
 * @param {string} words
 * @param {E} control
 */
function labelled(words, control) {
  control.id ||= `qttt-field-${++numbers}`;
  return html("div", { class: "field" }, html("label", { for: control.id }, words), control);
}

/**
 * @param {string} name
 * @param {[string, string][]} choices values and words
 * @param {string} chosen
 */
function select(name, choices, chosen) {
  const made = html("select", { name });
  for (const [value, words] of choices) made.append(html("option", { value, selected: value === chosen }, words));
  return made;
}

/**
 * Open a window.
 * @param {App} app
 * @param {string} title
 * @param {(Node | string | false | null)[]} content
 */
function show(app, title, content) {
  const id = `qttt-title-${++numbers}`;
  app.dialog.setAttribute("aria-labelledby", id);
  app.dialog.replaceChildren(
    html("div", { class: "title" }, html("h2", { id }, title), button("Close", () => app.dialog.close(), { class: "small" })),
    html("div", { class: "content" }, ...content),
  );
  if (!app.dialog.open) app.dialog.showModal();
}

/** @param {App} app */
export function newGame(app) {
  const welcome = app.welcome;
  if (!welcome) return;
  const start = { ...app.firstGame() };
  const form = html("form", { method: "dialog" });
  const draw = () => {
    const level = welcome.levels.find((row) => row.number === start.level) ?? welcome.levels[0];
    const players = /** @type {[string, string][]} */ ([["human", "human"], ...welcome.players.filter((row) => row.levels.includes(level.number)).map((row) => [row.name, `${row.name}: ${row.summary}`])]);
    const backends = welcome.backends.filter((row) => !row.owner || welcome.owner);
    const levels = select("level", welcome.levels.map((row) => [String(row.number), `${row.number} ${row.name}`]), String(level.number));
    levels.addEventListener("change", () => {
      start.level = Number(levels.value);
      draw();
      form.querySelector("select")?.focus();
    });
    const chosen = new Map(String(start.options ?? "").split(",").filter(Boolean).map((part) => /** @type {[string, string]} */ ([part.split("=")[0], part.split("=")[1] ?? ""])));
    const options = welcome.options.filter((row) => row.levels.includes(level.number)).map((row) => {
      const box = html("input", { type: "checkbox", name: `option ${row.name}`, "data-option": row.name, "data-takes": row.takes, checked: chosen.has(row.name) });
      const number = row.takes === "N" && html("input", { type: "number", min: 1, max: 1000, name: `number ${row.name}`, value: chosen.get(row.name) || 2, "aria-label": `N of ${row.written}` });
      return html("div", { class: "option" }, html("label", {}, box, html("span", {}, html("b", {}, row.written), ` ${row.summary}`)), number);
    });
    const clock = html("input", { type: "checkbox", name: "clock", checked: Boolean(start.clock) });
    const minutes = html("input", { type: "number", name: "minutes", min: 1, max: 180, value: start.clock ? start.clock.seconds / 60 : 5, "aria-label": "minutes for each player" });
    const increment = html("input", { type: "number", name: "increment", min: 0, max: 60, value: start.clock?.increment ?? 5, "aria-label": "seconds added for each move" });
    form.replaceChildren(
      labelled("Level", levels),
      labelled("X, triangles", select("X", players, players.some(([name]) => name === start.X) ? start.X : "human")),
      labelled("O, squares", select("O", players, players.some(([name]) => name === start.O) ? start.O : "human")),
      labelled("Who starts", select("first", [["X", "X starts"], ["O", "O starts"]], start.first ?? "X")),
      labelled("Observed by", select("backend", backends.map((row) => [row.name, `${row.name}: ${row.summary ?? row.kind}`]), backends.some((row) => row.name === start.backend) ? start.backend : (backends[0]?.name ?? ""))),
      html("details", { open: chosen.size > 0 }, html("summary", {}, "Options and clock"), ...options, html("div", { class: "option" }, html("label", {}, clock, html("span", {}, "a clock: minutes, and seconds added for each move")), minutes, increment)),
      html("p", { class: "buttons" }, html("button", { type: "submit", class: "primary" }, "Start")),
    );
  };
  draw();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const options = [...form.querySelectorAll("input[data-option]")].filter((box) => /** @type {HTMLInputElement} */ (box).checked).map((box) => {
      const { option = "", takes } = /** @type {HTMLInputElement} */ (box).dataset;
      return takes === "N" ? `${option}=${data.get(`number ${option}`)}` : takes ? `${option}=${takes}` : option;
    });
    /** @type {Record<string, any>} */
    const wanted = { level: Number(data.get("level")), options: options.join(","), first: data.get("first"), X: data.get("X"), O: data.get("O"), backend: data.get("backend") };
    if (data.get("clock")) wanted.clock = { seconds: 60 * Number(data.get("minutes")), increment: Number(data.get("increment")) };
    app.settings.form = wanted;
    app.settings.keep();
    app.dialog.close();
    void app.open(wanted);
  });
  show(app, "New game", [form]);
}

/** @param {App} app */
export function openRecord(app) {
  const text = html("textarea", { rows: 6, name: "record", spellcheck: "false", autocomplete: "off" });
  const file = html("input", { type: "file", accept: ".qttt,.txt,text/plain" });
  const level = select("level", (app.welcome?.levels ?? []).map((row) => [String(row.number), `${row.number} ${row.name}`]), "2");
  const form = html(
    "form",
    { method: "dialog" },
    html("p", {}, "A record holds headers and the moves in notation, for example 5 5*6 1+3. It can also be dropped on the page, pasted, or stand in the page's address."),
    labelled("Record", text),
    labelled("or a file", file),
    labelled("Level, where the record names none", level),
    html("p", { class: "buttons" }, html("button", { type: "submit", class: "primary" }, "Open")),
  );
  file.addEventListener("change", async () => {
    if (file.files?.[0]) text.value = await file.files[0].text();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    app.dialog.close();
    const named = /^\s*\[Level /m.test(text.value);
    void app.open({ record: text.value, ...(named ? {} : { level: Number(level.value) }) });
  });
  show(app, "Open a game", [form]);
}

/** @param {App} app */
export async function share(app) {
  if (!app.state) return;
  const record = await app.try(app.table.ask("record"));
  const shared = await app.try(app.table.ask("share", app.around.address ? { address: app.around.address } : {}));
  if (!record || !shared) return;
  const address = `${app.around.address ?? ""}#${shared.fragment}`;
  const field = html("input", { readonly: true, value: address });
  const file = html("a", { class: "button", href: URL.createObjectURL(new Blob([record.record], { type: "text/plain" })), download: record.name }, "Save the record");
  const said = html("span", { class: "quiet", role: "status" });
  const copy = button("Copy the address", () => {
    field.select();
    // Clipboards are for secure addresses; elsewhere the address is selected, to be copied by hand.
    if (!navigator.clipboard) said.textContent = "The address is selected: copy it.";
    else void navigator.clipboard.writeText(address).then(() => (said.textContent = "Copied."), () => (said.textContent = "The address is selected: copy it."));
  });
  const lesson = button("Open the lesson of this game", async () => {
    said.textContent = "The lesson is being made …";
    try {
      const answer = await app.table.ask("lesson", {}, (says) => (said.textContent = says));
      said.textContent = "";
      lesson.replaceWith(html("a", { class: "button", href: answer.address, target: "_blank", rel: "noopener" }, "Read the lesson"));
    } catch (error) {
      said.textContent = String(error instanceof Error ? error.message : error);
    }
  });
  const own = Boolean(app.around.address);
  show(app, "Share this game", [
    own && labelled("Address of this game", field),
    html("p", { class: "buttons" }, own && copy, file, own && lesson, said),
    own && shared.qr &&
      html(
        "figure",
        {},
        svg("svg", { class: "qr", viewBox: `-4 -4 ${shared.qr.size + 8} ${shared.qr.size + 8}`, role: "img", "aria-label": "QR code of the address" }, svg("rect", { class: "light", x: -4, y: -4, width: shared.qr.size + 8, height: shared.qr.size + 8 }), svg("path", { class: "dark", d: shared.qr.path })),
        html("figcaption", { class: "quiet" }, "The address as a QR code"),
      ),
    html("h3", {}, "The record"),
    html("pre", { tabindex: 0, role: "region", "aria-label": "The record" }, record.record),
  ]);
}

/** @param {App} app */
export function rules(app) {
  const welcome = app.welcome;
  if (!welcome) return;
  const number = app.state?.level ?? 1;
  const level = welcome.levels.find((row) => row.number === number) ?? welcome.levels[0];
  const options = String(app.state?.options ?? "").split(",").map((part) => part.split("=")[0]);
  show(app, `Level ${level.number}: ${level.name}`, [
    html("p", {}, "When no square is empty the board is observed. More three-in-a-rows win."),
    html(
      "dl",
      {},
      ...welcome.kinds.filter((kind) => level.kinds.includes(kind.word)).flatMap((kind) => [
        html("dt", {}, `${kind.word}, written ${kind.example}`),
        html("dd", {}, kind.attacks ? "Touch a square that is open to you, then an empty one." : kind.fills === 1 ? "Touch an empty square twice." : "Touch two empty squares."),
      ]),
      ...welcome.options.filter((row) => options.includes(row.name)).flatMap((row) => [html("dt", {}, row.written), html("dd", {}, row.summary)]),
    ),
    level.views ? html("p", {}, "The view can be switched before or after a move, with the coins below the board.") : "",
    level.modes.length > 1 ? html("p", {}, `Who fills the board chooses how the symbols are observed: in ${level.modes.join(" or ")} mode.`) : "",
    html("p", {}, "With the keyboard: arrows go from square to square, Enter or the square's number touches it, the sign of a move chooses its kind, ~ turns a view coin, Escape takes back. A move can be dragged from square to square too, or typed under Moves."),
  ]);
}

/** @param {App} app */
export function settings(app) {
  const kept = app.settings;
  /**
   * @param {string} words
   * @param {"bars" | "evaluation" | "projector"} name
   */
  const box = (words, name) => {
    const made = html("input", { type: "checkbox", checked: kept[name] });
    made.addEventListener("change", () => {
      kept[name] = made.checked;
      app.applySettings();
      app.render();
    });
    return html("div", { class: "option" }, html("label", {}, made, html("span", {}, words)));
  };
  const theme = select("theme", [["", "as the system"], ["light", "light"], ["dark", "dark"]], kept.theme);
  theme.addEventListener("change", () => {
    kept.theme = theme.value;
    app.applySettings();
  });
  show(app, "Settings", [
    box("Bars of each square's odds on the board", "bars"),
    box("Evaluation bar", "evaluation"),
    box("Projector: large type, board and panel only (Escape ends it)", "projector"),
    labelled("Colours", theme),
    button("Show the hints again", () => {
      kept.hints = [];
      kept.keep();
      app.render();
    }),
    html("p", { class: "quiet" }, `TiqTaqToe ${app.welcome?.version ?? ""}. Settings stay in this browser.`),
  ]);
}

/**
 * What a job on a device would be and cost, before anything is sent.
 * @param {App} app
 * @param {{backend: string, says: string[]}} plan
 * @param {() => void} send
 */
export function devicePlan(app, plan, send) {
  const go = button("Send the job", () => {
    app.dialog.close();
    send();
  }, { class: "primary" });
  show(app, `A job on ${plan.backend}`, [
    ...plan.says.map((line) => html("p", {}, line)),
    html("p", { class: "buttons" }, go, button("Not now", () => app.dialog.close())),
  ]);
}
